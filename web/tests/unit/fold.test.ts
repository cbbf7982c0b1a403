// From entries to the thread: what a person reads follows from what was recorded.
import { describe, expect, test } from "vitest";
import { byTurn, cameBack, foldTurn, NOTHING_STREAMS, type CallView, type RoundItem, type TurnView } from "../../src/thread/fold.ts";
import type { Approval, Entry, EntryBody, Outcome } from "../../src/wire.ts";

function turn(...bodies: EntryBody[]): TurnView {
  const entries: Entry[] = bodies.map((body, at) => ({ number: at + 1, at: `2026-01-01T00:00:0${at}Z`, conversation: "c", turn: "t", ...body }));
  return foldTurn("t", entries, NOTHING_STREAMS);
}

const said = (id: string): EntryBody => ({ kind: "said", message_id: id, text: id });
const replied = (id: string, calls: string[] = [], seen = 1): EntryBody => ({
  kind: "replied",
  reply_id: id,
  text: id,
  reasoning: "",
  calls: calls.map((call) => ({ id: call, tool: "write", arguments: "{}" })),
  stop: "natural",
  model: "m",
  usage: { prompt: 10, decoded: 2 },
  seen,
});
const screened = (call: string): EntryBody => ({ kind: "screened", call, label: `Write ${call}`, classes: ["create"], arguments: { path: call } });
const approval = (call: string): Approval => ({ id: `a-${call}`, call, digest: "d", path: [], tool: "write", label: "", why: "", classes: ["create"], arguments: {}, targets: [], leaves_machine: false, undo: false });
const asked = (call: string): EntryBody => ({ kind: "asked", approval: approval(call) });
const answered = (call: string, decision: "approve" | "refuse" | "told"): EntryBody => ({ kind: "answered", approval: `a-${call}`, decision, surface: "web" });
const started = (call: string): EntryBody => ({ kind: "started", call, cleared_by: "approval" });
const returned = (call: string): EntryBody => ({ kind: "returned", call, status: "done", text: "ok", made: [] });
const ended = (outcome: Outcome = "answered"): EntryBody => ({ kind: "ended", outcome, sentence: "", next_step: "", footer: [] });

function calls(view: TurnView): CallView[] {
  return view.items.filter((item): item is RoundItem => item.is === "round").flatMap((item) => [...item.calls]);
}

describe("a call", () => {
  const steps: [EntryBody, string, string][] = [
    [replied("r", ["c1"]), "judging", "running"],
    [screened("c1"), "judging", "running"],
    [asked("c1"), "asking", "resting"],
    [answered("c1", "approve"), "cleared", "running"],
    [started("c1"), "running", "running"],
    [returned("c1"), "done", "running"],
    [ended(), "done", "over"],
  ];
  for (let at = 1; at <= steps.length; at += 1) {
    test(`after ${steps[at - 1]?.[0].kind} is ${steps[at - 1]?.[1]}`, () => {
      const view = turn(said("m"), ...steps.slice(0, at).map(([body]) => body));
      expect([calls(view)[0]?.state, view.state]).toEqual(steps[at - 1]?.slice(1));
    });
  }

  test("that was refused says so, and a question that was answered does not", () => {
    expect(calls(turn(said("m"), replied("r", ["c1"]), asked("c1"), answered("c1", "refuse")))[0]?.state).toBe("refused");
    expect(calls(turn(said("m"), replied("r", ["c1"]), asked("c1"), answered("c1", "told")))[0]?.state).toBe("cleared");
  });

  test("that still waited when the turn was stopped is over too", () => {
    const view = turn(said("m"), replied("r", ["c1"]), asked("c1"), { kind: "stopped" }, ended("stopped"));
    expect(calls(view)[0]?.state).toBe("cancelled");
  });
});

describe("a message while the turn runs", () => {
  const waiting = (view: TurnView) => view.items.filter((item) => item.is === "said" && item.waits).map((item) => item.id);

  test("waits until a reply has seen it", () => {
    expect(waiting(turn(said("m"), said("steer")))).toEqual(["steer"]);
    expect(waiting(turn(said("m"), said("steer"), replied("r", ["c1"], 1)))).toEqual(["steer"]);
    expect(waiting(turn(said("m"), said("steer"), replied("r", ["c1"], 1), returned("c1"), replied("r2", [], 4)))).toEqual([]);
  });

  test("is gone when it was withdrawn", () => {
    const view = turn(said("m"), said("steer"), { kind: "withdrawn", message_id: "steer" });
    expect(view.items.map((item) => item.id)).toEqual(["m"]);
  });
});

test("a turn without a model says it once", () => {
  const faltered: EntryBody = { kind: "faltered", model: "m", reason: "gone", attempt_again: true };
  expect(turn(said("m"), faltered, faltered).items.map((item) => item.is)).toEqual(["said", "faltered", "faltered"]);
  expect(turn(said("m"), faltered, faltered, ended("model_unavailable")).items.map((item) => item.is)).toEqual(["said"]);
});

test("usage sums what is known, and what is not known is not 0", () => {
  const { usage } = turn(said("m"), replied("r", ["c1"]), returned("c1"), replied("r2"), ended());
  expect(usage).toMatchObject({ rounds: 2, prompt: 20, decoded: 4 });
  expect(usage?.reused).toBeUndefined();
});

test("turns keep the order in which they began", () => {
  const entry = (number: number, id: string): Entry => ({ number, at: "", conversation: "c", turn: id, kind: "resumed" });
  expect([...byTurn([entry(1, "a"), entry(2, "b"), entry(3, "a")]).keys()]).toEqual(["a", "b"]);
});

test("a message that a turn left unread begins the next turn", () => {
  const bodies = [said("m"), said("steer"), replied("r", [], 1), ended()];
  const entries: Entry[] = bodies.map((body, at) => ({ number: at + 1, at: "", conversation: "c", turn: "m", ...body }));
  const grouped = [...byTurn(entries)].map(([name, each]) => [name, each.map((entry) => entry.number)]);
  expect(grouped).toEqual([
    ["m", [1, 3, 4]],
    ["steer", [2]],
  ]);
});

describe("marks", () => {
  const compacted: EntryBody = { kind: "compacted", what: "summarised", sentence: "Folded.", summary: "All of it.", tokens_before: 900, tokens_after: 90 };
  const held: EntryBody = { kind: "held", sentence: "It may not travel.", next_step: "Write." };

  test("of a fold after a turn stand behind its end", () => {
    const bodies: [string, EntryBody][] = [["m", said("m")], ["m", ended()], ["", compacted]];
    const entries: Entry[] = bodies.map(([name, body], at) => ({ number: at + 1, at: "", conversation: "c", turn: name, ...body }));
    const view = foldTurn("m", byTurn(entries).get("m") ?? [], NOTHING_STREAMS);
    expect(view.items.map((item) => item.is)).toEqual(["said"]);
    expect(view.afterwards).toMatchObject([{ is: "fold", sentence: "Folded.", summary: "All of it.", before: 900, after: 90 }]);
  });

  test("say when another model went on, and only then", () => {
    const faltered: EntryBody = { kind: "faltered", model: "first", reason: "gone", attempt_again: true };
    const marks = (view: TurnView) => view.items.filter((item) => item.is === "mark").map((item) => item.model);
    expect(marks(turn(said("m"), faltered, replied("r")))).toEqual(["m"]);
    expect(marks(turn(said("m"), replied("r", ["c1"]), returned("c1"), replied("r2")))).toEqual([]);
  });

  test("of a turn that is held ask the person, until something came after them", () => {
    const open = turn(said("m"), held);
    expect([open.state, open.items.at(-1)]).toMatchObject(["resting", { is: "held", open: true }]);
    const over = turn(said("m"), held, said("again"));
    expect([over.state, over.items[1]]).toMatchObject(["running", { is: "held", open: false }]);
  });
});

describe("a delegate", () => {
  const inner = (body: EntryBody): EntryBody => ({ ...body, frame: "c1" }) as EntryBody;
  const opened = inner({ kind: "opened", profile: "helper", path: ["outer", "helper"], model: "m", task: "look", background: false });
  const begun = [said("m"), replied("r", ["c1"]), screened("c1"), started("c1"), opened];

  test("stands inside its call, with the calls that it makes, and its words are not the turn's", () => {
    const view = turn(...begun, inner(replied("inside", ["c2"])), inner(screened("c2")), inner(started("c2")));
    expect(view.items.filter((item) => item.is === "round").map((item) => item.id)).toEqual(["r"]);
    const [call] = calls(view);
    expect([call?.inside?.profile, call?.inside?.over, call?.inside?.calls.map((each) => [each.id, each.state])]).toEqual(["helper", false, [["c2", "running"]]]);
  });

  test("that asks lets the turn rest, and its end is not that of the turn", () => {
    const asks = [...begun, inner(replied("inside", ["c2"])), inner(screened("c2")), inner(asked("c2"))];
    expect(turn(...asks).state).toBe("resting");
    const over = turn(...asks, inner(answered("c2", "approve")), inner(returned("c2")), inner(ended()));
    expect([over.state, over.end, calls(over)[0]?.inside?.over]).toEqual(["running", undefined, true]);
    expect(turn(...asks, inner(ended()), returned("c1"), ended()).state).toBe("over");
  });

  test("in the background goes on beside a later turn", () => {
    const at = (body: EntryBody, number: number, name: string): Entry => ({ number, at: "2026-01-01T00:00:00Z", conversation: "c", turn: name, ...body }) as Entry;
    const entries = [...begun, returned("c1"), ended()].map((body, index) => at(body, index + 1, "t"));
    const later = [...entries, at(said("n"), 8, "n"), at(inner(replied("inside")), 9, "t"), at(inner(ended()), 10, "t"), at(replied("s"), 11, "n"), at(ended(), 12, "n")];
    const turns = byTurn(later);
    expect([...turns].map(([name, own]) => [name, own.length])).toEqual([["t", 9], ["n", 3]]);
    expect(foldTurn("t", turns.get("t") ?? [], NOTHING_STREAMS).state).toBe("over");
  });
});

test("where the model said nothing, the host says what came back, a line each", () => {
  const failedCall: EntryBody = { kind: "returned", call: "c2", status: "failed", text: `\n${"x".repeat(300)}\nmore`, made: [] };
  const refused: EntryBody = { kind: "returned", call: "c3", status: "refused", text: "no", made: [] };
  const view = turn(said("m"), replied("r", ["c1", "c2", "c3"]), screened("c1"), returned("c1"), failedCall, refused, ended("mute"));
  expect(cameBack(view)).toEqual([
    { id: "c1", label: "Write c1", text: "ok" },
    { id: "c2", label: "write", text: `${"x".repeat(160)}…` },
  ]);
  expect(cameBack(turn(said("m"), ended("mute")))).toEqual([]);
});
