// The main job with a model that runs on this machine: it writes a call, the change is shown as a diff, a yes makes the
// file, and all is there after a crash. The model is too small to choose, so models.first_call has every reply begin with
// a call of file_write; what it writes there is its own, and whatever it is must fit the tool.

import assert from "node:assert/strict";
import { spec } from "./case.mjs";
import { PERSON, onThisMachine, say, setUp, threadText } from "./harness.mjs";

/** Ways to ask for a file. Some calls are blocked for what they name; then the next is asked. */
const REQUESTS = [
  "file_write path ~/notes.txt content hello",
  "Write the file ~/plan.txt with the text: water the lemon tree.",
  '{"path":"~/list.txt","content":"lamps"}',
  "Write a note ~/courtyard.txt with the text: paint the north wall.",
];
/** One reply with the whole prompt before it, on a slow and busy machine: half a minute where nothing else runs. */
const CALL_MS = 600_000;
const REST_MS = 60_000;
/** How long it may talk on after what is looked at here. */
const MORE_MS = 20_000;

export const from_an_empty_machine_to_an_answer_of_a_real_model_after_a_crash = spec(undefined, async (page, scene) => {
  await page.addInitScript(keepDeltas);
  await setUp(page, scene);

  const { call, turn } = await callThatIsAsked(page);
  const pieces = (await deltas(page)).filter((delta) => delta.channel === "arguments" && delta.reply_id === call.reply);
  assert.ok(pieces.length >= 3, `the arguments came in ${pieces.length} pieces`);
  assert.equal(joined(pieces), call.arguments, "what was streamed is what was recorded");
  await allowWhatIsShown(page, scene, call);
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

  const seen = new Set((await entries(page)).filter((entry) => entry.kind === "replied").map((entry) => entry.reply_id));
  await say(page, "Tell me about the courtyard.");
  const { turn: next } = await entryOf(page, CALL_MS, (entry) => entry.kind === "said" && entry.text.includes("about the courtyard"));
  await writes(page, (delta) => ["text", "arguments"].includes(delta.channel) && !seen.has(delta.reply_id));
  await atRest(page, next);
  const replied = (await entries(page)).filter((entry) => entry.kind === "replied" && entry.turn === next);
  assert.ok(replied.length > 0, "it answered");
  const [{ reply_id: id, text, calls }] = replied;
  // What came before may lead it to write a call again instead of an answer.
  const channel = calls.length > 0 ? "arguments" : "text";
  const written = (await deltas(page)).filter((delta) => delta.reply_id === id && delta.channel === channel);
  assert.ok(written.length >= 3, `the answer came in ${written.length} pieces: ${JSON.stringify(replied)}`);
  const whole = calls.length > 0 ? calls.map((call) => call.arguments).join("") : text;
  assert.ok(whole.trim() !== "" && whole.trim() === joined(written).trim(), "what was streamed is what was recorded");
}, "worker", { ...onThisMachine, "models.first_call": "file_write" });
from_an_empty_machine_to_an_answer_of_a_real_model_after_a_crash.longest = 2_400_000;

/** Asks until a call of the model comes before the person. */
async function callThatIsAsked(page) {
  const tried = [];
  for (const request of REQUESTS) {
    const asked = await callOf(page, request, tried);
    if (asked) return asked;
  }
  throw new Error(`no call of the model came before the gate, only these:\n${tried.join("\n")}`);
}

/** Asks, and gives the call that came of it once a person is asked about it; nothing if it was blocked before. */
async function callOf(page, request, tried) {
  await say(page, request);
  const { turn } = await entryOf(page, REST_MS, (entry) => entry.kind === "said" && entry.text === request);
  const replied = await entryOf(page, CALL_MS, (entry) => entry.kind === "replied" && entry.turn === turn);
  const [first] = replied.calls;
  assert.equal(replied.calls.length, 1, "the reply is one call");
  const screened = await entryOf(page, REST_MS, (entry) => entry.call === first.id && ["screened", "rejected"].includes(entry.kind));
  // A small model may write one argument without end: that call was cut and has no end to be valid by.
  tried.push(`${screened.kind} ${screened.blocked ?? screened.reason}, ${replied.stop}: ${first.tool} ${first.arguments.slice(0, 120)}`);
  const cut = screened.kind === "rejected" && ["length", "cut"].includes(replied.stop);
  assert.ok(cut || screened.kind === "screened", `the call does not fit its tool: ${first.tool} ${first.arguments}`);
  if (cut || screened.blocked) {
    await atRest(page, turn, 0);
    return undefined;
  }
  await entryOf(page, REST_MS, (entry) => entry.kind === "asked" && entry.approval.call === first.id);
  return { turn, call: { ...first, reply: replied.reply_id } };
}

/** The diff on the card is what the model wrote; before the yes there is no such file, after it there is. */
async function allowWhatIsShown(page, scene, call) {
  const { path, content } = JSON.parse(call.arguments);
  const name = path.split("/").at(-1);
  const card = page.locator("riad-approval");
  await card.locator(".diff").waitFor();
  const shown = await card.locator(".diff-line.added .diff-text").allInnerTexts();
  assert.equal(shown.join("\n").trim(), content.trim(), "the card shows what would be written");
  assert.equal(scene.file(name), undefined, "nothing is made before the yes");
  await card.getByRole("button", { name: "Allow once" }).click();
  const returned = await entryOf(page, REST_MS, (entry) => entry.kind === "returned" && entry.call === call.id);
  assert.equal(returned.status, "done");
  assert.equal(scene.read(name), content);
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

/** Waits until enough of a reply has come to see that it streams. A stop before that would leave nothing to look at. */
async function writes(page, fits) {
  const until = Date.now() + CALL_MS;
  while ((await deltas(page)).filter(fits).length < 3) {
    assert.ok(Date.now() < until, "no reply streams");
    await page.waitForTimeout(600);
  }
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
