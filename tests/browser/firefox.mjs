// The dashboard in Firefox: signing in both ways, and every page once. It runs with --long.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { Daemon, require, until } from "./harness.mjs";
import { PAGES } from "./pages.mjs";
import { fill } from "./story.mjs";

export async function before() {
  const daemon = await Daemon.start();
  await fill(daemon);
  const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
  const executablePath = execFileSync("sh", ["-c", "command -v firefox-esr || command -v firefox"]).toString().trim();
  return { daemon, browser: await puppeteer.launch({ browser: "firefox", executablePath, headless: true }) };
}

export const after = ({ daemon, browser }) => browser.close().then(() => daemon.stop());

async function newPage({ browser }) {
  const page = await (await browser.createBrowserContext()).newPage();
  page.complaints = [];
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  return page;
}

export const tests = {
  async "by the form"(scene) {
    const page = await newPage(scene);
    await page.goto(scene.daemon.url);
    page.complaints.length = 0; // The form is the answer to a request without a token.
    await page.type("input[name=token]", scene.daemon.token);
    await Promise.all([page.waitForNavigation(), page.click("button")]);
    await page.waitForSelector("nav a");
    assert.deepEqual(page.complaints, []);
  },

  async "by a link, and every page"(scene) {
    const page = await newPage(scene);
    await page.goto(scene.daemon.run("open", "--print").url);
    await page.waitForSelector("nav a");
    for (const [name, params] of Object.entries(PAGES)) {
      await page.evaluate((hash) => void (location.hash = hash), `#/${name}?${new URLSearchParams({ ...params, p: "tern" })}`);
      // The driver's own way of waiting makes functions from text, which the policy forbids.
      const isThere = (name) => document.querySelector("nav a[aria-current]")?.hash.startsWith(`#/${name}`) && document.querySelector("main h1") && !document.querySelector("[aria-busy]");
      await until(name, () => page.evaluate(isThere, name));
      assert.deepEqual(await page.$$eval(".failure", (found) => found.map((one) => one.textContent)), [], name);
    }
    await until("the live mark", () => page.evaluate(() => Boolean(document.querySelector(".live.on"))));
    assert.deepEqual(page.complaints, []);
  },
};
