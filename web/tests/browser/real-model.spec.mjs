// The main job with a model that runs on this machine. It is too small to choose well, so nothing here depends on what
// it says: it must stream, its calls must fit their tools whatever it thinks, and what became of them must be there after
// a crash. That it calls at all is set by models.first_call.

import assert from "node:assert/strict";
import { spec } from "./case.mjs";
import { PERSON, onThisMachine, say, setUp, threadText } from "./harness.mjs";

/** Things to ask that bring forth calls of several kinds. Some calls are blocked for what they name; then the next is asked. */
const REQUESTS = ["file_list path ~", "Read the file ~/notes.txt", "Which files are there?", "Remember that the lamps are warm.", "list ~", "file_read ~/plan.md"];
/** One reply with the whole prompt before it, on a slow and busy machine: half a minute where nothing else runs. */
const CALL_MS = 600_000;
const REST_MS = 60_000;
/** How long it may talk on after what is looked at here. */
const MORE_MS = 20_000;

export const from_an_empty_machine_to_an_answer_of_a_real_model_after_a_crash = spec(undefined, async (page, scene) => {
  await page.addInitScript(keepDeltas);
  await setUp(page, scene);

  let judged;
  const tried = [];
  for (const request of REQUESTS) {
    judged = await callOf(page, request, tried);
    if (judged) break;
  }
  assert.ok(judged, `a call of the model came before the gate, not only these:\n${tried.join("\n")}`);
  const { call, turn } = judged;
  const pieces = (await deltas(page)).filter((delta) => delta.channel === "arguments" && delta.reply_id === call.reply);
  assert.ok(pieces.length >= 3, `the arguments came in ${pieces.length} pieces`);
  assert.equal(joined(pieces), call.arguments, "what was streamed is what was recorded");
  assert.equal(typeof JSON.parse(call.arguments), "object");
  await atRest(page, turn);
  const before = await threadText(page);
  const entriesBefore = await entries(page);

  await scene.kill();
  await page.locator(".offline").waitFor();
  // From here on it decides by itself: a plain answer streams as text.
  scene.settings["models.first_call"] = "free";
  await scene.startServer();
  await page.getByRole("button", { name: "Unlock" }).waitFor({ timeout: 40_000 });
  await page.getByLabel("Password").fill(PERSON.password);
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.locator("riad-unlock").waitFor({ state: "detached" });
  assert.equal(await threadText(page), before, "the conversation is whole");
  assert.deepEqual((await entries(page)).slice(0, entriesBefore.length), entriesBefore, "so is what is recorded");

  await say(page, "Tell me about the courtyard.");
  const { turn: next } = await entryOf(page, CALL_MS, (entry) => entry.kind === "said" && entry.text.includes("about the courtyard"));
  await page.locator(".round.live").waitFor({ timeout: CALL_MS });
  await atRest(page, next);
  const reply = (await entries(page)).find((entry) => entry.kind === "replied" && entry.turn === next);
  const written = (await deltas(page)).filter((delta) => delta.reply_id === reply.reply_id && delta.channel === "text");
  assert.ok(written.length >= 3, `the answer came in ${written.length} pieces`);
  assert.ok(joined(written).trim() !== "" && reply.text.trim() === joined(written).trim(), "what was streamed is what was recorded");
}, "worker", { ...onThisMachine, "models.first_call": "ask_person" });
from_an_empty_machine_to_an_answer_of_a_real_model_after_a_crash.longest = 2_400_000;

/** Asks, and gives the call that came of it once its result is recorded; nothing if it was blocked before the gate. */
async function callOf(page, request, tried) {
  await say(page, request);
  const { turn } = await entryOf(page, REST_MS, (entry) => entry.kind === "said" && entry.text === request);
  const replied = await entryOf(page, CALL_MS, (entry) => entry.kind === "replied" && entry.turn === turn);
  const [first] = replied.calls;
  assert.equal(replied.calls.length, 1, "the reply is one call");
  const screened = await entryOf(page, REST_MS, (entry) => entry.call === first.id && ["screened", "rejected"].includes(entry.kind));
  // A small model may write one argument without end: that call was cut and has no end to be valid by.
  tried.push(`${screened.kind} ${screened.blocked ?? screened.reason}, ${replied.stop}: ${first.tool} ${first.arguments.slice(0, 120)}`);
  if (screened.kind === "rejected" && ["length", "cut"].includes(replied.stop)) {
    await atRest(page, turn, 0);
    return undefined;
  }
  assert.equal(screened.kind, "screened", `the call does not fit its tool: ${first.tool} ${first.arguments}`);
  if (screened.blocked) {
    await atRest(page, turn, 0);
    return undefined;
  }
  const returned = await withAYes(page, first.id);
  const record = await entries(page);
  const about = (entry) => (entry.approval ?? entry.question ?? entry).call;
  const passed = record.some((entry) => ["started", "asked", "asked_question"].includes(entry.kind) && about(entry) === first.id);
  assert.ok(passed, "it ran, or a person was asked");
  assert.ok(["done", "failed", "refused"].includes(returned.status), returned.status);
  return { turn, call: { ...first, reply: replied.reply_id } };
}

/** Waits for the result of a call, and answers what is asked about it in the page. */
async function withAYes(page, call) {
  const yes = page.getByRole("button", { name: "Allow once" });
  const question = page.locator("riad-question");
  for (let rounds = 0; rounds < 60; rounds++) {
    if (await question.isVisible()) await answerQuestion(question);
    else if (await yes.isVisible()) await yes.click();
    const returned = await entryOf(page, 2_000, (entry) => entry.kind === "returned" && entry.call === call).catch(() => undefined);
    if (returned) return returned;
  }
  throw new Error(`the call ${call} has no result`);
}

async function answerQuestion(question) {
  const option = question.locator("input[name=option]").first();
  if (await option.isVisible()) await option.check();
  else await question.locator("textarea").fill("As you like.");
  await question.locator("button[type=submit]").click();
}

/** The end of a turn. A model that talks on and on is stopped, as a person would; cards that come up meanwhile go with it. */
async function atRest(page, turn, patience = MORE_MS) {
  const over = page.locator(`.turn[data-turn="${turn}"][data-state="over"]`);
  await over.waitFor({ timeout: patience || 1 }).catch(async () => {
    await page.getByRole("button", { name: "Stop", exact: true }).click().catch(() => {});
    await over.waitFor({ timeout: REST_MS });
  });
}

/** Notes every delta that comes over the event stream. */
function keepDeltas() {
  window.deltas = [];
  const Plain = WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...parts) {
      super(...parts);
      this.addEventListener("message", ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.kind === "delta") window.deltas.push(frame);
      });
    }
  };
}

function deltas(page) {
  return page.evaluate(() => window.deltas);
}

/** Pieces by their places; one that came twice counts once. */
function joined(pieces) {
  const byPlace = new Map(pieces.map((piece) => [piece.offset, piece.text]));
  return [...byPlace].sort(([a], [b]) => a - b).map(([, text]) => text).join("");
}

/** The record of the open conversation, as the server tells it. */
function entries(page) {
  return page.evaluate(async () => {
    const list = await (await fetch("/api/v1/conversations")).json();
    if (list.items.length === 0) return [];
    const all = [];
    for (;;) {
      const answer = await fetch(`/api/v1/conversations/${list.items[0].id}/entries?since=${all.at(-1)?.number ?? 0}`);
      const page = (await answer.json()).entries;
      if (page.length === 0) return all;
      all.push(...page);
    }
  });
}

async function entryOf(page, patience, fits) {
  const until = Date.now() + patience;
  for (;;) {
    const found = (await entries(page)).find(fits);
    if (found) return found;
    if (Date.now() > until) throw new Error(`not recorded within ${patience} ms: ${fits}`);
    await page.waitForTimeout(600);
  }
}
