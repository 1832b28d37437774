// The dashboard in a real browser: each file of tests beside this one, with a daemon of its own.
//
// usage: node main.mjs PACKAGES PROGRAM BROWSER [--long] [--only NAME] [--test WORDS] [--screenshots FOLDER]
import { launch, options, stopAll } from "./harness.mjs";

const FILES = ["sign_in", "memories", "pages", "projects", "changes", "hostile", "size", ...(options.includes("--long") ? ["firefox"] : [])];

const only = options.includes("--only") ? options[options.indexOf("--only") + 1] : null;
const wanted = options.includes("--test") ? options[options.indexOf("--test") + 1] : "";
const browser = await launch();
let failed = 0;
try {
  for (const file of FILES.filter((name) => !only || name === only)) {
    const { tests, before, after } = await import(`./${file}.mjs`);
    const scene = await before(browser);
    try {
      for (const [name, test] of Object.entries(tests).filter(([name]) => name.includes(wanted))) {
        const started = Date.now();
        try {
          await test(scene);
          console.log(`ok   ${file}: ${name} (${Date.now() - started} ms)`);
        } catch (error) {
          failed += 1;
          console.log(`FAIL ${file}: ${name}\n${error.stack}`);
        }
      }
    } finally {
      await after(scene);
    }
  }
  const shots = options.indexOf("--screenshots");
  if (shots >= 0) await (await import("./screenshots.mjs")).take(browser, options[shots + 1]);
} finally {
  await browser.close();
  await stopAll();
}
console.log(failed ? `browser: ${failed} failed` : "browser: all passed");
process.exitCode = failed ? 1 : 0;
