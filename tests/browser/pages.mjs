// The other pages, with the demo's conversations, light and dark, wide and narrow.
import assert from "node:assert/strict";
import { axeSource, Daemon, go, PROJECT, signedIn, texts, undo, until } from "./harness.mjs";
import { fill } from "./story.mjs";

export async function before(browser) {
  const daemon = await Daemon.start();
  await fill(daemon);
  return { browser, daemon, page: await signedIn(browser, daemon) };
}

export const after = ({ daemon, page }) => page.context().close().then(() => daemon.stop());

export const PAGES = {
  "": {}, memories: {}, search: { q: "when is the release" }, review: {}, receipts: {}, context: { q: "when is the release of Tern?", client: "claude-code" }, sessions: {}, entities: { name: "release" }, projects: {}, sources: {}, jobs: {}, settings: {},
};

const quiet = (page) => page.waitForFunction(() => document.querySelector("main h1") && !document.querySelector("[aria-busy]"));

export const tests = {
  async "home tells what was learned, what changed and what waits"({ page, daemon }) {
    await go(page, "");
    await page.waitForSelector(".tile");
    const stats = await daemon.ask("stats");
    await until("the facts", async () => (await texts(page, ".tile b"))[0] === String(stats.by_kind.fact));
    await page.waitForSelector(".chart canvas");
    await page.waitForSelector("h2:has-text('Learned today')");
    await page.click("main .memory-link");
    await page.waitForSelector(".panel .history li");
    await page.keyboard.press("Escape");
  },

  async "search as one types, with its explanation"({ page, daemon }) {
    await go(page, "search");
    await page.fill("#query", "");
    await page.type("#query", "when is the release of Tern", { delay: 15 });
    const expected = (await daemon.ask("recall", { query: "when is the release of Tern", limit: 20 })).hits.map((hit) => hit.id);
    await until("the hits", async () => JSON.stringify(await page.$$eval(".hits:not(.near) .hit", (hits) => hits.map((hit) => hit.dataset.id))) === JSON.stringify(expected));
    await page.click(".hit button:has-text('Why?')");
    assert.ok((await texts(page, ".explanation .bar-name")).includes("words"));
    await page.fill("#query", "favourite pizza topping");
    await page.waitForSelector(".empty:has-text('Nothing is relevant enough')");
    await page.click("summary:has-text('Why not this one?')");
    await page.fill(".why-not input", "staging port");
    await page.click(".why-not .pick:has-text('Staging runs on port 5433')");
    await page.waitForSelector(".why-not b");
    assert.match((await texts(page, ".why-not b"))[0], /relevant enough|leads to it/);
  },

  async "review by keys: reject, undo, edit, keep"({ page, daemon }) {
    await go(page, "review");
    // Questions may stand before the facts.
    const fact = ".card[data-id^='fact_']";
    await page.click(`${fact} .row-meta`);
    await page.waitForSelector(`${fact}.current`);
    const ids = () => page.$$eval(fact, (cards) => cards.map((card) => card.dataset.id));
    const [first] = await ids();
    await page.focus("main");
    await page.keyboard.press("n");
    await until("rejected", async () => (await daemon.ask("show", { id: first })).ended_by !== null);
    await page.waitForSelector(".toast:has-text('Rejected.') button:has-text('Undo')");
    await page.keyboard.press("u");
    await until("back", async () => (await ids()).includes(first));
    await page.click(`.card[data-id="${first}"] .row-meta`);
    await page.focus("main");
    await page.keyboard.press("e");
    await page.fill(".card textarea", "Rounding uses integers since floats were off by a cent");
    await page.keyboard.press("Control+Enter");
    await until("edited and kept", async () => (await daemon.ask("review", {})).items.every((item) => item.id !== first));
    await undo(page, "Changed.");
    await until("to be looked at again", async () => (await ids()).includes(first));
    await page.click(`.card[data-id="${first}"] .row-meta`);
    await page.focus("main");
    await page.keyboard.press("y");
    await until("kept", async () => (await daemon.ask("review", {})).items.every((item) => item.id !== first));
  },

  async "the context lab shows what inject gives"({ page, daemon }) {
    await go(page, "context");
    await page.fill("#prompt", "when is the release of Tern?");
    await page.waitForSelector(".block");
    const block = (await texts(page, ".block"))[0];
    const given = (await daemon.ask("inject", { text: "when is the release of Tern?" })).text;
    const bare = (text) => text.replaceAll(/nonce="\d+"/g, "");
    assert.equal(bare(block), bare(given));
    await page.check(".check input");
    await page.waitForSelector(".side:nth-child(2) .block");
    await page.fill(".side:nth-child(2) input[type=number]", "1");
    await page.keyboard.press("Tab");
    await until("another limit", () => page.evaluate(() => location.hash.includes("limit_b=1")));
  },

  async "receipts tell what was handed over, and take feedback"({ page, daemon }) {
    await go(page, "receipts");
    await page.waitForSelector(".receipt");
    const id = (await daemon.ask("receipts", { limit: 1 })).receipts[0].items[0].id;
    await page.click(".receipt button:has-text('Always show this here')");
    await until("always", async () => (await daemon.ask("show", { id })).attributes.injection === "always");
    await undo(page, "handed to agents whenever");
    await until("as before", async () => !(await daemon.ask("show", { id })).attributes.injection);
  },

  async "a conversation has the facts beside its turns, and a fact leads to its turn"({ page, daemon }) {
    await go(page, "sessions");
    await page.click("main td a:has-text('standup')");
    await page.waitForSelector(".turn .fact");
    await page.click(".drawn .memory-link");
    await page.waitForSelector(".panel blockquote");
    await page.click(".panel a:has-text('in standup')");
    await page.waitForSelector(".turn.current");
    const before = (await daemon.ask("stats")).ended;
    await page.click("button:has-text('Forget all of it')");
    await until("forgotten", async () => (await daemon.ask("stats")).ended > before);
    await undo(page, "Forgot");
    await until("there again", async () => (await daemon.ask("stats")).ended === before);
  },

  async "entities: a profile and a graph that grows"({ page }) {
    await go(page, "entities");
    await page.click(".entity-list td a:has-text('release')");
    await page.waitForSelector(".profile h2:has-text('release')");
    await until("a graph", async () => !(await texts(page, "figcaption"))[0].startsWith("0 "));
  },

  async "settings can be looked for"({ page }) {
    await go(page, "settings", { find: "min_score" });
    await until("those alone", async () => {
      const shown = await texts(page, ".setting-about");
      return shown.length > 0 && shown.every((about) => about.includes("min_score"));
    });
  },

  async "every page is accessible, light and dark"({ page }) {
    for (const theme of ["light", "dark"]) {
      await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), theme);
      for (const [name, params] of Object.entries(PAGES)) {
        await go(page, name, params);
        await quiet(page);
        const found = await check(page);
        assert.deepEqual(found, [], `${name} (${theme}): ${JSON.stringify(found, null, 1)}`);
      }
      await go(page, "memories");
      await page.click(".row-text");
      await page.waitForSelector(".panel .history li");
      assert.deepEqual(await check(page), [], `a memory (${theme})`);
      await page.keyboard.press("Escape");
    }
  },

  async "every page fits a phone"({ browser, daemon }) {
    const page = await signedIn(browser, daemon, { viewport: { width: 360, height: 740 } });
    for (const [name, params] of Object.entries(PAGES)) {
      await go(page, name, params);
      await quiet(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `${name} is ${wide} wide`);
      const main = await page.evaluate(() => document.querySelector("main").scrollWidth);
      assert.ok(main <= 360, `the contents of ${name} are ${main} wide`);
      // A cell that is squeezed breaks its words letter by letter.
      const squeezed = await page.$$eval("main td", (cells) => cells.filter((cell) => cell.textContent.trim().length > 12 && cell.getBoundingClientRect().width < 60).map((cell) => cell.textContent));
      assert.deepEqual(squeezed, [], name);
      const current = await page.$eval("nav a[aria-current]", (link) => link.getBoundingClientRect());
      assert.ok(current.left >= 0 && current.right <= 361, `the way to ${name} is out of sight`);
    }
    await go(page, "memories");
    await page.click(".row-text");
    await page.waitForSelector(".panel .words");
    assert.ok((await page.$eval(".panel", (panel) => panel.getBoundingClientRect().width)) >= 350);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  },

  async "the system's dark colours are followed, and a choice is kept"({ browser, daemon }) {
    const page = await signedIn(browser, daemon, { colorScheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), "rgb(19, 23, 27)");
    await page.click("button[aria-label^='Colours']");
    assert.equal(await ground(), "rgb(252, 251, 249)");
    await page.reload();
    await page.waitForSelector("nav");
    assert.equal(await ground(), "rgb(252, 251, 249)");
    await page.context().close();
  },

  async "nothing was complained of"({ page }) {
    assert.deepEqual(page.complaints, []);
  },
};

// What axe-core finds that is serious.
async function check(page) {
  // It is brought in by the driver, past the page's policy.
  if (!(await page.evaluate("Boolean(window.axe)"))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((one) => ["serious", "critical"].includes(one.impact)).map((one) => ({ id: one.id, where: one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`) }));
}
