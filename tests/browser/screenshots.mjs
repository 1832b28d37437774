// Pictures of the pages for docs/dashboard.md, with the demo's data.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Daemon, go, signedIn } from "./harness.mjs";
import { PAGES } from "./pages.mjs";
import { fill } from "./story.mjs";

export async function take(browser, folder) {
  mkdirSync(folder, { recursive: true });
  const daemon = await Daemon.start();
  try {
    await fill(daemon);
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
    const phone = await signedIn(browser, daemon, { viewport: { width: 390, height: 760 }, deviceScaleFactor: 1 });
    await go(phone, "memories");
    await phone.waitForSelector(".row-text");
    await phone.waitForTimeout(500);
    await phone.screenshot({ path: join(folder, "phone-light.png") });
    await phone.context().close();
  } finally {
    await daemon.stop();
  }
}
