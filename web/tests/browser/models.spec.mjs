// Who answers, in a browser: a far model is chosen only after a yes, and answers; a message is answered again with another
// model; how far a conversation travels is set; a profile is copied, mended and chosen.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { spec } from "./case.mjs";
import { say, setUp, turnIsOver } from "./harness.mjs";
import { latest } from "./model.mjs";

const script = (messages, asked) => ({ text: `${asked.model} to: ${latest(messages).said.split("\n")[0]}` });

/** The same scripted engine twice more: as a machine in the cellar and as a service elsewhere. */
async function withThree(page, scene) {
  await scene.kill();
  const provider = (id, name, tier) => `  - { id: ${id}, name: ${name}, base_url: "${scene.model.base}", key: none, tier: ${tier}, models: [{ id: ${id}-large, name: ${name} Large, window: 65536 }] }\n`;
  writeFileSync(join(scene.data, "providers.yaml"), `providers:\n${provider("cellar", "The cellar", "trusted")}${provider("far", "Far Away", "any")}`);
  await scene.startServer();
  await setUp(page, scene);
}

async function shot(page, name) {
  if (!process.env.RIAD_SHOTS) return;
  for (const [size, width, height] of [["wide", 1200, 820], ["phone", 390, 800]]) {
    for (const theme of ["light", "dark"]) {
      await page.setViewportSize({ width, height });
      await page.evaluate((to) => (document.documentElement.dataset.theme = to), theme);
      await page.waitForTimeout(150);
      await page.screenshot({ path: `${process.env.RIAD_SHOTS}/models-${name}-${size}-${theme}.png` });
    }
  }
  await page.setViewportSize({ width: 1200, height: 820 });
  await page.evaluate(() => (document.documentElement.dataset.theme = "light"));
}

const place = (page) => page.locator("button.place");
const pick = (page, name) => page.getByRole("dialog").getByRole("radio", { name });
const replies = (page) => page.locator(".thread .reply").allInnerTexts();

async function closeSheet(page) {
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
}

export const a_far_model_answers_only_after_a_yes = spec(
  script,
  async (page, scene) => {
    await withThree(page, scene);
    await place(page).click();
    await shot(page, "picker");
    await pick(page, /Far Away Large/).click();
    await page.getByText("goes to: Far Away").waitFor();
    await shot(page, "leaving");
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.match(await place(page).innerText(), /scripted/);
    await pick(page, /Far Away Large/).click();
    await page.getByRole("button", { name: "Let it travel, use Far Away Large" }).click();
    await closeSheet(page);
    await page.waitForFunction(() => /Far Away Large/.test(document.querySelector("button.place")?.textContent ?? ""));
    await say(page, "Hello");
    await turnIsOver(page, 1);
    assert.match((await replies(page)).join(), /far-large to: Hello/);
    await page.reload();
    await page.waitForFunction(() => /Far Away Large/.test(document.querySelector("button.place")?.textContent ?? ""));
    await place(page).click();
    await pick(page, /Stays on this machine/).click();
    await page.waitForFunction(() => /scripted/.test(document.querySelector("button.place")?.textContent ?? ""));
    await closeSheet(page);
    await say(page, "Near now");
    await turnIsOver(page, 2);
    assert.match((await replies(page)).at(-1), /scripted to: Near now/);
    assert.deepEqual(scene.model.requests.map((request) => request.model), ["far-large", "scripted"]);
  },
  "real",
);

export const a_message_is_answered_again_with_another_model = spec(
  script,
  async (page, scene) => {
    await withThree(page, scene);
    await place(page).click();
    await pick(page, /As far as trusted machines/).click();
    await closeSheet(page);
    await say(page, "Which one?");
    await turnIsOver(page, 1);
    await shot(page, "again-with");
    await page.locator(".again-with select").selectOption("cellar/cellar-large");
    await page.locator(".thread").getByText("cellar-large to: Which one?").waitFor();
    await page.getByText("2 / 2").waitFor();
    assert.match(await place(page).innerText(), /scripted/, "for this message alone");
  },
  "real",
);

export const a_profile_is_copied_mended_and_chosen = spec(
  script,
  async (page, scene) => {
    scene.expect(422);
    await withThree(page, scene);
    await page.locator(".shell .side").getByRole("link", { name: "Profiles" }).click();
    await page.getByRole("heading", { name: "Commands" }).waitFor();
    await shot(page, "agents");
    await page.getByRole("button", { name: "Copy assistant" }).click();
    await page.getByRole("textbox", { name: /name of the copy/ }).fill("short");
    await page.getByRole("button", { name: "Write it" }).click();
    const text = page.locator("#own-text");
    await text.waitFor();
    assert.match(await text.inputValue(), /You are a private assistant/);
    await text.fill("---\nname: Short\ndescription: Says little.\ntols: []\n---\nAnswer in one word.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("line 4, column 1: there is no field `tols`").waitFor();
    await shot(page, "slip");
    await page.getByRole("button", { name: "Go there" }).click();
    assert.equal(await text.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd)), "tols: []");
    await text.fill("---\nname: Short\ndescription: Says little.\n---\nAnswer in one word.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. It holds from the next turn on.").waitFor();
    await page.goto(`${scene.address}/c/new`);
    await place(page).click();
    await pick(page, /Short/).click();
    await closeSheet(page);
    await say(page, "Hello");
    await turnIsOver(page, 1);
    assert.match(JSON.stringify(scene.model.requests.at(-1).messages[0]), /Answer in one word/);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${scene.address}/agents`);
    await page.getByRole("heading", { name: "Commands" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  },
  "real",
);
