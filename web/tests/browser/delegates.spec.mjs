// The assistant lets others work: what they do stands inside their calls, side by side, and their answers are read.

import assert from "node:assert/strict";
import { spec } from "./case.mjs";
import { look } from "./looks.mjs";
import { say, setUp, turnIsOver } from "./harness.mjs";
import { latest } from "./model.mjs";

const ask = (task) => ({ tool: "delegate", arguments: { profile: "researcher", task } });

function script(messages) {
  const { said, results } = latest(messages);
  if (/lamps|tree/i.test(said) && !/both/i.test(said)) {
    if (results.length === 0) return { text: "I look around.", calls: [{ tool: "file_list", arguments: { path: "~" } }] };
    return { text: /lamps/i.test(said) ? "Of **lamps** nothing is written." : "Of the tree nothing is written." };
  }
  if (results.length === 0) return { text: "Two of us look.", calls: [ask("Find what is written about the lamps"), ask("Find what is written about the tree")] };
  return { text: "Neither lamps nor tree is written about." };
}

export const what_delegates_do_stands_inside_their_calls = spec(script, async (page, scene) => {
  await setUp(page, scene);
  await say(page, "Look both up.");
  await turnIsOver(page, 1);
  await page.locator(".thread").getByText("Neither lamps nor tree is written about.").waitFor();
  const outer = page.locator(".turn .call:not(.call .call)");
  assert.equal(await outer.count(), 2);
  for (const summary of await outer.locator("> summary").all()) await summary.click();
  const inner = outer.locator(".call");
  assert.deepEqual(await inner.locator("> summary .label").allInnerTexts(), ["List ~/", "List ~/"]);
  assert.deepEqual(await outer.getByRole("heading", { name: "What researcher did" }).count(), 2);
  for (const summary of await inner.locator("> summary").all()) await summary.click();
  await look(page, "delegates");
}, "real");
