// A daemon in a temporary home, a browser, and pages whose every complaint is kept.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const [packages, binary, browserPath] = process.argv.slice(2, 5).map((path) => resolve(path));
export const options = process.argv.slice(5);
/** Finds packages where the script put them. */
export const require = createRequire(join(packages, "package.json"));
const { chromium } = require("playwright-core");
export const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const PROJECT = "tern";

const running = new Set();

/** Ends whatever a test left running. */
export const stopAll = () => Promise.all([...running].map((daemon) => daemon.stop()));

/** A daemon with a home of its own. */
export class Daemon {
  static async start(fill, variables = {}) {
    const daemon = new Daemon();
    daemon.folder = mkdtempSync(join(tmpdir(), "scrubjay-browser-"));
    daemon.environment = {
      PATH: process.env.PATH, HOME: daemon.folder, SCRUBJAY_HOME: join(daemon.folder, "store"), SCRUBJAY_PROJECT: PROJECT,
      SCRUBJAY_DAEMON_AUTOSTART: "false", SCRUBJAY_EMBEDDING_PROVIDER: process.env.SCRUBJAY_EMBEDDING_PROVIDER ?? "none", ...variables,
    };
    fill?.(daemon);
    await daemon.begin();
    return daemon;
  }

  /** Starts it, on a port of its own unless one is named. */
  async begin(port = "0") {
    this.process = spawn(binary, ["serve", "--port", port, "--json", "--quiet"], { env: this.environment, stdio: ["ignore", "pipe", "inherit"] });
    running.add(this);
    const line = await new Promise((done, failed) => {
      createInterface({ input: this.process.stdout }).once("line", done);
      this.process.once("exit", (code) => failed(new Error(`the daemon ended with ${code}`)));
    });
    const told = JSON.parse(line);
    this.url = told.url;
    this.token = readFileSync(told.token_file, "utf8").trim();
  }

  /** A command of ours; its answer. */
  run(...words) {
    return JSON.parse(execFileSync(binary, [...words, "--json"], { env: this.environment, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 }));
  }

  /** A command said in a folder that tells its project by itself; its answer. */
  runIn(folder, ...words) {
    const { SCRUBJAY_PROJECT, ...env } = this.environment;
    return JSON.parse(execFileSync(binary, [...words, "--json"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }));
  }

  /** A command that prints text, with something to read. */
  text(words, input = "") {
    return execFileSync(binary, words, { env: this.environment, input, stdio: ["pipe", "pipe", "pipe"], maxBuffer: 1 << 28 }).toString();
  }

  /** A command that reads a file and whose answer nobody wants. */
  read(words, path) {
    const file = openSync(path, "r");
    try {
      execFileSync(binary, words, { env: this.environment, stdio: [file, "ignore", "pipe"] });
    } finally {
      closeSync(file);
    }
  }

  /** An operation over HTTP, as another client asks for it. */
  async ask(operation, input = {}, project = PROJECT) {
    const answer = await fetch(`${this.url}/v1/${operation}`, {
      method: "POST", body: JSON.stringify(input),
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json", "Scrubjay-Project": project },
    });
    const body = await answer.json();
    assert.ok(answer.ok, `${operation}: ${JSON.stringify(body)}`);
    return body;
  }

  async remember(content, more = {}) {
    return (await this.ask("remember", { content, ...more })).id;
  }

  /** Ends it, and leaves its home. */
  async halt() {
    running.delete(this);
    this.process.removeAllListeners("exit");
    if (this.process.exitCode !== null) return;
    this.process.kill();
    await new Promise((done) => this.process.once("exit", done));
  }

  async stop() {
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A browser. Its sandbox needs rights that root in a container does not have. */
export function launch() {
  return chromium.launch({ executablePath: browserPath, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
}

/** A browser with a profile on disk, as people have one. */
export function launchWithProfile(folder) {
  return chromium.launchPersistentContext(folder, { executablePath: browserPath, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
}

/** A page that is signed in by a link, in a browser session of its own; what it complains of is in `complaints`. */
export async function signedIn(browser, daemon, { token, ...how } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...how });
  const page = await context.newPage();
  page.complaints = [];
  watch(page, daemon);
  if (token) {
    await page.goto(daemon.url);
    page.complaints.length = 0;
    await page.fill("input[name=token]", token);
    await page.click("button");
  } else {
    const { url } = daemon.run("open", "--print");
    await page.goto(url);
  }
  await page.waitForSelector("header nav, nav");
  return page;
}

/** Keeps errors, requests that lead elsewhere, and violations of the policy. */
export function watch(page, daemon) {
  page.complaints ??= [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.complaints.push(`${message.text()} ${message.location().url}`));
  page.on("pageerror", (error) => page.complaints.push(String(error.stack ?? error)));
  page.on("request", (request) => !request.url().startsWith(daemon.url) && !request.url().startsWith("file:") && page.complaints.push(`elsewhere: ${request.url()}`));
  page.on("dialog", (dialog) => dialog.message().startsWith("xss") && page.complaints.push(`a script ran: ${dialog.message()}`));
}

/** Goes to a page of the dashboard. */
export async function go(page, name, params = {}) {
  const query = new URLSearchParams({ ...params, p: params.p ?? PROJECT }).toString();
  await page.evaluate((hash) => (location.hash = hash), `#/${name}?${query}`);
}

/** Waits until something holds. */
export async function until(what, holds, patience = 60_000) {
  let last = null;
  for (const end = Date.now() + patience; ; ) {
    last = await holds();
    if (last) return last;
    assert.ok(Date.now() < end, `${what} did not happen`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

export const texts = (page, selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent));

/** Undoes what the last message tells of. */
export const undo = (page, message) => page.click(`.toast:last-child:has-text("${message}") button:has-text('Undo')`);
