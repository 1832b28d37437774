// What the page weighs, how soon it shows something, and how it pages through very many memories.
import assert from "node:assert/strict";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Daemon, go, options, PROJECT, signedIn, texts, until } from "./harness.mjs";

const LIMIT_BYTES = 200_000;
const WORDS = "cache queue index proxy ledger parser build deploy token schema router worker socket vector budget review session digest entity memory".split(" ");

// In pieces, because a million lines are more than one string should hold.
function* lines(count, at = Date.now()) {
  const word = (number) => WORDS[number % WORDS.length];
  const names = (number) => (number % 5 ? "" : ` of #team${number % 2003} in src/part${number % 4999}.rs`);
  const line = (number) => JSON.stringify({ session_id: `s${number % 997}`, role: number % 2 ? "user" : "assistant", content: `Note ${number}: the ${word(number)} of the ${word(number * 7 + 3)} waits for the ${word(number * 13 + 5)}${names(number)} number ${number % 1013}.`, time: new Date(at - (count - number) * 60_000).toISOString() });
  for (let from = 0; from < count; from += 10_000) {
    yield Array.from({ length: Math.min(10_000, count - from) }, (_, offset) => `${line(from + offset)}\n`).join("");
  }
}

/** Fills a store by `capture`, as a client does that has much to say: one line each, all on standard input. */
function fill(daemon, count) {
  const path = join(daemon.folder, "lines.jsonl");
  const file = openSync(path, "w+");
  for (const piece of lines(count)) writeSync(file, piece);
  closeSync(file);
  const started = Date.now();
  daemon.read(["capture", "--quiet"], path);
  const captured = Date.now();
  // The first question after so much waits for the index, which the daemon would make between its jobs.
  daemon.run("remember", "The violet lighthouse is repaired in spring");
  daemon.run("recall", "violet lighthouse");
  rmSync(path);
  return { capture: captured - started, index: Date.now() - captured };
}

async function measured(browser, count) {
  let took = null;
  const daemon = await Daemon.start((daemon) => (took = fill(daemon, count)));
  const page = await signedIn(browser, daemon);
  return { daemon, page, took };
}

export async function before(browser) {
  return { browser, sizes: options.includes("--long") ? [1000, 100_000, 1_000_000] : [1000], rows: [] };
}

export async function after({ rows }) {
  for (const row of rows) console.log(`     ${row}`);
}

export const tests = {
  async "the first page is light"({ browser, rows }) {
    const daemon = await Daemon.start();
    await daemon.remember("Grace owns the invoices");
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    let bytes = 0;
    session.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
    await page.goto(daemon.run("open", "--print").url);
    await page.waitForSelector(".tile");
    await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
    await page.waitForTimeout(500);
    rows.push(`first page: ${bytes} bytes over the wire`);
    assert.ok(bytes > 20_000 && bytes < LIMIT_BYTES, `${bytes} bytes`);
    bytes = 0;
    await page.reload();
    await page.waitForSelector(".tile");
    await page.waitForTimeout(500);
    rows.push(`again: ${bytes} bytes`);
    assert.ok(bytes < 60_000, `${bytes} bytes the second time`);
    await context.close();
    await daemon.stop();
  },

  async "long lists are paged by cursor and drawn in part"({ browser, sizes, rows }) {
    for (const count of sizes) {
      const { daemon, page, took } = await measured(browser, count);
      try {
        rows.push(`${count} memories: captured in ${took.capture} ms, ${Math.round((1000 * count) / took.capture)} a second; first remembered and found ${took.index} ms after that`);
        // Everything that Home shows, from a page that shows nothing of it yet.
        await go(page, "settings");
        await page.waitForSelector(".setting");
        const home = Date.now();
        await go(page, "");
        await page.waitForSelector(".tile");
        const tiles = Date.now() - home;
        await page.waitForSelector(".chart canvas");
        await page.waitForSelector("h2:has-text('The last seven days')");
        rows.push(`${count} memories: Home's tiles after ${tiles} ms, all of it after ${Date.now() - home} ms`);
        // Facts are drawn in the background meanwhile.
        assert.equal((await texts(page, ".tile b"))[1], count.toLocaleString("en"));
        const started = Date.now();
        await go(page, "memories");
        await page.waitForSelector(".row-text");
        const list = Date.now() - started;
        await go(page, "search");
        await page.waitForSelector("#query");
        const asked = Date.now();
        await page.fill("#query", "violet lighthouse");
        await page.waitForSelector(".hit:has-text('violet lighthouse')");
        const search = Date.now() - asked;
        rows.push(`${count} memories: list after ${list} ms, search answered after ${search} ms (150 ms of it waiting for more typing)`);
        // Down to a row far below the first page, then back.
        await go(page, "memories", { kind: "episode" });
        await page.waitForSelector(".row-text");
        const wanted = Math.min(count, 3000) - 1;
        const target = `Note ${count - 1 - wanted}:`;
        const scrolled = Date.now();
        await until(target, async () => {
          await page.$eval(".rows", (box) => (box.scrollTop = box.scrollHeight));
          const drawn = await texts(page, ".row-text");
          assert.ok(drawn.length < 80, `${drawn.length} rows are drawn`);
          return Number(/Note (\d+):/.exec(drawn.at(-1))?.[1]) <= count - 1 - wanted;
        }, 60_000);
        rows.push(`${count} memories: ${wanted + 1} rows further down after ${Date.now() - scrolled} ms`);
        await page.$eval(".rows", (box) => (box.scrollTop = 0));
        await until("the first row", async () => (await texts(page, ".row-text"))[0].startsWith(`Note ${count - 1}:`));
        assert.deepEqual(page.complaints, []);
      } finally {
        await page.context().close();
        await daemon.stop();
      }
    }
  },
};
