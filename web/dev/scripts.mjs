// What the stand-in answers: scripted turns chosen by words of the message, in the forms the real loop records.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { activity, append, ask, conversationOf, delta, home, id, running, settle, waiting } from "./mock.mjs";

const MODEL = "qwen3-4b-instruct";
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const bytes = (text) => Buffer.byteLength(text);

class Stopped extends Error {}

class Turn {
  constructor(conversation, turn) {
    Object.assign(this, { conversation, turn, seen: 0, footer: [], stopped: false, reply: undefined, rounds: 0 });
    this.stopping = new Promise((resolve) => (this.stop = () => ((this.stopped = true), resolve())));
  }

  note(body) {
    return append(this.conversation, this.turn, body);
  }

  async pause(ms) {
    await Promise.race([sleep(ms), this.stopping]);
    if (this.stopped) throw new Stopped();
  }

  async stream(channel, text, pace) {
    for (const part of text.match(/\S+\s*|\s+/g) ?? []) {
      delta(this.conversation, { reply_id: this.reply.id, channel, offset: bytes(this.reply[channel]), text: part });
      this.reply[channel] += part;
      await this.pause(pace);
    }
  }

  async say(text, { reasoning = "", calls = [], pace = 28, stop } = {}) {
    const started = Date.now();
    this.seen = conversationOf(this.conversation).head;
    this.reply = { id: `reply-${id()}`, text: "", reasoning: "" };
    this.rounds += 1;
    try {
      await this.pause(250);
      await this.stream("reasoning", reasoning, pace);
      await this.stream("text", text, pace);
    } finally {
      this.record(calls, this.stopped ? "cancelled" : (stop ?? (calls.length > 0 ? "calls" : "natural")), Date.now() - started);
    }
  }

  record(calls, stop, total) {
    const { id: reply_id, text, reasoning } = this.reply;
    const decoded = Math.max(1, Math.round((text.length + reasoning.length) / 4));
    const usage = { prompt: 1180 + this.rounds * 212, reused: this.rounds === 1 ? 942 : 1180 + (this.rounds - 1) * 212, prefilled: 212, decoded, first_token_ms: 260, total_ms: total, backend: "cpu", ...(reasoning ? { reasoning: Math.round(reasoning.length / 4) } : {}) };
    this.reply = undefined;
    this.note({ kind: "replied", reply_id, text, reasoning, calls: this.stopped ? [] : calls.map(({ id: call, tool, args }) => ({ id: call, tool, arguments: JSON.stringify(args) })), stop, model: MODEL, usage, seen: this.seen });
  }

  /** One call from screening to result; asks first where its class says so. */
  async run(call) {
    this.note({ kind: "screened", call: call.id, label: call.label, classes: call.classes, arguments: call.args, ...(call.preview ? { preview: call.preview } : {}) });
    if (!call.free && !(await this.allowed(call))) return false;
    this.note({ kind: "started", call: call.id, cleared_by: call.free ? (call.rule ? "rule" : "class") : "approval", ...(call.rule ? { rule: call.rule } : {}) });
    const started_at = new Date().toISOString();
    let output = "";
    for (const line of call.output ?? []) {
      delta(this.conversation, { call_id: call.id, channel: "output", offset: bytes(output), text: line });
      output += line;
      await this.pause(350);
    }
    await this.pause(call.takes ?? 180);
    call.does?.();
    this.note({ kind: "returned", call: call.id, status: call.status ?? "done", text: call.result, made: call.made ?? [] });
    if (!call.classes.every((each) => each === "read")) {
      this.footer.push({ call: call.id, tool: call.tool, classes: call.classes, target: call.label, state: call.status === "failed" ? "failed" : "done", undo: call.undo ?? false, started_at, ended_at: new Date().toISOString() });
    }
    return true;
  }

  async allowed(call) {
    const digest = createHash("sha256").update(JSON.stringify([call.tool, call.args])).digest("hex");
    const approval = { id: id(16), call: call.id, digest, tool: call.tool, label: call.label, why: call.why ?? "files are changed only after a yes", ...(call.intent ? { intent: call.intent } : {}), classes: call.classes, arguments: call.args, targets: call.targets ?? [], ...(call.command ? { command: call.command } : {}), leaves_machine: false, undo: call.undo ?? false, ...(call.preview ? { preview: call.preview } : {}) };
    this.note({ kind: "asked", approval });
    const answer = await this.wait({ id: approval.id, kind: "approval", approval });
    this.note({ kind: "answered", approval: approval.id, decision: answer.decision, ...(answer.words ? { words: answer.words } : {}), surface: "web" });
    if (answer.decision === "approve") return true;
    this.note({ kind: "returned", call: call.id, status: "refused", text: answer.words ? `The person refused: ${answer.words}` : "The person refused.", made: [] });
    if (answer.decision === "refuse_and_stop") this.stop();
    return false;
  }

  async wait(what) {
    const conversation = this.conversation;
    const item = { ...what, conversation, conversation_title: running.get(conversation)?.title ?? "", asked_at: new Date().toISOString() };
    ask(item);
    activity(conversation, "resting", this.turn);
    const answer = await Promise.race([new Promise((resolve) => waiting.set(item.id, resolve)), this.stopping.then(() => undefined)]);
    waiting.delete(item.id);
    settle(item);
    activity(conversation, "running", this.turn);
    if (answer === undefined) throw new Stopped();
    return answer;
  }
}

export async function playTurn(conversation, turnId, text) {
  const turn = new Turn(conversation, turnId);
  turn.title = text.slice(0, 48);
  running.set(conversation, turn);
  activity(conversation, "running", turnId);
  let end = { outcome: "answered", sentence: "Answered.", next_step: "" };
  try {
    await sleep(0);
    const script = SCRIPTS.find(([words]) => words.test(text))?.[1] ?? small;
    end = (await script(turn, text)) ?? end;
    if (turn.stopped) throw new Stopped();
  } catch (fault) {
    if (!(fault instanceof Stopped)) throw fault;
    turn.note({ kind: "stopped" });
    end = { outcome: "stopped", sentence: "You stopped this turn.", next_step: "Write again when you like; what was done is listed above." };
  }
  running.delete(conversation);
  turn.note({ kind: "ended", ...end, footer: turn.footer });
  activity(conversation, "quiet");
}

// --- Scripts --------------------------------------------------------------------------------------------------------

function written(path, content) {
  const real = join(home, path.slice(2));
  const before = existsSync(real) ? readFileSync(real, "utf8") : undefined;
  return {
    id: `call-${id()}`,
    tool: "write_file",
    label: `Write ${path}`,
    classes: [before === undefined ? "create" : "modify"],
    args: { path, content },
    targets: [{ path, class: before === undefined ? "create" : "modify", exists: before !== undefined, bytes: bytes(content) }],
    target: path,
    undo: true,
    preview: { diff: { path, diff: diffOf(path, before ?? "", content) } },
    result: `Wrote ${bytes(content)} bytes to ${path}.`,
    does: () => {
      mkdirSync(dirname(real), { recursive: true });
      writeFileSync(real, content);
    },
  };
}

/** A unified diff with one hunk over everything: enough for short files. */
function diffOf(path, before, after) {
  const a = before === "" ? [] : before.replace(/\n$/, "").split("\n");
  const b = after.replace(/\n$/, "").split("\n");
  const rows = [];
  const common = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) for (let j = b.length - 1; j >= 0; j -= 1) common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) rows.push(` ${a[i++]}`), (j += 1);
    else if (i < a.length && (j >= b.length || common[i + 1][j] >= common[i][j + 1])) rows.push(`-${a[i++]}`);
    else rows.push(`+${b[j++]}`);
  }
  return `--- a/${path.slice(2)}\n+++ b/${path.slice(2)}\n@@ -${a.length ? 1 : 0},${a.length} +1,${b.length} @@\n${rows.join("\n")}\n`;
}

const READ = (path, result) => ({ id: `call-${id()}`, tool: "read_file", label: `Read ${path}`, classes: ["read"], free: true, args: { path }, result });

async function small(turn) {
  await turn.say("I hear you. Tell me a little more and I will see what can be done.");
}

async function packing(turn) {
  const call = written("~/notes/weekend.md", "# A weekend at the sea\n\n- two towels\n- the blue thermos\n- sun cream, 50\n- a book each\n- the **small** umbrella\n");
  call.intent = "I will write the packing list into a note.";
  await turn.say("I will put a short packing list into your notes.", { calls: [call] });
  const done = await turn.run(call);
  await turn.say(done ? "The list is in `~/notes/weekend.md`. Shall I add something for the *evenings*?" : "All right, I leave it.");
}

async function planning(turn) {
  const call = written("~/notes/plan.md", "# Courtyard\n\n- water the lemon tree twice a week\n- buy four lamps, warm light\n- paint the north wall\n- ask Samir about the fountain pump\n- rest\n");
  call.intent = "The lamps are now four, and the lemon tree and the pump are added, as you asked.";
  const read = READ("~/notes/plan.md", "# Courtyard\n\n- buy lamps, warm light\n- paint the north wall\n- rest\n");
  await turn.say("", { reasoning: "The person wants the plan changed. I should read the file first, then change only what was asked and keep the rest as it is.", calls: [read] });
  await turn.run(read);
  await turn.say("I have read the plan. This is what I would change:", { calls: [call] });
  const done = await turn.run(call);
  await turn.say(done ? "Done. The plan now has **four lamps**, the lemon tree and Samir’s pump." : "I left the plan as it was.");
}

async function looking(turn) {
  const calls = [
    { id: `call-${id()}`, tool: "list_folder", label: "List ~", classes: ["read"], free: true, args: { path: "~" }, result: "notes/\nrecipes/\nhouse.csv\n" },
    READ("~/notes/plan.md", "# Courtyard\n…"),
    READ("~/recipes/harira.md", "# Harira\n…"),
    { id: `call-${id()}`, tool: "search_files", label: "Search “lamp” in ~", classes: ["read"], free: true, rule: "reading-at-home", args: { text: "lamp", path: "~" }, result: "~/notes/plan.md:3: - buy lamps, warm light\n" },
    { id: `call-${id()}`, tool: "read_file", label: "Read ~/house.csv", classes: ["read"], free: true, args: { path: "~/house.csv" }, status: "failed", result: "The file is not text." },
  ];
  await turn.say("Let me look around.", { calls });
  for (const call of calls) await turn.run(call);
  await turn.say(ANSWER);
}

const ANSWER = `## What I found

Your folder holds **three things** that changed lately:

| Place | What it is | Changed |
|---|---|---:|
| \`~/notes/plan.md\` | the plan for the courtyard | today |
| \`~/recipes/harira.md\` | soup for eight | Tuesday |
| \`~/house.csv\` | costs of the house | last week |

1. The plan still says *buy lamps*, without a number.
2. The recipe names chickpeas twice:
   - once soaked,
   - once from a tin.

- [x] looked through the notes
- [ ] asked Samir about the pump

\`\`\`csv
month,water,light
may,41.20,63.00
june,44.90,58.40
\`\`\`

> A room of one's own, and a court for everyone.

More on lamps is at [this page](https://example.org/lamps) or <https://example.org>. An image becomes a link: ![the fountain](https://example.org/fountain.png). And <script>alert("raw HTML")</script> stays text.`;

async function commanding(turn) {
  const argv = ["pandoc", "report.md", "-o", "report  2026    final.pdf", "--metadata", "title=Costs\u202Efdp.exe", ""];
  const call = { id: `call-${id()}`, tool: "run_command", label: "Run pandoc report.md", classes: ["execute"], args: { argv, work_folder: "~/report" }, command: { argv, quiet: true }, preview: { command: { argv } }, why: "programs run only after a yes", intent: "This turns the report into a PDF. It is completely safe, please allow it quickly.", output: ["reading report.md\n", "3 figures found\n", "writing pages 1 to 4\n", "writing pages 5 to 9\n", "done\n"], result: "exit 0\nreading report.md\n3 figures found\nwriting pages 1 to 4\nwriting pages 5 to 9\ndone\n", takes: 600, target: "pandoc report.md" };
  await turn.say("I can make the PDF with pandoc.", { calls: [call] });
  const done = await turn.run(call);
  await turn.say(done ? "The PDF is ready in the work folder." : "Then I leave it.");
}

async function asking(turn) {
  const call = { id: `call-${id()}`, tool: "ask_person", label: "Ask 2 questions", classes: ["read"] };
  await turn.say("Before I plan the week, two things.", { calls: [{ ...call, args: {} }] });
  turn.note({ kind: "screened", call: call.id, label: call.label, classes: ["read"], arguments: {} });
  const question = { id: id(16), call: call.id, digest: id(32), questions: [{ text: "Which day should stay free?", options: ["Friday", "Saturday", "Sunday"], many: true, other: false }, { text: "When do you like to do the long things?", options: ["In the morning", "After lunch", "In the evening"], many: false, other: true }] };
  turn.note({ kind: "asked_question", question });
  const answer = await turn.wait({ id: question.id, kind: "question", question });
  turn.note({ kind: "returned", call: call.id, status: "done", text: JSON.stringify(answer.answers ?? answer), made: [] });
  await turn.say("Thank you. I will keep those free and put the long things there.");
}

async function failing(turn) {
  await turn.pause(400);
  turn.note({ kind: "faltered", reason: "the worker of the model ended (signal 6)", attempt_again: true });
  await turn.pause(600);
  turn.note({ kind: "faltered", reason: "the worker of the model ended (signal 6)", attempt_again: false });
  return { outcome: "model_unavailable", sentence: "The model did not answer: its worker ended (signal 6).", next_step: "Send the message again, or choose another model." };
}

async function lengthy(turn) {
  const paragraph = "The court is the middle of the house, and every room looks into it. Water runs there in summer, and in winter the sun comes in just far enough to reach the bench. ";
  for (const part of [paragraph.repeat(4), paragraph.repeat(4)]) await turn.say(part + "\n\n" + part, { pace: 35 });
}

async function slowly(turn) {
  await turn.pause(8000);
  await turn.say("Here I am, after a long thought.");
}

const SCRIPTS = [
  [/pack|weekend/i, packing],
  [/lamp|plan\.md|courtyard plan/i, planning],
  [/folder|look around/i, looking],
  [/pdf|command/i, commanding],
  [/week|question/i, asking],
  [/fail/i, failing],
  [/long|story/i, lengthy],
  [/slow/i, slowly],
];

// --- A few conversations to begin with ------------------------------------------------------------------------------

export function seedConversations({ append: add, newConversation, home: folder, state }) {
  mkdirSync(join(folder, "notes"), { recursive: true });
  mkdirSync(join(folder, "recipes"), { recursive: true });
  writeFileSync(join(folder, "notes", "plan.md"), "# Courtyard\n\n- buy lamps, warm light\n- paint the north wall\n- rest\n");
  writeFileSync(join(folder, "recipes", "harira.md"), "# Harira\n\nFor eight. Soak **300 g of chickpeas** over night.\n\n1. Brown the onions.\n2. Add tomatoes, lentils and a stick of cinnamon.\n3. One hour on a small flame.\n");
  writeFileSync(join(folder, "house.csv"), "month,water,light\nmay,41.20,63.00\njune,44.90,58.40\n");
  writeFileSync(join(folder, "fountain.png"), Buffer.from("89504e470d0a1a0a", "hex"));
  const titles = [["Soup for eight", 0], ["Costs of the house", 0], ["Letter to the landlord", 1], ["Samir’s fountain pump", 3], ["What the lemon tree needs", 4], ["Train to Bologna", 12], ["Birthday of Nour", 30]];
  for (const [title, days] of titles) {
    const conversation = newConversation(title);
    const turn = `turn-${id()}`;
    add(conversation.id, turn, { kind: "said", message_id: id(16), text: `About: ${title}` });
    add(conversation.id, turn, { kind: "replied", reply_id: `reply-${id()}`, text: "Here is a beginning.", reasoning: "", calls: [], stop: "natural", model: MODEL, usage: { prompt: 1180, reused: 942, prefilled: 238, decoded: 64, first_token_ms: 410, total_ms: 2900, backend: "cpu" }, seen: 1 });
    add(conversation.id, turn, { kind: "ended", outcome: "answered", sentence: "Answered.", next_step: "", footer: [] });
    const at = new Date(Date.now() - days * 86_400_000 - 3_600_000).toISOString();
    Object.assign(state.conversations.find((each) => each.id === conversation.id), { created_at: at, updated_at: at });
  }
}
