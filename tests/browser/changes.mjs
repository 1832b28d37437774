// Changes beside those of memories: each is undone from its message, or asked for first because it cannot be.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Daemon, go, PROJECT, signedIn, texts, undo, until } from "./harness.mjs";
import { fill } from "./story.mjs";

export async function before(browser) {
  const provider = await batchService();
  // Facts are said with two names, and a batch service works on their vectors for as long as it likes.
  const daemon = await Daemon.start(null, {
    SCRUBJAY_EMBEDDING_PROVIDER: "openai", SCRUBJAY_EMBEDDING_URL: provider.url, SCRUBJAY_KEYS_OPENAI: "sk-not-real", SCRUBJAY_EMBEDDING_MODEL: "tiny",
    SCRUBJAY_EMBEDDING_BATCH: "true", SCRUBJAY_EMBEDDING_BATCH_ITEMS: "2", SCRUBJAY_EMBEDDING_QUERY_TIMEOUT_MS: "100",
    // A debug build on a busy machine takes longer than an agent would wait.
    SCRUBJAY_HOOKS_DEADLINE_MS: "20000",
  });
  await fill(daemon);
  for (const fact of ["ask @ada about the engine", "ask @lovelace about the notes"]) await daemon.remember(fact);
  return { browser, daemon, provider, page: await signedIn(browser, daemon) };
}

export async function after({ daemon, page, provider }) {
  await page.context().close();
  await daemon.stop();
  provider.server.close();
}

// Some vector that is another one for another text.
function vector(text) {
  const values = Array(16).fill(0.1);
  for (const [place, letter] of [...String(text)].entries()) values[(place * 7 + letter.charCodeAt(0)) % 16] += 1;
  return values;
}

// A provider of embeddings whose batches are never done.
async function batchService() {
  const told = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      const at = request.url.replace(/^\/v1/, "").split("?")[0];
      told.push(`${request.method} ${at}`);
      const batch = { id: "batch_1", status: "in_progress", metadata: {} };
      const answers = {
        "POST /embeddings": () => ({ model: "m", data: [JSON.parse(body).input].flat().map((text, index) => ({ index, embedding: vector(text) })), usage: { total_tokens: 1 } }),
        "POST /files": () => ({ id: "file_1" }), "POST /batches": () => batch, "GET /batches/batch_1": () => batch, "GET /batches": () => ({ data: [], has_more: false }),
      };
      const answer = answers[`${request.method} ${at}`];
      response.writeHead(answer ? 200 : 404, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer ? answer() : {}));
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, told, url: `http://127.0.0.1:${server.address().port}/v1` };
}

// So many that reading them takes a while.
const FILES = 1000;

const forgive = (page, status) => page.complaints.splice(0, page.complaints.length, ...page.complaints.filter((one) => !one.includes(String(status))));

export const tests = {
  async "two names are merged, and taken apart again"({ page, daemon }) {
    const names = async () => (await daemon.ask("entities", { limit: 100 })).entities.map((one) => one.name).sort();
    assert.ok((await names()).includes("lovelace"));
    await go(page, "entities", { name: "ada" });
    await page.fill("input[name=from]", "lovelace");
    await page.click("main button:text-is('Merge')");
    await until("merged", async () => !(await names()).includes("lovelace"));
    // What happens meanwhile is not what is undone.
    await daemon.remember("Somebody else says something else");
    await undo(page, "Merged lovelace into ada.");
    await until("apart", async () => (await names()).includes("lovelace") && (await names()).includes("ada"));
  },

  async "a conversation is ended, opened again, paused and resumed"({ page, daemon }) {
    const session = async () => (await daemon.ask("sessions", { session: "kickoff" })).sessions[0];
    await go(page, "sessions", { s: "kickoff" });
    if ((await session()).ended_at) await page.click("main button:text-is('Open it again')");
    await page.click("main button:text-is('End it')");
    await page.waitForSelector("h1 .badge:text-is('ended')");
    assert.ok((await session()).ended_at);
    await undo(page, "It has ended");
    await until("open", async () => !(await session()).ended_at);
    await page.click("main button:text-is('End it')");
    await page.click("main button:text-is('Open it again')");
    await until("open again", async () => !(await session()).ended_at);
    await undo(page, "It is open again.");
    await until("ended again", async () => Boolean((await session()).ended_at));
    await page.click("main button:text-is('Pause')");
    await page.waitForSelector("h1 .badge:text-is('paused')");
    const say = async () => (await daemon.ask("capture", { messages: [{ session_id: "kickoff", role: "user", content: `Said at ${Date.now()}` }] })).results[0].id ?? null;
    assert.equal(await say(), null);
    await undo(page, "Paused:");
    await page.waitForSelector("main button:text-is('Pause')");
    assert.ok(await say());
  },

  async "a folder is added, read with progress, stopped and read again, each undone"({ page, daemon }) {
    const folder = join(daemon.folder, "notes");
    mkdirSync(folder);
    for (let number = 0; number < FILES; number += 1) writeFileSync(join(folder, `note${number}.md`), `# Note ${number}\n\n${`The kingfisher number ${number} waits at the river. `.repeat(80)}\n`);
    writeFileSync(join(folder, "large.md"), "Too much to read. ".repeat(200_000));
    const path = realpathSync(folder);
    const read = async () => (await daemon.ask("sync.status")).sources.find((one) => one.path === path);
    const documents = async () => (await daemon.ask("sync.status")).documents.reduce((sum, one) => sum + one.documents, 0);
    await go(page, "sources");
    await page.fill("input[name=path]", folder);
    await page.selectOption("select[name=kind]", "notes");
    // Every figure that is shown while it goes on.
    await page.evaluate(() => {
      window.seen = [];
      new MutationObserver(() => {
        const shown = document.querySelector(".progress .bar-value")?.textContent;
        if (shown && window.seen.at(-1) !== shown) window.seen.push(shown);
      }).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
    });
    await page.click("main button:text-is('Add')");
    await page.waitForSelector(".sources h2:text-is('What happened')", { timeout: 60_000 });
    const seen = await page.evaluate(() => window.seen);
    assert.ok(seen.some((shown) => { const done = Number(shown.split(" / ")[0].replaceAll(",", "")); return done > 0 && done < FILES; }), `progress: ${JSON.stringify(seen)}`);
    await until("no progress any more", async () => (await page.$(".progress")) === null);
    assert.equal(await documents(), FILES);
    assert.ok((await texts(page, ".sources td")).some((cell) => cell.endsWith("large.md")), "what was skipped is named");
    // A small one is read at once, while the message about it can still be undone.
    const small = join(daemon.folder, "small");
    mkdirSync(small);
    writeFileSync(join(small, "one.md"), "# One\n\nThe kingfisher is alone here.\n");
    await page.fill("input[name=path]", small);
    await page.selectOption("select[name=kind]", "notes");
    await page.click("main button:text-is('Add')");
    await until("read", async () => (await documents()) === FILES + 1);
    await page.locator(".toast:has-text('Added.') button:has-text('Undo')").last().click();
    await until("not read", async () => (await documents()) === FILES);
    assert.ok(!(await daemon.ask("sync.status")).sources.some((one) => one.path.endsWith("/small")));
    // Adding it began a reading of all folders; what that still reads would be put back.
    await until("nothing is read", async () => ((await daemon.ask("sync.status")).running ?? []).length === 0);
    await page.click(`tr:has-text("${path}") button:text-is('Stop reading')`);
    await until("stopped", async () => !(await read()) && (await documents()) === 0);
    await undo(page, "It is not read any more.");
    await until("read again", async () => Boolean(await read()) && (await documents()) === FILES, 60_000);
    assert.deepEqual([(await read()).kind, (await read()).scope], ["notes", `project/${PROJECT}`]);
    // One that is gone cannot be added again, so it is asked for.
    execFileSync("mv", [folder, `${folder}-gone`]);
    await page.reload();
    await page.click(`tr:has-text("${path}") button:text-is('Stop reading')`);
    await page.click("dialog button:text-is('Cancel')");
    assert.ok(await read());
    await page.click(`tr:has-text("${path}") button:text-is('Stop reading')`);
    await page.click("dialog button:text-is('Stop reading')");
    await until("stopped", async () => !(await read()));
  },

  async "batches are shown, and a job is dropped only after a question"({ page, daemon, provider }) {
    await daemon.ask("jobs.run", { budget_ms: 20_000 });
    assert.ok(provider.told.includes("POST /batches"), provider.told.join());
    await go(page, "jobs");
    await page.waitForSelector(".batches td:has-text('with the provider')");
    const told = (await daemon.ask("jobs")).batches;
    assert.deepEqual((await texts(page, ".batches td:nth-child(2)")).map((cell) => Number(cell.replaceAll(",", ""))), told.map((one) => one.items));
    await daemon.ask("capture", { messages: [{ session_id: "later", role: "user", content: "Something that makes work for later, such as finding names" }] });
    // The daemon works off what is due; what waits longest is still there when it is asked about.
    const jobs = async () => (await daemon.ask("jobs", { state: "queued" })).jobs.sort((one, other) => other.run_after.localeCompare(one.run_after));
    const { id } = await until("a job that waits", async () => (await jobs()).find((job) => Date.parse(job.run_after) > Date.now() + 5_000));
    const isThere = async () => (await jobs()).some((job) => job.id === id);
    const drop = `tr:has(button[title="Copy ${id}"]) button:text-is('Drop')`;
    await page.waitForSelector(drop);
    await page.click(drop);
    await page.click("dialog button:text-is('Cancel')");
    assert.ok(await isThere());
    await page.click(drop);
    await page.waitForSelector("dialog:has-text('This cannot be undone')");
    await page.click("dialog button:text-is('Drop')");
    await page.waitForSelector(".toast:has-text('Dropped.')");
    await until("it is gone", async () => !(await isThere()));
  },

  async "a question is answered with yes and undone, and with no only after a question"({ page, daemon }) {
    const ask = async (content) => {
      const answer = await fetch(`${daemon.url}/v1/remember`, {
        method: "POST", body: JSON.stringify({ content, type: "preference", scope: "global" }),
        headers: { Authorization: `Bearer ${daemon.token}`, "Content-Type": "application/json", "Scrubjay-Project": PROJECT, "Scrubjay-Actor": "some-agent" },
      });
      assert.ok((await answer.json()).pending);
    };
    const kept = async () => (await daemon.ask("list", { type: "preference" })).memories.map((one) => one.content);
    const card = (content) => `.card:has-text("${content}")`;
    await ask("Answers in British English");
    await ask("Prefers tabs to spaces");
    await go(page, "review");
    await page.click(`${card("British English")} button:text-is('Yes')`);
    await until("kept", async () => (await kept()).includes("Answers in British English"));
    await undo(page, "Done.");
    await until("taken back", async () => !(await kept()).includes("Answers in British English"));
    await page.click(`${card("tabs to spaces")} button:text-is('No')`);
    await page.waitForSelector("dialog:has-text('This cannot be undone')");
    await page.click("dialog button:text-is('Cancel')");
    assert.ok(await page.$(card("tabs to spaces")));
    await page.click(`${card("tabs to spaces")} button:text-is('No')`);
    await page.click("dialog button:text-is('No')");
    await until("gone", async () => (await page.$(card("tabs to spaces"))) === null);
    assert.ok(!(await kept()).includes("Prefers tabs to spaces"));
  },

  async "two names that may be one are shown with what speaks for it, and answered by key"({ page, daemon }) {
    const said = ["Yesterday I met Caroline at the station.", "Caroline Herschel found eight comets.", "I asked Caroline whether Caroline Herschel is her aunt."];
    await daemon.ask("capture", { messages: said.map((content) => ({ session_id: "stars", role: "user", content })) });
    // The model that finds names reads them in the background.
    await until("the question", async () => (await daemon.ask("review")).confirmations.some((one) => one.merge?.from.name === "Caroline"), 60_000);
    await go(page, "review");
    const card = '.card:has-text("Are “Caroline” and “Caroline Herschel” the same?")';
    await page.waitForSelector(card);
    const [short, long] = await texts(page, `${card} .named`);
    assert.ok(short.includes("Yesterday I met Caroline") && !short.includes("comets"), short);
    assert.ok(long.includes("eight comets") && !long.includes("Yesterday"), long);
    assert.match(short, /\d+ mentions?/);
    assert.ok((await texts(page, `${card} > blockquote`)).some((quote) => quote.includes("is her aunt")));
    await page.click(`${card} .words >> nth=0`);
    await page.waitForSelector(`.card.current:has-text("the same?")`);
    await page.focus("main");
    const known = async () => (await daemon.ask("entity", { name: "Caroline" })).entity.name;
    assert.equal(await known(), "Caroline");
    await page.keyboard.press("y");
    await until("one", async () => (await known()) === "Caroline Herschel");
    await until("the card is gone", async () => (await page.$(card)) === null);
    await page.waitForSelector(".toast:has-text('Done.') button:has-text('Undo')");
    await page.keyboard.press("u");
    await until("two again", async () => (await known()) === "Caroline");
  },

  async "settings that tune are changed, undone and reset; others are for the terminal"({ page, daemon }) {
    const value = async (key) => (await daemon.ask("config.show", { key, origin: true })).settings[0];
    const field = (key) => `[id="setting-${key}"]`;
    await go(page, "settings");
    await page.waitForSelector(field("inject.min_score"));
    const standing = (await value("inject.min_score")).value;
    await page.fill(field("inject.min_score"), "0.61");
    await page.keyboard.press("Enter");
    await until("changed", async () => (await value("inject.min_score")).value === "0.61");
    assert.match(readFileSync(join(daemon.environment.SCRUBJAY_HOME, "config.toml"), "utf8"), /min_score = 0.61/);
    await undo(page, "inject.min_score = 0.61");
    await until("as before", async () => (await value("inject.min_score")).origin === "default");
    // A switch, a word and a list of words.
    await page.uncheck(field("hooks.inject"));
    await until("off", async () => (await value("hooks.inject")).value === "false");
    await page.click("[data-key='hooks.inject'] button:text-is('Reset')");
    await until("on", async () => (await value("hooks.inject")).value === "true");
    await undo(page, "hooks.inject is true again");
    await until("off again", async () => (await value("hooks.inject")).value === "false");
    await page.click("[data-key='hooks.inject'] button:text-is('Reset')");
    await page.selectOption(field("query.rerank"), "off");
    await until("the word", async () => (await value("query.rerank")).value === '"off"');
    await page.uncheck("[data-key='inject.sources'] .check:has-text('memory') input");
    await until("the words", async () => (await value("inject.sources")).value === '["facts", "sessions"]');
    // What is wrong is refused, and the field shows what holds.
    await page.fill(field("inject.min_score"), "7");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".toast.bad:has-text('inject.min_score')");
    await until("the old value", async () => (await page.inputValue(field("inject.min_score"))) === standing);
    forgive(page, 400);
    for (const key of ["store.path", "capture.redact", "chat.provider", "keys.openai", "daemon.port", "embedding.batch"]) {
      assert.equal(await page.$(`[data-key='${key}'] input, [data-key='${key}'] select`), null, key);
      assert.ok(await page.$(`[data-key='${key}'] .shell`), key);
    }
    for (const key of ["query.rerank", "inject.sources"]) await page.click(`[data-key='${key}'] button:text-is('Reset')`);
    await until("all as by default", async () => (await value("inject.sources")).origin === "default" && (await value("query.rerank")).origin === "default");
  },

  async "the context lab shows what a client's hook hands over"({ page, daemon }) {
    const prompt = "Which port does staging run on?";
    await daemon.ask("capture", { messages: [{ session_id: "elsewhere", role: "user", content: "The staging server runs on port 5433 since the move." }] });
    await go(page, "context", { q: prompt });
    await page.selectOption(".field:has-text('Client') select", "codex");
    await page.waitForSelector(".client h2:has-text('Handed to Codex')");
    const bare = (text) => text.replaceAll(/nonce=\\?"[0-9a-f]+\\?"/g, "");
    const shown = async (kind) => bare((await texts(page, `.client .${kind}`))[0] ?? "");
    const hook = (event, more = {}) => bare(daemon.text(["hook", "codex", event], JSON.stringify({ session_id: "from-codex", cwd: daemon.folder, ...more })).trim());
    const [output, beginning] = [await shown("output"), await shown("beginning")];
    assert.equal(JSON.parse(hook("SessionStart")).hookSpecificOutput.additionalContext, beginning);
    assert.equal(hook("UserPromptSubmit", { prompt }), output.trim());
    assert.ok(output.includes("5433"), output);
    await page.selectOption(".field:has-text('Client') select", "cursor");
    await page.waitForSelector(".client .notice:has-text('takes no text before a turn')");
  },

  async "a daemon that stops is told, and one that comes back asks to sign in"({ browser }) {
    const daemon = await Daemon.start();
    await daemon.remember("Grace owns the invoices");
    const page = await signedIn(browser, daemon);
    await page.waitForSelector(".live.on");
    const port = new URL(daemon.url).port;
    await daemon.halt();
    await page.waitForSelector(".silent:has-text('The daemon does not answer')");
    await go(page, "memories");
    await page.waitForSelector(".failure:has-text('The daemon does not answer')");
    await daemon.begin(port);
    await page.waitForSelector(".signed-out", { timeout: 30_000 });
    await page.context().close();
    await daemon.stop();
  },

  async "two daemons of one host have a cookie each"({ browser, daemon, page }) {
    const other = await Daemon.start();
    const second = await page.context().newPage();
    await second.goto(other.run("open", "--print").url);
    await second.waitForSelector("nav a[aria-current]");
    await page.reload();
    await page.waitForSelector("nav a[aria-current]");
    await second.reload();
    await second.waitForSelector("nav a[aria-current]");
    // Signing out of one leaves the other alone.
    await second.click("button:has-text('Sign out')");
    await second.waitForSelector("input[name=token]");
    await page.reload();
    await page.waitForSelector("nav a[aria-current]");
    await second.close();
    await other.stop();
  },

  async "nothing was complained of"({ page }) {
    assert.deepEqual(page.complaints, []);
  },
};
