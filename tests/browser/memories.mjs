// The list of memories and what can be done there: filter, sort, edit, bulk, undo, history, live, as of.
import assert from "node:assert/strict";
import { Daemon, go, PROJECT, signedIn, texts, undo, until } from "./harness.mjs";

export async function before(browser) {
  const daemon = await Daemon.start();
  const ids = {};
  ids.pnpm = await daemon.remember("We use pnpm, never npm", { type: "convention", tags: ["tooling"] });
  ids.redis = await daemon.remember("The cache is Redis and fails open", { type: "decision", importance: 5 });
  ids.grace = await daemon.remember("Grace owns the invoices", { type: "general" });
  await daemon.ask("capture", { messages: [{ session_id: "monday", role: "user", content: "Good morning, what is left to do on the cache?" }] });
  const page = await signedIn(browser, daemon);
  return { browser, daemon, page, ids };
}

export const after = ({ daemon, page }) => page.context().close().then(() => daemon.stop());

const rows = (page) => texts(page, ".row-text");
const hasRows = (page, wanted) => until(`rows ${wanted}`, async () => JSON.stringify((await rows(page)).sort()) === JSON.stringify([...wanted].sort()));
const PNPM = "We use pnpm, never npm";
const REDIS = "The cache is Redis and fails open";
const GRACE = "Grace owns the invoices";
const MORNING = "Good morning, what is left to do on the cache?";

export const tests = {
  async "lists, filters and sorts, and the address keeps it"({ page }) {
    await go(page, "memories");
    await hasRows(page, [PNPM, REDIS, GRACE, MORNING]);
    await page.selectOption(".filters label:has-text('Kind') select", "fact");
    await hasRows(page, [PNPM, REDIS, GRACE]);
    assert.match(await page.evaluate("location.hash"), /kind=fact/);
    await page.selectOption(".filters label:has-text('Order') select", "importance");
    await until("the order", async () => (await rows(page))[0] === REDIS);
    await page.reload();
    await until("the same after a reload", async () => (await rows(page))[0] === REDIS);
    await page.click("button:has-text('Filters')");
    await page.fill(".more-filters label:has-text('Tags') input", "tooling");
    await page.keyboard.press("Enter");
    await hasRows(page, [PNPM]);
    await page.click("button:has-text('Clear')");
    await hasRows(page, [PNPM, REDIS, GRACE, MORNING]);
  },

  async "any other field is a filter and an order, too"({ page }) {
    await go(page, "memories", { kind: "fact", order_by: "-type" });
    await until("the order of convention, decision, general", async () => JSON.stringify(await rows(page)) === JSON.stringify([PNPM, REDIS, GRACE]));
    if (!(await page.$(".more-filters"))) await page.click("button:has-text('Filters')");
    await page.selectOption(".filters label:has-text('Another field') select", "content");
    await page.fill(".filters label:has-text('Value') input", REDIS);
    await page.keyboard.press("Enter");
    await hasRows(page, [REDIS]);
    await page.selectOption(".filters label:has-text('Comparison') select", "$ne");
    await hasRows(page, [PNPM, GRACE]);
    await page.selectOption(".filters label:has-text('Another field') select", "version");
    await page.selectOption(".filters label:has-text('Comparison') select", "$lte");
    await page.fill(".filters label:has-text('Value') input", "1");
    await page.keyboard.press("Enter");
    await hasRows(page, [PNPM, REDIS, GRACE]);
    await page.reload();
    await hasRows(page, [PNPM, REDIS, GRACE]);
    await page.click("button:has-text('Clear')");
    await hasRows(page, [PNPM, REDIS, GRACE, MORNING]);
  },

  async "an edit shows at once, has a difference in its history, and is undone"({ page, daemon, ids }) {
    await go(page, "memories", { m: ids.grace });
    await page.click(".panel .edit-button");
    await page.fill(".panel textarea", "Ada owns the invoices");
    await page.click(".panel button:has-text('Save')");
    await until("the new text", async () => (await rows(page)).includes("Ada owns the invoices"));
    await page.waitForSelector(".history del:has-text('Grace')");
    assert.deepEqual(await texts(page, ".history ins"), ["Ada"]);
    await undo(page, "Changed.");
    await until("the old text", async () => (await daemon.ask("show", { id: ids.grace })).content === GRACE);
    await hasRows(page, [PNPM, REDIS, GRACE, MORNING]);
  },

  async "an edit that comes too late is taken back"({ page, daemon, ids }) {
    await go(page, "memories", { m: ids.grace });
    await page.click(".panel .edit-button");
    await page.fill(".panel textarea", "Nobody owns the invoices");
    await page.route("**/v1/edit", async (route) => {
      await daemon.ask("edit", { id: ids.grace, importance: 4 });
      await route.continue();
    });
    await page.click(".panel button:has-text('Save')");
    await page.waitForSelector(".toast.bad");
    await page.unroute("**/v1/edit");
    await until("the text as it is", async () => (await texts(page, ".panel .words"))[0] === GRACE);
    page.complaints.length = 0; // The refusal is logged by the browser.
  },

  async "many at once: tag, confirm, forget, restore, each undone"({ page, daemon, ids }) {
    await go(page, "memories", { kind: "fact" });
    await hasRows(page, [PNPM, REDIS, GRACE]);
    const choose = async () => {
      for (const id of [ids.pnpm, ids.grace]) await page.check(`.row[data-id="${id}"] input`);
    };
    const of = async (field) => Promise.all([ids.pnpm, ids.grace].map(async (id) => (await daemon.ask("show", { id }))[field]));
    await choose();
    page.once("dialog", (dialog) => dialog.accept("checked"));
    await page.click(".bulk button:has-text('Tag')");
    await until("tags", async () => (await of("tags")).every((tags) => tags.includes("checked")));
    await undo(page, "Tagged 2 memories");
    await until("no tags", async () => (await of("tags")).every((tags) => !tags.includes("checked")));
    await choose();
    await page.click(".bulk button:has-text('Confirm')");
    await until("confirmed", async () => (await of("decay_rate")).every((rate) => rate === 0));
    await choose();
    await page.click(".bulk button:has-text('Forget')");
    await hasRows(page, [REDIS]);
    await page.keyboard.press("u");
    await hasRows(page, [PNPM, REDIS, GRACE]);
    await choose();
    await page.click(".bulk button:has-text('Forget')");
    await hasRows(page, [REDIS]);
    await go(page, "memories", { kind: "fact", state: "ended" });
    await hasRows(page, [PNPM, GRACE]);
    await choose();
    await page.click(".bulk button:has-text('Restore')");
    await until("restored", async () => (await of("ended_by")).every((by) => by === null));
  },

  async "feedback on a memory, undone"({ page, daemon, ids }) {
    await go(page, "memories", { m: ids.redis });
    await page.click(".panel button:has-text('Never show this again')");
    await until("never", async () => (await daemon.ask("show", { id: ids.redis })).attributes.injection === "never");
    await undo(page, "not handed to agents");
    await until("as before", async () => !(await daemon.ask("show", { id: ids.redis })).attributes.injection);
  },

  async "keys: move, open, choose, forget, undo, close, go"({ page }) {
    await go(page, "memories", { kind: "fact" });
    await hasRows(page, [PNPM, REDIS, GRACE]);
    await page.focus("main");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".panel .words");
    const second = (await rows(page))[1];
    assert.deepEqual(await texts(page, ".panel .content .words"), [second]);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".panel", { state: "detached" });
    await page.keyboard.press("f");
    await until("one less", async () => !(await rows(page)).includes(second));
    await page.keyboard.press("u");
    await until("back again", async () => (await rows(page)).includes(second));
    await page.keyboard.press("g");
    await page.keyboard.press("e");
    await page.waitForSelector("nav a[aria-current]:has-text('Entities')");
    await page.keyboard.press("/");
    await page.waitForSelector("#query:focus");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { state: "detached" });
  },

  async "what another client writes appears by itself"({ page, daemon }) {
    await go(page, "memories", { kind: "fact" });
    await hasRows(page, [PNPM, REDIS, GRACE]);
    await page.waitForSelector(".live.on");
    // What was there is not drawn anew, and nothing else stands in its place meanwhile.
    await page.evaluate(() => {
      for (const row of document.querySelectorAll(".row")) row.wasThere = true;
      window.flickered = false;
      new MutationObserver(() => (window.flickered ||= document.querySelectorAll(".row").length < 3 || document.querySelector("main [aria-busy]") !== null)).observe(document.querySelector("main"), { childList: true, subtree: true });
    });
    const id = await daemon.remember("The staging database listens on 5433");
    await until("the new row", async () => (await rows(page))[0] === "The staging database listens on 5433");
    assert.deepEqual(await page.$$eval(".row", (rows) => rows.filter((row) => !row.wasThere).map((row) => row.dataset.id)), [id]);
    await daemon.ask("forget", { ids: [id] });
    await hasRows(page, [PNPM, REDIS, GRACE]);
    assert.equal(await page.evaluate(() => window.flickered), false);
  },

  async "memories are moved to another project, and back"({ page, daemon, ids }) {
    await go(page, "memories", { kind: "fact" });
    await hasRows(page, [PNPM, REDIS, GRACE]);
    await page.check(`.row[data-id="${ids.redis}"] input`);
    page.once("dialog", (dialog) => dialog.accept("heron"));
    await page.click(".bulk button:has-text('Move')");
    await hasRows(page, [PNPM, GRACE]);
    assert.equal((await daemon.ask("show", { id: ids.redis }, "heron")).scope, "project/heron");
    await undo(page, "Moved 1 memory to heron");
    await hasRows(page, [PNPM, REDIS, GRACE]);
    assert.equal((await daemon.ask("show", { id: ids.redis })).scope, "project/tern");
  },

  async "looking at memories here is no use of them"({ page, daemon, ids }) {
    const uses = async () => (await daemon.ask("list", { limit: 100 })).memories.map((memory) => memory.access_count);
    const before = await uses();
    await go(page, "memories", { m: ids.redis });
    await page.waitForSelector(".panel .history li");
    await go(page, "search", { q: "cache" });
    await page.waitForSelector(".hit");
    await go(page, "context", { q: "what about the cache?", s: "monday" });
    await page.waitForSelector(".side h2");
    assert.deepEqual(await uses(), before);
    assert.deepEqual((await daemon.ask("receipts")).receipts, []);
  },

  async "as of a day before, nothing was known"({ page }) {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await go(page, "memories", { as_of: yesterday });
    await page.waitForSelector(".empty");
    assert.deepEqual(await texts(page, ".as-of b"), [yesterday]);
    await page.focus(".as-of input");
    await page.keyboard.press("End");
    await hasRows(page, [PNPM, REDIS, GRACE, MORNING]);
    await page.keyboard.press("Home");
    await page.waitForSelector(".empty");
    await page.click("button:has-text('Clear')");
    await hasRows(page, [PNPM, REDIS, GRACE, MORNING]);
    await page.reload(); // An address without it shows what is known now.
    await hasRows(page, [PNPM, REDIS, GRACE, MORNING]);
  },

  async "search as of a day before finds nothing, and then what is known now"({ page }) {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await go(page, "search", { q: "who owns the invoices", as_of: yesterday });
    await page.waitForSelector(".empty");
    await page.focus(".as-of input");
    await page.keyboard.press("End");
    await page.waitForSelector(`.hit:has-text("${GRACE}")`);
  },

  async "nothing was complained of"({ page }) {
    assert.deepEqual(page.complaints, []);
  },
};
