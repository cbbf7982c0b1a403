// Commands in a browser: Riad's own are answered beside the conversation, one from a file is shown short, an unknown one
// is told the nearest.

import assert from "node:assert/strict";
import { spec } from "./case.mjs";
import { say, setUp, turnIsOver } from "./harness.mjs";
import { latest } from "./model.mjs";

const asked = [];

function script(messages) {
  asked.push(latest(messages).said);
  return { text: "Done." };
}

export const commands_are_answered_without_a_model_and_go_when_closed_or_when_the_next_thing_is_said = spec(
  script,
  async (page, scene) => {
    await setUp(page, scene);
    await say(page, "Hello");
    await turnIsOver(page, 1);
    await say(page, "/tools");
    const told = page.locator(".said-state.told");
    await told.getByText("file_read", { exact: true }).waitFor();
    await told.getByRole("button", { name: "Close this answer" }).click();
    await told.waitFor({ state: "detached" });
    await say(page, "/context");
    await told.getByText("last prompt", { exact: true }).waitFor();

    scene.expect(422);
    await say(page, "/halp");
    await page.locator(".said-state.failed").getByText("There is no command /halp. Near are /help").waitFor();
    await page.locator(".said-state.failed").getByRole("button", { name: "Discard" }).click();

    await say(page, "/recap the plan");
    await turnIsOver(page, 2);
    assert.equal(await told.count(), 0, "an answer to a command stands below a turn that came after it");
    const bubbles = await page.locator(".thread .said:not(.unsent) .bubble").allInnerTexts();
    assert.deepEqual(bubbles, ["Hello", "/recap the plan"]);
    assert.equal(asked.length, 2);
    assert.match(asked[1], /Sum up this conversation[^]*the plan/);

    await say(page, "/new");
    await page.waitForURL(/\/c\/new$|\/$/);
  },
  "real",
);
