// Signing in and out.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Daemon, go, launchWithProfile, PROJECT, signedIn, until, watch } from "./harness.mjs";

export async function before(browser) {
  const daemon = await Daemon.start();
  await daemon.remember("Grace owns the invoices");
  return { browser, daemon };
}

export const after = ({ daemon }) => daemon.stop();

const filesIn = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : entry.isFile() ? [join(folder, entry.name)] : []));

const isIn = (page) => page.waitForSelector("nav a[aria-current]");

export const tests = {
  async "by the form, with a wrong token first"({ browser, daemon }) {
    const context = await browser.newContext();
    const page = await context.newPage();
    watch(page, daemon);
    const first = await page.goto(daemon.url);
    assert.equal(first.status(), 401);
    await page.fill("input[name=token]", "not-the-token");
    await page.click("button");
    await page.waitForSelector("input[name=token]");
    const refusals = page.complaints.filter((one) => !one.includes("401"));
    assert.deepEqual(refusals, []);
    page.complaints.length = 0;
    await page.fill("input[name=token]", daemon.token);
    await page.click("button");
    await isIn(page);
    const [cookie] = await context.cookies();
    assert.ok(cookie.httpOnly && cookie.sameSite === "Strict", JSON.stringify(cookie));
    assert.equal(await page.evaluate("document.cookie"), "");
    assert.deepEqual(page.complaints, []);
    await page.click("button:has-text('Sign out')");
    await page.waitForSelector("input[name=token]");
    await context.close();
  },

  async "by a link, once, and it is nowhere afterwards"({ browser, daemon }) {
    const page = await signedIn(browser, daemon);
    await isIn(page);
    assert.equal(await page.evaluate("location.href"), `${daemon.url}/#/?p=${PROJECT}`);
    assert.equal(await page.evaluate("history.length") <= 2, true);
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.ok(!kept.includes("key=") && !kept.includes(daemon.token), kept);
    assert.deepEqual(page.complaints, []);
    const { url } = daemon.run("open", "--print");
    const key = new URL(url).searchParams.get("key");
    const other = await browser.newContext();
    const second = await other.newPage();
    assert.equal((await second.goto(url)).status(), 200);
    await isIn(second);
    const third = await (await browser.newContext()).newPage();
    assert.equal((await third.goto(url)).status(), 401);
    assert.ok(!readFileSync(join(daemon.environment.SCRUBJAY_HOME, "logs", "daemon.log"), "utf8").includes(key));
    await other.close();
    await third.context().close();
    await page.context().close();
  },

  async "by the file that `scrubjay open` hands to a browser"({ browser, daemon }) {
    // A program in place of the user's browser, that notes what it was called with.
    const program = join(daemon.folder, "browser");
    const note = join(daemon.folder, "called-with");
    writeFileSync(program, `#!/bin/sh\necho "$@" > '${note}.part' && mv '${note}.part' '${note}'\n`);
    chmodSync(program, 0o755);
    const answer = JSON.parse(execFileSync(process.argv[3], ["open", "--json"], { env: { ...daemon.environment, BROWSER: program } }));
    assert.equal(answer.opened, true);
    await until("the browser's start", () => existsSync(note));
    const file = readFileSync(note, "utf8").trim();
    assert.ok(!file.includes("key="), "no secret among the arguments");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const key = /name="key" value="([0-9a-f]+)"/.exec(readFileSync(file, "utf8"))[1];
    const profile = join(daemon.folder, "profile");
    const context = await launchWithProfile(profile);
    const [page] = context.pages();
    watch(page, daemon);
    await page.goto(`file://${file}`);
    await isIn(page);
    assert.deepEqual(page.complaints, []);
    await page.waitForTimeout(1000);
    await context.close();
    const holding = filesIn(profile).filter((path) => readFileSync(path).includes(key));
    assert.deepEqual(holding, [], "the secret is nowhere in the browser's profile");
  },

  async "a token for looking sees a page without buttons, and revoking signs it out"({ browser, daemon }) {
    const { token } = daemon.run("token", "create", "lodger", "--read");
    const page = await signedIn(browser, daemon, { token });
    await page.waitForSelector(".badge:has-text('read-only')");
    await go(page, "memories");
    await page.click(".row-text");
    await page.waitForSelector(".panel .words");
    assert.equal(await page.$(".panel .actions button"), null);
    assert.equal(await page.$(".panel .edit-button"), null);
    await page.click(".row input[type=checkbox]");
    assert.equal(await page.$(".bulk button:has-text('Forget')"), null);
    for (const name of ["review", "receipts", "sessions", "entities", "sources", "jobs", "settings", "context", "search", ""]) {
      await go(page, name);
      await page.waitForSelector("main h1, main .empty");
    }
    assert.deepEqual(page.complaints, []);
    daemon.run("token", "revoke", "lodger");
    await daemon.remember("Somebody else writes something");
    await page.waitForSelector(".signed-out", { timeout: 15_000 });
    await page.context().close();
  },
};
