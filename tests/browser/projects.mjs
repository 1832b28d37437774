// Projects: real ones in real folders, and what can be done with a whole one.
import assert from "node:assert/strict";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { Daemon, go, signedIn, texts, undo, until } from "./harness.mjs";

export async function before(browser) {
  const daemon = await Daemon.start();
  const place = {};
  for (const [name, facts] of Object.entries({ heron: ["Herons nest early", "Herons like reeds"], egret: ["Egrets are white"], moved: ["Kept after the move"] })) {
    const folder = join(daemon.folder, "work", name);
    mkdirSync(folder, { recursive: true });
    for (const fact of facts) daemon.runIn(folder, "remember", fact);
    const id = daemon.runIn(folder, "config", "path").project;
    place[name] = { folder: realpathSync(folder), id };
  }
  return { browser, daemon, place, page: await signedIn(browser, daemon) };
}

export const after = ({ daemon, page }) => page.context().close().then(() => daemon.stop());

const open = async (page, p = "") => {
  await go(page, "projects", { p });
  await page.waitForSelector(".projects td");
};
const row = (id) => `.projects tr:has(td:first-child a:text-is("${id}"))`;
const act = (page, id, name) => page.click(`${row(id)} button:text-is("${name}")`);
const projects = async (daemon) => Object.fromEntries((await daemon.ask("projects", {}, "none")).projects.map((one) => [one.id, one]));
const facts = async (daemon, project) => (await daemon.ask("list", { kind: "fact", scope: "project" }, project)).memories.map((memory) => memory.content).sort();

export const tests = {
  async "are listed with their folders and what they hold"({ page, daemon, place }) {
    await open(page);
    const known = await projects(daemon);
    for (const { id, folder } of Object.values(place)) {
      await page.waitForSelector(row(id));
      const cells = await texts(page, `${row(id)} td`);
      assert.equal(cells[1], folder);
      assert.equal(cells[2], String(known[id].facts));
    }
    assert.equal(known[place.heron.id].facts, 2);
  },

  async "are renamed, and called as before again"({ page, daemon, place }) {
    const { id, folder } = place.heron;
    await open(page, id);
    await act(page, id, "Rename");
    await page.fill("dialog input", "herons");
    await page.keyboard.press("Enter");
    await page.waitForSelector(row("herons"));
    assert.deepEqual(await facts(daemon, "herons"), ["Herons like reeds", "Herons nest early"]);
    assert.equal(daemon.runIn(folder, "config", "path").project, "herons");
    // Whoever looks at it goes on looking at it, and the choice above names it.
    await until("the address", () => page.evaluate(() => location.hash.includes("p=herons")));
    await until("the choice", async () => (await texts(page, "header option")).includes("herons") && !(await texts(page, "header option")).includes(id));
    await undo(page, "Renamed.");
    await page.waitForSelector(row(id));
    assert.equal(daemon.runIn(folder, "config", "path").project, id);
    await until("the address", () => page.evaluate((id) => location.hash.includes(`p=${id}`), id));
    // A name that cannot be one is refused, and the dialog stays.
    await act(page, id, "Rename");
    await page.fill("dialog input", "not a name");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".toast.bad");
    await page.click("dialog button:text-is('Cancel')");
    page.complaints.splice(0, page.complaints.length, ...page.complaints.filter((one) => !one.includes("400")));
  },

  async "are merged, and taken apart again"({ page, daemon, place }) {
    await open(page);
    await act(page, place.egret.id, "Merge");
    assert.ok(!(await texts(page, "dialog option")).includes(place.egret.id));
    await page.selectOption("dialog select", place.heron.id);
    await page.click("dialog button:text-is('Go on')");
    await until("merged", async () => (await facts(daemon, place.heron.id)).length === 3);
    await until("one row less", async () => (await page.$(row(place.egret.id))) === null);
    await undo(page, "Merged.");
    await page.waitForSelector(row(place.egret.id));
    assert.deepEqual(await facts(daemon, place.egret.id), ["Egrets are white"]);
    assert.deepEqual(await facts(daemon, place.heron.id), ["Herons like reeds", "Herons nest early"]);
  },

  async "adopt a folder that moved, and give it back"({ page, daemon, place }) {
    await open(page);
    const { id } = place.heron;
    const adopt = async (folder) => {
      await act(page, id, "Adopt a folder");
      await page.fill("dialog input", folder);
      await page.click("dialog button:text-is('Go on')");
    };
    await adopt("work/moved");
    await page.waitForSelector(".toast.bad:has-text('whole path')");
    await page.click("dialog button:text-is('Cancel')");
    page.complaints.splice(0, page.complaints.length, ...page.complaints.filter((one) => !one.includes("400")));
    await adopt(place.moved.folder);
    await until("the folder", async () => (await texts(page, `${row(id)} td:nth-child(2)`))[0].includes(place.moved.folder));
    assert.equal(daemon.runIn(place.moved.folder, "config", "path").project, id);
    assert.ok((await facts(daemon, id)).includes("Kept after the move"));
    await undo(page, "The folder belongs to it now.");
    await page.waitForSelector(row(place.moved.id));
    assert.equal(daemon.runIn(place.moved.folder, "config", "path").project, place.moved.id);
    assert.deepEqual(await facts(daemon, place.moved.id), ["Kept after the move"]);
  },

  async "are paused, by which nothing is kept, and resumed"({ page, daemon, place }) {
    await open(page);
    const { id } = place.egret;
    const kept = async (content) => (await daemon.ask("capture", { messages: [{ session_id: "s", role: "user", content }] }, id)).results[0].id ?? null;
    await act(page, id, "Pause");
    await page.waitForSelector(`${row(id)} .badge:text-is("paused")`);
    assert.equal(await kept("Said while it was paused"), null);
    await undo(page, "Paused:");
    await page.waitForSelector(`${row(id)} button:text-is("Pause")`);
    assert.ok(await kept("Said after that"));
    await act(page, id, "Pause");
    await act(page, id, "Resume");
    await undo(page, "Resumed.");
    await page.waitForSelector(`${row(id)} button:text-is("Resume")`);
    assert.equal(await kept("Said while it was paused again"), null);
    await act(page, id, "Resume");
    await page.waitForSelector(`${row(id)} button:text-is("Pause")`);
  },

  async "are purged only by typing the name, and are gone for good"({ page, daemon, place }) {
    const { id } = place.egret;
    await open(page, id);
    await act(page, id, "Purge");
    // One fact and one message that was said before.
    await page.waitForSelector("dialog b:has-text('2 memories, 1 conversation, 0 indexed files')");
    await page.fill("dialog input", `${id}?`);
    assert.equal(await page.isDisabled("dialog button:text-is('Go on')"), true);
    await page.keyboard.press("Enter");
    assert.ok((await projects(daemon))[id]);
    await page.fill("dialog input", id);
    await page.click("dialog button:text-is('Go on')");
    await page.waitForSelector(".toast:has-text('It is gone for good.')");
    assert.equal(await page.$(".toast:last-child:has-text('gone for good') button:has-text('Undo')"), null);
    await until("its row", async () => (await page.$(row(id))) === null);
    assert.equal((await projects(daemon))[id], undefined);
    await until("another project", () => page.evaluate((id) => !location.hash.includes(id), id));
  },

  async "are not shown to a token of one project"({ browser, daemon, place }) {
    const { token } = daemon.run("token", "create", "guest", "--project", place.heron.id);
    const page = await signedIn(browser, daemon, { token });
    await page.waitForSelector("nav a:text-is('Memories')");
    assert.equal(await page.$("nav a:text-is('Projects')"), null);
    await go(page, "projects");
    await page.waitForSelector("main:has-text(\"Only the owner's token shows this.\")");
    await page.context().close();
  },

  async "nothing was complained of"({ page }) {
    assert.deepEqual(page.complaints, []);
  },
};
