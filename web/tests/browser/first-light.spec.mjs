// The main job, once through: set up, ask, approve a change shown as a diff, find it on disk, lose the server, come
// back, unlock, find everything, go on.

import assert from "node:assert/strict";
import { spec } from "./case.mjs";
import { PERSON, say, setUp, threadText, turnIsOver } from "./harness.mjs";
import { latest } from "./model.mjs";

const BEFORE = "# Courtyard\n\n- buy lamps, warm light\n- paint the north wall\n";
const AFTER = "# Courtyard\n\n- buy four lamps, warm light\n- paint the north wall\n- water the lemon tree\n";

function script(messages) {
  const { said, results } = latest(messages);
  if (/make the plan/i.test(said)) {
    if (results.length === 0) return { text: "I will write it down.", calls: [{ tool: "file_write", arguments: { path: "~/notes/plan.md", content: BEFORE } }] };
    return { text: "The plan is written." };
  }
  if (/four lamps/i.test(said)) {
    if (results.length === 0) return { text: "I look at the plan first.", reasoning: "I must read before I change.", calls: [{ tool: "file_read", arguments: { files: [{ path: "~/notes/plan.md" }] } }] };
    if (results.length === 1) {
      const hash = /hash ([0-9a-f]+)/.exec(results[0])?.[1] ?? "";
      return { text: "This is what I would change.", calls: [{ tool: "file_write", arguments: { path: "~/notes/plan.md", content: AFTER, mode: "replace", hash } }] };
    }
    return { text: "Done: **four lamps**, and the lemon tree." };
  }
  return { text: `You said ${messages.filter((message) => message.role === "user").length} things to me in this conversation.` };
}

export const from_an_empty_machine_to_an_answer_after_a_crash = spec(script, async (page, scene) => {
  await setUp(page, scene);

  await say(page, "Please make the plan of the courtyard.");
  const card = page.locator("riad-approval");
  await card.locator(".diff").waitFor();
  assert.deepEqual(await card.locator(".diff-line.removed").count(), 0, "a new file is all added");
  assert.equal(scene.file("notes/plan.md"), undefined, "nothing is made before the yes");
  await card.getByRole("button", { name: "Allow once" }).click();
  await turnIsOver(page, 1);
  assert.equal(scene.read("notes/plan.md"), BEFORE);

  await say(page, "Put four lamps and the lemon tree into it.");
  await card.waitFor();
  assert.equal(await card.locator(".diff-line.removed .diff-text").innerText(), "- buy lamps, warm light");
  assert.deepEqual(await card.locator(".diff-line.added .diff-text").allInnerTexts(), ["- buy four lamps, warm light", "- water the lemon tree"]);
  assert.equal(scene.read("notes/plan.md"), BEFORE, "nothing is changed before the yes");
  const allow = card.getByRole("button", { name: "Allow once" });
  assert.equal(await allow.evaluate((button) => button === document.activeElement), false, "a yes is never focused");
  await allow.click();
  await turnIsOver(page, 2);
  assert.equal(scene.read("notes/plan.md"), AFTER);
  await page.locator(".thread").getByText("Done: four lamps, and the lemon tree.").waitFor();
  const before = await threadText(page);

  await scene.kill();
  await page.locator(".offline").waitFor();
  await scene.startServer();
  await page.getByRole("button", { name: "Unlock" }).waitFor({ timeout: 40_000 });
  await page.getByLabel("Password").fill(PERSON.password);
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.locator("riad-unlock").waitFor({ state: "detached" });
  assert.equal(await threadText(page), before, "the conversation is whole");

  await page.reload();
  await turnIsOver(page, 2);
  assert.equal(settled(await threadText(page)), settled(before), "also when it is loaded anew");

  await say(page, "What do you remember?");
  await page.locator(".thread").getByText("You said 3 things to me in this conversation.").waitFor();
  await turnIsOver(page, 3);
}, "real");

/** How long somebody thought is measured where it was seen; after a reload it is told in tokens or not at all. */
function settled(text) {
  return text.replace(/Thought for [^\n]*|What it thought/g, "Thought");
}
