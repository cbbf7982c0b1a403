// Lines of a conversation in a browser: a message written anew, an answer asked for again, a branch, the way back, and
// what stands; the conversation as a file.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { spec } from "./case.mjs";
import { say, setUp, turnIsOver } from "./harness.mjs";
import { latest } from "./model.mjs";

let answers = 0;

function script(messages) {
  const { said, results } = latest(messages);
  answers += 1;
  if (/pack/i.test(said) && results.length === 0) {
    return { text: "I will write it down.", calls: [{ tool: "file_write", arguments: { path: "~/notes/weekend.md", content: "- two towels\n" } }] };
  }
  return { text: `Answer ${answers} to: ${said.split("\n")[0]}` };
}

const texts = (page, what) => page.locator(`.thread ${what}`).allInnerTexts();
const bubbles = (page) => texts(page, ".bubble");

/** The messages that are shown, once they are these. */
async function shows(page, wanted) {
  await page.waitForFunction((list) => JSON.stringify([...document.querySelectorAll(".thread .said:not(.unsent) .bubble")].map((each) => each.textContent)) === list, JSON.stringify(wanted)).catch(async () => {
    assert.deepEqual(await bubbles(page), wanted);
  });
}

async function shot(page, name) {
  if (process.env.RIAD_SHOTS) await page.screenshot({ path: `${process.env.RIAD_SHOTS}/lines-${name}.png` });
}

/** So that what is pictured and pressed does not depend on where the pointer happens to be. */
const act = (page, turn, name) => page.locator(".turn").nth(turn).getByRole("button", { name, exact: true }).click();

export const a_message_is_written_anew_and_the_old_one_is_kept = spec(
  script,
  async (page, scene) => {
    await setUp(page, scene);
    await say(page, "First question");
    await turnIsOver(page, 1);
    await say(page, "Second question");
    await turnIsOver(page, 2);
    await act(page, 1, "Edit");
    const form = page.getByLabel("Your message, written anew");
    assert.equal(await form.inputValue(), "Second question");
    await shot(page, "edit");
    await form.fill("Second question, better");
    await form.press("Enter");
    await shows(page, ["First question", "Second question, better"]);
    await turnIsOver(page, 2);
    await page.getByRole("group", { name: "Version 2 of 2" }).waitFor();
    await shot(page, "edited");

    await page.getByRole("button", { name: "Previous version" }).click();
    await shows(page, ["First question", "Second question"]);
    await page.getByRole("group", { name: "Version 1 of 2" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-side")), "next", "the focus stays at the switch");
    await page.reload();
    await shows(page, ["First question", "Second question"]);
    await say(page, "Third question");
    await turnIsOver(page, 3);
    await page.getByRole("button", { name: "Next version" }).click();
    await shows(page, ["First question", "Second question, better"]);
  },
  "real",
);

export const an_answer_is_asked_for_again = spec(
  script,
  async (page, scene) => {
    await setUp(page, scene);
    await say(page, "A question");
    await turnIsOver(page, 1);
    const before = await texts(page, ".reply .prose");
    await act(page, 0, "Answer again");
    await page.getByRole("group", { name: "Version 2 of 2" }).waitFor();
    await turnIsOver(page, 1);
    await shows(page, ["A question"]);
    assert.notDeepEqual(await texts(page, ".reply .prose"), before);
  },
  "real",
);

export const a_branch_goes_on_beside_and_a_file_holds_the_line_that_is_shown = spec(
  script,
  async (page, scene) => {
    await setUp(page, scene);
    for (const [at, text] of ["Tea", "Coffee"].entries()) {
      await say(page, text);
      await turnIsOver(page, at + 1);
    }
    await act(page, 0, "Branch from here");
    await page.getByText("A new branch begins here.").waitFor();
    await shows(page, ["Tea"]);
    await shot(page, "branch");
    await say(page, "Milk");
    await turnIsOver(page, 2);
    await shows(page, ["Tea", "Milk"]);

    await page.getByRole("button", { name: "Export" }).click();
    await page.getByLabel("Web page").check();
    await shot(page, "export");
    const coming = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    const file = readFileSync(await (await coming).path(), "utf8");
    assert.ok(file.includes("Milk") && !file.includes("Coffee"), file);
  },
  "real",
);

export const what_was_done_is_shown_before_a_line_begins_and_not_done_again = spec(
  script,
  async (page, scene) => {
    await setUp(page, scene);
    await say(page, "Write down what to pack.");
    await page.locator("riad-approval .act:enabled").click();
    await turnIsOver(page, 1);
    await act(page, 0, "Edit");
    await page.getByLabel("Your message, written anew").fill("Only tell me.");
    await page.keyboard.press("Enter");
    const stands = page.getByRole("dialog", { name: "What was done stays done" });
    await stands.getByText("~/notes/weekend.md").waitFor();
    await shot(page, "stands");
    await stands.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Your message, written anew").press("Enter");
    await stands.getByRole("button", { name: "Go on" }).click();
    await shows(page, ["Only tell me."]);
    await turnIsOver(page, 1);
    await page.getByText("One thing was done in another version, and stands").click();
    await page.locator(".opening").getByText("~/notes/weekend.md").waitFor();
    await shot(page, "elsewhere");
    const told = scene.model.requests.at(-1).messages.map((message) => String(message.content)).join("\n");
    assert.match(told, /weekend\.md/, "the model is told of it");
    await page.setViewportSize({ width: 320, height: 640 });
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    await shot(page, "narrow");
  },
  "real",
);

export const everything_is_reached_with_keys = spec(
  script,
  async (page, scene) => {
    await setUp(page, scene);
    await say(page, "One");
    await turnIsOver(page, 1);
    await say(page, "Two");
    await turnIsOver(page, 2);
    for (const name of ["Answer again", "Edit", "Branch from here", "Answer again", "Edit"]) await reach(page, name, "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Edit", "the focus is where it was");
    await page.keyboard.press("Enter");
    await page.keyboard.type(", please");
    await page.keyboard.press("Enter");
    await shows(page, ["One, please"]);
  },
  "real",
);

/** Walks with a key until the control of that name has the focus, and can be seen. */
async function reach(page, name, key) {
  for (let n = 0; n < 40; n += 1) {
    await page.keyboard.press(key);
    const at = await page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    if (at !== name) continue;
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => getComputedStyle(document.activeElement).opacity), "1", `${name} is seen`);
    return;
  }
  assert.fail(`${name} is not reached with ${key}`);
}
