// Every page in both themes and three widths: no violation that axe can find, nothing that scrolls sideways, and no
// text of the catalogue missing.

import assert from "node:assert/strict";
import { spec } from "./case.mjs";
import { look } from "./looks.mjs";
import { PERSON, say, setUp, turnIsOver } from "./harness.mjs";
import { latest } from "./model.mjs";

const TEXT = "## Found\n\n| Place | What |\n|---|---:|\n| `~/a.md` | one |\n\n- [x] done\n- open\n\n```sh\nls -la\n```\n\n> quoted, with [a link](https://example.org/x)";

function script(messages) {
  const { said, results } = latest(messages);
  if (/pack/i.test(said)) {
    return results.length === 0
      ? { text: "I will write it down.", calls: [{ tool: "file_write", arguments: { path: "~/notes/weekend.md", content: "- two towels\n- a\u202Ebook    for each\n" } }] }
      : { text: "It is written." };
  }
  return { text: TEXT, reasoning: "A short answer will do." };
}

export const doors = spec(script, async (page, scene) => {
  await page.goto(scene.address);
  await page.getByLabel("Setup token").waitFor();
  await look(page, "setup");
  await page.getByRole("button", { name: "Set up Riad" }).click();
  await page.locator(".form-problem").waitFor();
  await look(page, "setup with problems");
  await setUp(page, scene);
  await page.locator(".shell > .side").getByRole("button", { name: "Lock" }).click();
  await page.getByRole("button", { name: "Unlock" }).waitFor();
  await look(page, "unlock");
  await page.getByLabel("Password").fill(PERSON.password);
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.locator("riad-unlock").waitFor({ state: "detached" });
  await page.locator(".shell > .side").getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await look(page, "sign-in");
});

export const inside = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await look(page, "welcome");
  await say(page, "Show me a small answer.");
  await turnIsOver(page, 1);
  await look(page, "an answer");
  await page.getByRole("button", { name: "Usage" }).click();
  await page.locator("riad-usage .totals").waitFor();
  await look(page, "usage");
  await page.keyboard.press("Escape");
  await say(page, "Write down what to pack.");
  await page.locator("riad-approval .act:enabled").waitFor();
  await look(page, "an approval");
  for (const [path, ready] of [["/inbox", "riad-inbox riad-approval .act:enabled"], ["/files", "riad-files .rows, riad-files .empty"], ["/conversations", "riad-conversations .rows"], ["/nowhere", ".empty"]]) {
    await page.goto(`${scene.address}${path}`);
    await page.locator(ready).first().waitFor();
    await look(page, path);
  }
});

export const the_whole_tour_by_keyboard = spec(script, async (page, scene) => {
  await page.goto(scene.address);
  await page.getByLabel("Setup token").waitFor();
  const type = async (text) => page.keyboard.type(text);
  const tab = async (times = 1) => {
    for (let n = 0; n < times; n += 1) await page.keyboard.press("Tab");
  };
  await type(scene.token);
  await tab(3);
  await type(PERSON.name);
  await tab();
  await type(PERSON.handle);
  await tab();
  await type(PERSON.password);
  await tab();
  await type(PERSON.password);
  await page.keyboard.press("Enter");
  await page.locator("#composer-text:focus").waitFor();
  await type("Write down what to pack.");
  await page.keyboard.press("Enter");
  await page.locator("riad-approval .act:enabled").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "composer-text", "the card takes no focus");
  await reach(page, "Allow once", "Shift+Tab");
  await page.keyboard.press("Enter");
  await turnIsOver(page, 1);
  await page.locator(".effects").getByText("~/notes/weekend.md").waitFor();
});

/** Walks with a key until the control of that name has the focus, which must be visible. */
async function reach(page, name, key) {
  for (let n = 0; n < 40; n += 1) {
    await page.keyboard.press(key);
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      return { text: element?.textContent?.trim(), outline: element ? getComputedStyle(element).outlineStyle : "none" };
    });
    if (at.text !== name) continue;
    assert.notEqual(at.outline, "none", `${name} shows its focus`);
    return;
  }
  assert.fail(`${name} is not reached with ${key}`);
}
