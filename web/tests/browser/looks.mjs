// A look at a page as it stands, in both themes and three widths: no violation that axe can find, and nothing that scrolls
// sideways.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FORMS = ["light", "dark"].flatMap((theme) => [320, 768, 1280].map((width) => ({ theme, width })));

/** Looks at the page as it stands, in all forms. */
export async function look(page, where) {
  for (const { theme, width } of FORMS) {
    await page.setViewportSize({ width, height: 760 });
    await page.evaluate((wanted) => (document.documentElement.dataset.theme = wanted), theme);
    await page.waitForTimeout(350);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${where} ${theme} ${width}: scrolls sideways by ${wide} pixels`);
    await page.evaluate(AXE);
    const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} (${node.failureSummary?.split("\n")[1]?.trim()})`).join("; ")}`);
    assert.deepEqual(told, [], `${where} ${theme} ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 760 });
}
