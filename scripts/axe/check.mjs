// Looks at pages with axe at the width of a desk and of a phone, light and dark, with every part
// unfolded; and checks what axe does not: that nothing is fetched, that the page itself does not scroll
// sideways, and that the filter of verdicts hides what is not chosen.
//
//   node check.mjs CHROMIUM [--shots DIR] PAGE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

// Modules lie in a folder of their own, outside of the repository's sources.
const require = createRequire(join(resolve(process.env.AXE_MODULES), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [executablePath, ...rest] = process.argv.slice(2);
const shots = rest[0] === "--shots" ? rest.splice(0, 2)[1] : null;
const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const browser = await chromium.launch({ executablePath, headless: true, args: flags.split(" "), timeout: 0 });
let wrong = 0;
const complain = (where, words) => {
  wrong += 1;
  console.error(`${where}: ${words}`);
};
for (const file of rest) {
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    for (const colorScheme of ["light", "dark"]) {
      const where = `${file} at ${width} px, ${colorScheme}`;
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      // A busy machine is slow, not wrong.
      page.setDefaultTimeout(0);
      page.on("request", (r) => {
        if (!/^(file|data|about):/.test(r.url())) complain(where, `fetches ${r.url()}`);
      });
      await page.goto(pathToFileURL(resolve(file)).href);
      if (shots) {
        const name = `${basename(dirname(resolve(file)))}-${width}-${colorScheme}.png`;
        await page.screenshot({ path: join(shots, name), clip: { x: 0, y: 0, width, height: 3600 }, fullPage: true });
      }
      await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) complain(where, `the page is ${wide} px wide`);
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run(document));
      for (const { id, help, nodes } of found.violations) {
        complain(where, `${id}: ${help} (${nodes.length})\n  ${nodes[0].html.slice(0, 300)}\n  ${nodes[0].failureSummary}`);
      }
      const wrongly = await page.evaluate(() => {
        const found = [];
        for (const radio of document.querySelectorAll("input[name=show]")) {
          radio.checked = true;
          const key = radio.id.replace("show-", "");
          const shown = (e) => getComputedStyle(e).display !== "none";
          const chosen = (e) => key === "all" || e.dataset.verdict.split(" ").includes(key);
          const off = [...document.querySelectorAll("[data-verdict]")].filter((e) => shown(e) !== chosen(e)).length;
          if (off) found.push(`${off} claims are shown or hidden against the choice of ${key}`);
        }
        return found;
      });
      wrongly.forEach((words) => complain(where, words));
      await page.close();
    }
  }
}
await browser.close();
console.log(`${rest.length} pages, ${wrong} findings`);
process.exit(wrong ? 1 : 0);
