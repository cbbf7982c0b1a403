// What was said is found again: over all conversations, in the one that is open, and beyond what is drawn.

import assert from "node:assert/strict";
import { spec } from "./case.mjs";
import { look } from "./looks.mjs";
import { say, setUp, turnIsOver } from "./harness.mjs";
import { latest } from "./model.mjs";

function script(messages) {
  const { said } = latest(messages);
  return { text: /lemon/i.test(said) ? "Twice a week, the Lemon tree most of all." : "It is noted." };
}

/** What the browser paints as found. */
const painted = (page) => page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map((range) => range.toString()));

export const words_are_found_over_all_conversations_and_shown_where_they_stand = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "How often does the lemon tree want water?");
  await turnIsOver(page, 1);
  await say(page, "Note the paint for the north wall.");
  await turnIsOver(page, 2);
  await page.getByRole("link", { name: "New conversation" }).first().click();
  await say(page, "And four lamps.");
  await turnIsOver(page, 1);

  await page.getByRole("link", { name: "All conversations" }).click();
  await page.getByRole("searchbox").fill("nothing like it");
  await page.getByText("Nothing that was said holds all these words.").waitFor();
  await page.getByRole("searchbox").fill("LEMON");
  const hits = page.locator("riad-hits li");
  await hits.nth(1).waitFor();
  assert.equal(await hits.count(), 2);
  assert.deepEqual(await hits.locator("mark").allInnerTexts(), ["Lemon", "lemon"]);
  await look(page, "search over all");
  await hits.nth(1).getByRole("link").click();

  const bar = page.locator("riad-find");
  await bar.getByText("2 of 2").waitFor();
  assert.equal(await bar.getByRole("searchbox").inputValue(), "LEMON");
  assert.ok((await painted(page)).every((word) => word.toLowerCase() === "lemon"));
  assert.equal(await page.evaluate(() => document.activeElement?.type), "search", "the bar has the focus");
  await look(page, "find in a conversation");
  await page.keyboard.press("Enter");
  await bar.getByText("1 of 2").waitFor();
  await bar.getByRole("searchbox").fill("absent");
  await bar.getByText("Nothing found").waitFor();
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  assert.deepEqual(await painted(page), []);
  assert.equal(new URL(page.url()).search, "", "the address forgets what was looked for");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  assert.ok(await bar.getByRole("searchbox").evaluate((input) => input === document.activeElement));
}, "real");
