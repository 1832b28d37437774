// Pictures of the pages for docs/dashboard.md, with the demo's data; with --phone of every page on a phone, too.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Daemon, go, options, signedIn, until } from "./harness.mjs";
import { PAGES } from "./pages.mjs";
import { fill } from "./story.mjs";

export async function take(browser, folder) {
  mkdirSync(folder, { recursive: true });
  const daemon = await Daemon.start();
  try {
    await fill(daemon);
    await until("the question whether two names are one", async () => (await daemon.ask("review")).confirmations.some((one) => one.merge));
    for (const theme of ["light", "dark"]) {
      const page = await signedIn(browser, daemon, { colorScheme: theme, viewport: { width: 1180, height: 740 }, reducedMotion: "reduce" });
      const shoot = async (name) => {
        await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
        await page.waitForTimeout(700);
        await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
      };
      for (const [name, params] of Object.entries(PAGES)) {
        await go(page, name, params);
        await page.waitForSelector("main h1");
        if (name === "search") {
          await page.waitForSelector(".hit");
          await page.click(".hit button:has-text('Why?')");
        }
        await shoot(name || "home");
      }
      const corrected = (await daemon.ask("list", { kind: "fact", type: "decision", limit: 1 })).memories[0].id;
      await go(page, "memories", { kind: "fact", m: corrected });
      await page.waitForSelector(".panel .history li");
      await shoot("memory");
      await go(page, "sessions", { s: "standup" });
      await page.waitForSelector(".turn");
      await shoot("session");
      await page.context().close();
    }
    for (const theme of ["light", "dark"]) {
      const phone = await signedIn(browser, daemon, { colorScheme: theme, viewport: { width: 390, height: 760 }, deviceScaleFactor: 1, reducedMotion: "reduce" });
      const shoot = async (name) => {
        await phone.waitForFunction(() => document.querySelector("main h1") && !document.querySelector("[aria-busy]"));
        await phone.waitForTimeout(500);
        await phone.screenshot({ path: join(folder, `${name}-${theme}.png`) });
      };
      if (theme === "light") await go(phone, "memories"), await shoot("phone");
      for (const [name, params] of Object.entries(options.includes("--phone") ? PAGES : {})) {
        await go(phone, name, params);
        await shoot(`phone-${name || "home"}`);
      }
      await phone.context().close();
      const stranger = await browser.newContext({ colorScheme: theme, viewport: { width: 1180, height: 740 } });
      const page = await stranger.newPage();
      await page.goto(daemon.url);
      await page.screenshot({ path: join(folder, `sign-in-${theme}.png`) });
      await stranger.close();
    }
  } finally {
    await daemon.stop();
  }
}
