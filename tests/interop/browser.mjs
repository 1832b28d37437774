// Signs in to the daemon's pages with a real browser, listens to events, and sees that a token which was revoked or
// replaced ends all of it at once, and that pages of other ports get nothing although the browser sends them along
// with the cookie.
//
// usage: node browser.mjs PLAYWRIGHT_FOLDER PROGRAM BROWSER
// PLAYWRIGHT_FOLDER is where npm put `playwright-core`; PROGRAM is the scrubjay binary; BROWSER is a Chromium.
// Everything happens in a temporary home; a failure is an exception.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const [folder, binary, browserPath] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(folder, "package.json"))("playwright-core");

const home = mkdtempSync(join(tmpdir(), "scrubjay-browser-"));
const environment = {
  PATH: process.env.PATH, HOME: home, SCRUBJAY_HOME: join(home, "store"), SCRUBJAY_PROJECT: "app",
  SCRUBJAY_DAEMON_AUTOSTART: "false", SCRUBJAY_EMBEDDING_PROVIDER: "none",
};
const scrubjay = (...words) => JSON.parse(execFileSync(binary, [...words, "--json"], { env: environment }));

const daemon = spawn(binary, ["serve", "--port", "0", "--json"], { env: environment, stdio: ["ignore", "pipe", "ignore"] });
const elsewhere = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<title>elsewhere</title>"));
let browser;
try {
  const line = await new Promise((done) => createInterface({ input: daemon.stdout }).once("line", done));
  const told = JSON.parse(line);
  const url = told.url.replace("127.0.0.1", "localhost");
  const tokenFile = told.token_file;
  const owner = readFileSync(tokenFile, "utf8").trim();
  const asOwner = (path, body) =>
    fetch(url + path, {
      method: "POST", body: JSON.stringify(body),
      headers: { Authorization: `Bearer ${owner}`, "Content-Type": "application/json", "Scrubjay-Project": "app" },
    }).then((answer) => answer.json());

  // A sandbox of its own needs rights that root in a container does not have.
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: browserPath, args });

  // A page in a browser of its own, signed in with a token.
  const complaints = [];
  async function signIn(token) {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    const first = await page.goto(url);
    assert.equal(first.status(), 401);
    assert.equal(await page.title(), "Scrubjay");
    // The first answer and the wrong token are meant to be refused.
    await page.fill("input[name=token]", "not-the-token");
    await page.click("button");
    await page.waitForSelector("input[name=token]");
    complaints.length = 0;
    await page.fill("input[name=token]", token);
    await page.click("button");
    await page.waitForURL(`${url}/`);
    await page.goto(`${url}/docs`);
    return { context, page };
  }
  const ask = (page, path, body) =>
    page.evaluate(async ([path, body]) => {
      const init = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
      return (await fetch(path, init)).status;
    }, [path, body]);
  // Keeps what an event stream tells in the page.
  const listen = (page) =>
    page.evaluate(() => new Promise((done, failed) => {
      window.told = [];
      window.stream = new EventSource("/v1/events");
      window.stream.addEventListener("changed", (event) => window.told.push(event.data));
      window.stream.onopen = () => done();
      window.stream.onerror = () => {
        window.lostAt ??= Date.now();
        if (window.stream.readyState === EventSource.CLOSED) failed(new Error("closed"));
      };
    }));
  const until = async (what, holds) => {
    for (const end = Date.now() + 20_000; !(await holds()); ) {
      assert.ok(Date.now() < end, `${what} did not happen`);
      await new Promise((done) => setTimeout(done, 20));
    }
  };

  // The owner signs in; the pages work without a complaint of the browser.
  const mine = await signIn(owner);
  const [cookie] = await mine.context.cookies();
  assert.ok(cookie.httpOnly && cookie.sameSite === "Strict", JSON.stringify(cookie));
  assert.equal(await mine.page.evaluate("document.cookie"), "");
  await mine.page.waitForSelector("details");
  assert.ok((await mine.page.$$("details")).length > 30);
  await mine.page.fill("#project", "app");
  await mine.page.click('summary:has-text("POST /v1/stats")');
  await mine.page.click('details:has(summary:has-text("POST /v1/stats")) button');
  await mine.page.waitForSelector('pre:has-text("200")');
  assert.deepEqual(complaints, []);
  console.log("the owner signs in, and the page works");

  // A token of one project signs in elsewhere, and hears what happens there.
  const { token } = scrubjay("token", "create", "lodger", "--project", "app", "--read");
  const lodger = await signIn(token);
  await listen(lodger.page);
  const heard = await asOwner("/v1/remember", { content: "Ada owns billing" });
  await until("an event", () => lodger.page.evaluate((id) => window.told.some((data) => data.includes(id)), heard.id));
  assert.equal(await ask(lodger.page, "/v1/recall", { query: "billing" }), 200);
  assert.equal(await ask(lodger.page, "/v1/remember", { content: "not allowed" }), 403);
  console.log("a token for looking signs in, hears events and cannot write");

  // Revoking ends the session, the page and the stream.
  const revokedAt = Date.now();
  scrubjay("token", "revoke", "lodger");
  assert.equal(await ask(lodger.page, "/v1/recall", { query: "billing" }), 401);
  const unheard = await asOwner("/v1/remember", { content: "Brook owns shipping" });
  // The browser comes back for it after some seconds, is turned away, and gives up.
  await until("the end of the stream", () => lodger.page.evaluate("window.stream.readyState === EventSource.CLOSED"));
  const endedAfter = (await lodger.page.evaluate("window.lostAt")) - revokedAt;
  assert.ok(await lodger.page.evaluate((id) => !window.told.some((data) => data.includes(id)), unheard.id));
  assert.equal((await lodger.page.goto(url + "/docs")).status(), 401);
  await lodger.page.waitForSelector("input[name=token]");
  assert.equal(await ask(mine.page, "/v1/stats", {}), 200, "others go on");
  console.log(`a revoked token is out at once; its stream ended ${endedAfter} ms after the command began`);

  // A page of another port is the same site to a browser, which sends the cookie along.
  await new Promise((done) => elsewhere.listen(0, "localhost", done));
  const stranger = await mine.context.newPage();
  await stranger.goto(`http://localhost:${elsewhere.address().port}/`);
  const tried = await stranger.evaluate(async (url) => {
    const outcomes = {};
    const attempt = async (name, work) => (outcomes[name] = await work().catch(() => "refused"));
    const intruder = JSON.stringify({ content: "written by an intruder" });
    await attempt("read", async () => (await fetch(url + "/v1/status", { credentials: "include" })).status);
    const sent = { method: "POST", credentials: "include", mode: "no-cors", body: intruder };
    await attempt("write", async () => (await fetch(url + "/v1/remember", sent)).type);
    await attempt("hook", async () => (await fetch(url + "/v1/hook", sent)).type);
    await attempt("script", () => new Promise((done) => {
      const script = document.createElement("script");
      [script.onload, script.onerror, script.src] = [() => done("loaded"), () => done("refused"), url + "/docs.js"];
      document.head.append(script);
    }));
    await attempt("events", () => new Promise((done) => {
      const stream = new EventSource(url + "/v1/events", { withCredentials: true });
      [stream.onopen, stream.onerror] = [() => done("opened"), () => done("refused")];
    }));
    await attempt("frame", () => new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.src = url + "/docs";
      frame.onload = () => done(frame.contentDocument === null ? "refused" : "shown");
      document.body.append(frame);
    }));
    return outcomes;
  }, url);
  // What is sent without reading the answer is sent; that it did nothing is seen below.
  assert.deepEqual(tried, { read: "refused", write: "opaque", hook: "opaque", script: "refused", events: "refused", frame: "refused" });
  await stranger.setContent(`<form method="post" action="${url}/v1/remember" enctype="text/plain"><input name='{"content":"written by an intruder","x":"' value='"}'><button>go</button></form>`);
  const [submitted] = await Promise.all([stranger.waitForResponse((answer) => answer.url().startsWith(url)), stranger.click("button")]);
  assert.equal(submitted.status(), 403);
  const exported = execFileSync(binary, ["export", "--all-projects"], { env: environment }).toString();
  assert.ok(exported.includes("Ada owns billing") && !exported.includes("intruder"), exported);
  console.log("a page of another port reads, writes, frames and hears nothing");

  // Leaving ends one session; a replaced token file ends all others of the owner.
  const second = await signIn(owner);
  await second.page.click('button:has-text("Leave")');
  await second.page.waitForSelector("input[name=token]");
  assert.equal(await ask(mine.page, "/v1/stats", {}), 200);
  await listen(mine.page);
  writeFileSync(`${tokenFile}.next`, "a-token-that-takes-its-place-0123456789\n", { mode: 0o600 });
  renameSync(`${tokenFile}.next`, tokenFile);
  assert.equal(await ask(mine.page, "/v1/stats", {}), 401);
  await until("the end of the owner's stream", () => mine.page.evaluate("window.stream.readyState === EventSource.CLOSED"));
  await signIn("a-token-that-takes-its-place-0123456789");
  console.log("leaving ends a session, a replaced token file ends all that were begun with the old one");
} finally {
  await browser?.close();
  elsewhere.close();
  daemon.kill();
  await new Promise((done) => daemon.once("exit", done));
  rmSync(home, { recursive: true, force: true });
}
