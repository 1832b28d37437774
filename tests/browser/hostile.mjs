// Hostile strings in every field, shown on every page: none of them becomes markup, and no script runs.
import assert from "node:assert/strict";
import { Daemon, go, signedIn, until } from "./harness.mjs";
import { PAGES } from "./pages.mjs";

const PAYLOADS = [
  "<script>alert('xss 1')</script>", "<img src=x onerror=\"alert('xss 2')\">", "\"><svg onload=alert('xss 3')>", "javascript:alert('xss 4')",
  "</textarea><script>alert('xss 5')</script>", "'; alert('xss 6'); '", "${alert('xss 7')}", "{{constructor.constructor('alert(8)')()}}", "<iframe srcdoc=\"<script>parent.alert('xss 9')</script>\">",
  "<a href=\"javascript:alert('xss 10')\">Bold</a>", "<style>body{display:none}</style>", "\u202Egnirts eht\u0000\u0007", "]]><!--<x onmouseover=alert('xss 11')>",
];

export async function before(browser) {
  const daemon = await Daemon.start();
  const ids = [];
  for (const [index, payload] of PAYLOADS.entries()) {
    ids.push(await daemon.remember(`${payload} is fact number ${index} about deploys`, { type: `t${index}"><b>x`, tags: [payload.slice(0, 60)], attributes: { [`name${index}`]: payload, injection: "always" } }).catch(() => daemon.remember(`${payload} is fact number ${index} about deploys`)));
    await daemon.ask("capture", { messages: [{ session_id: `session ${payload}`, role: payload.slice(0, 30), content: `${payload} We decided that deploys number ${index} go out on Fridays. Ask Grace <grace@example.org> or @${payload}`, attributes: { note: payload } }] });
    await daemon.ask("edit", { id: ids[index], content: `${payload} is the changed fact number ${index} about deploys` });
    await daemon.ask("inject", { session: `agent ${payload}`, text: `what about deploys ${index}?` });
  }
  await daemon.ask("consolidate");
  await daemon.ask("link", { from: ids[0], relation: "related", to: ids[1] });
  const page = await signedIn(browser, daemon);
  // An alert would also be seen by the harness; this counts whatever else they try.
  await page.exposeFunction("ran", () => page.complaints.push("a script ran"));
  await page.evaluate(() => (window.alert = () => window.ran()));
  return { daemon, page, ids };
}

export const after = ({ daemon, page }) => page.context().close().then(() => daemon.stop());

// Elements that no page of ours has, wherever they came from.
const intruders = (page) => page.evaluate(() => [...document.querySelectorAll("main img, main iframe, main script, main style, .panel img, .panel script, .panel iframe, [onerror], [onload], [onmouseover], a[href^='javascript:' i], b > b")].map((one) => one.outerHTML.slice(0, 200)));

export const tests = {
  async "on every page"({ page }) {
    const more = { search: { q: "deploys" }, context: { q: "what about deploys?", compare: "1" }, entities: { name: "grace@example.org" } };
    for (const [name, params] of Object.entries(PAGES)) {
      await go(page, name, { ...params, ...more[name] });
      await page.waitForFunction(() => document.querySelector("main h1") && !document.querySelector("[aria-busy]"));
      for (const button of await page.$$("main button:has-text('Why?'), main summary")) await button.click().catch(() => {});
      assert.deepEqual(await intruders(page), [], name);
    }
  },

  async "in the panel, in a conversation, in filters and in messages"({ page, ids }) {
    for (const [index, payload] of PAYLOADS.entries()) {
      await go(page, "memories", { m: ids[index] });
      await page.waitForSelector(".panel .history li");
      assert.ok((await page.textContent(".panel .content .words")).includes(`changed fact number ${index}`));
      assert.deepEqual(await intruders(page), [], payload);
    }
    for (const payload of PAYLOADS.slice(0, 5)) {
      await go(page, "sessions", { s: `session ${payload}` });
      await page.waitForSelector("main h1");
      await go(page, "memories", { tags: payload, session: payload, type: payload, entity: "" });
      await page.waitForSelector(".empty, .row");
      await go(page, "entities", { name: payload, find: payload });
      await page.waitForSelector(".failure, .profile h2");
      assert.deepEqual(await intruders(page), [], payload);
    }
    page.complaints = page.complaints.filter((one) => !/status of 40[04]/.test(one)); // Names that are not known.
  },

  async "as a page, a project and a parameter of the address"({ page }) {
    for (const hash of ["#/<script>alert(1)</script>", "#/../../v1/status", "#/constructor", "#/__proto__?__proto__=x", "#/memories?m=<img src=x onerror=alert(1)>"]) {
      await page.evaluate((hash) => (location.hash = hash), hash);
      await page.waitForSelector("main h1, .failure, .empty");
      assert.deepEqual(await intruders(page), [], hash);
    }
    page.complaints = page.complaints.filter((one) => !/status of 40[04]/.test(one));
  },

  async "no script ran, and the policy had nothing to stop"({ page }) {
    await until("quiet", async () => true);
    assert.deepEqual(page.complaints, []);
  },
};
