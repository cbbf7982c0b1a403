// The stream may be cut anywhere: what a person sees in the end is the same. A small server model plays a whole turn,
// the connection is cut after every single frame, and the end is compared with the one that was never cut.

import { describe, expect, test } from "vitest";
import { EMPTY, byteLength, step, type StreamState, type StreamTask } from "../../src/stream/reducer.ts";
import type { Entry, EntryBody, Frame } from "../../src/wire.ts";

const HERE = "conversation-1";
const THERE = "conversation-2";

function entry(seq: number, number: number, body: EntryBody, conversation = HERE): Entry {
  return { number, seq, at: "2026-01-01T00:00:00Z", conversation, turn: "turn-1", ...body };
}

/** What happens on the server, in order: durable entries, and the deltas between them. */
const TEXTS = ["Ein Stück ", "Zellige — ", "青い ", "tile 🟦."];
const REPLY: EntryBody = {
  kind: "replied",
  reply_id: "reply-1",
  text: TEXTS.join(""),
  reasoning: "Let me think.",
  calls: [],
  stop: "natural",
  model: "scripted",
  usage: {},
  seen: 1,
};

function deltas(reply_id: string, channel: "text" | "reasoning", parts: string[]): Frame[] {
  let offset = 0;
  return parts.map((text) => {
    const frame: Frame = { kind: "delta", conversation: HERE, reply_id, channel, offset, text };
    offset += byteLength(text);
    return frame;
  });
}

const LOG: Frame[] = [
  { kind: "entry", seq: 1, entry: entry(1, 1, { kind: "said", message_id: "m1", text: "Hello" }) },
  ...deltas("reply-1", "reasoning", ["Let me ", "think."]),
  ...deltas("reply-1", "text", TEXTS.slice(0, 2)),
  { kind: "entry", seq: 2, entry: { header: { conversation: THERE, number: 1, kind: "said", at: "2026-01-01T00:00:01Z" } } },
  ...deltas("reply-1", "text", TEXTS).slice(2),
  { kind: "entry", seq: 3, entry: entry(3, 2, REPLY) },
  { kind: "hint", resource: "inbox" },
  { kind: "entry", seq: 4, entry: entry(4, 3, { kind: "ended", outcome: "answered", sentence: "Answered.", next_step: "", footer: [] }) },
];

/** The server: knows the whole log up to `at`, and answers an open and a snapshot from it. */
class Server {
  constructor(private readonly log: readonly Frame[]) {}

  opened(seq: number, at: number): Frame[] {
    const past = this.log.slice(0, at);
    const missed = past.filter((each) => each.kind === "entry" && each.seq > seq);
    const head = past.reduce((most, each) => (each.kind === "entry" ? each.seq : most), 0);
    const running = this.runningAt(at);
    return [...missed, ...(running ? [running] : []), { kind: "live", epoch: "e1", seq: head }];
  }

  runningAt(at: number): Frame | undefined {
    const past = this.log.slice(0, at);
    const over = past.some((each) => each.kind === "entry" && "kind" in each.entry && each.entry.kind === "replied");
    const parts = past.filter((each) => each.kind === "delta");
    if (over || parts.length === 0) return undefined;
    const of = (channel: string) => parts.filter((each) => each.channel === channel).map((each) => each.text).join("");
    return { kind: "snapshot", conversation: HERE, reply_id: "reply-1", text: of("text"), reasoning: of("reasoning") };
  }
}

class Client {
  state: StreamState = { ...EMPTY, epoch: "e1", watch: [HERE] };
  noticed: number[] = [];

  constructor(private readonly server: Server) {
    this.apply({ is: "loaded", conversation: HERE, since: 0, entries: [], head: 0 });
  }

  open(at: number): void {
    this.apply({ is: "opened" });
    for (const frame of this.server.opened(this.state.seq, at)) this.receive(frame, at);
  }

  receive(frame: Frame, at: number): void {
    for (const task of this.apply({ is: "frame", frame, now: at })) this.perform(task, at);
  }

  private perform(task: StreamTask, at: number): void {
    if (task.do === "noticed") this.noticed.push(task.entry.seq ?? -1);
    if (task.do === "reopen") this.open(at);
    if (task.do === "send" && "snapshot" in task.frame) {
      const running = this.server.runningAt(at);
      if (running) this.receive(running, at);
    }
  }

  private apply(event: Parameters<typeof step>[1]): readonly StreamTask[] {
    const { state, tasks } = step(this.state, event);
    this.state = state;
    return tasks;
  }
}

function seen(state: StreamState): unknown {
  const thread = state.threads.get(HERE);
  const replies = [...state.replies.values()].map(({ id, text, reasoning }) => ({ id, text, reasoning }));
  return { seq: state.seq, numbers: thread?.entries.map((each) => each.number), upto: thread?.upto, replies };
}

function play(log: readonly Frame[], cuts: readonly number[], until = log.length): Client {
  const client = new Client(new Server(log));
  client.open(0);
  for (let at = 0; at < until; at += 1) {
    client.receive(log[at] as Frame, at + 1);
    if (cuts.includes(at)) {
      client.state = step(client.state, { is: "closed" }).state;
      client.open(at + 1);
    }
  }
  return client;
}

describe("a stream that is cut", () => {
  for (let stop = 1; stop <= LOG.length; stop += 1) {
    const whole = seen(play(LOG, [], stop).state);
    for (let cut = 0; cut < stop; cut += 1) {
      test(`after frame ${cut + 1}, looked at after frame ${stop}, is as if it had never been cut`, () => {
        const client = play(LOG, [cut], stop);
        expect(seen(client.state)).toEqual(whole);
        expect(client.noticed).toEqual([...new Set(client.noticed)]);
      });
    }
  }

  test("after every frame at once", () => {
    const all = LOG.map((_, at) => at);
    expect(seen(play(LOG, all).state)).toEqual(seen(play(LOG, []).state));
  });
});

describe("a stream that loses frames", () => {
  for (let lost = 0; lost < LOG.length; lost += 1) {
    test(`frame ${lost + 1} is lost without a cut, and the end is whole`, () => {
      const client = new Client(new Server(LOG));
      client.open(0);
      LOG.forEach((frame, at) => {
        if (at !== lost) client.receive(frame, at + 1);
      });
      // The last entry can only be missed until the next frame: a live frame or another entry shows the hole.
      client.receive({ kind: "live", epoch: "e1", seq: 4 }, LOG.length);
      expect(seen(client.state)).toEqual(seen(play(LOG, []).state));
    });
  }

  test("a frame that comes twice counts once", () => {
    const client = new Client(new Server(LOG));
    client.open(0);
    LOG.forEach((frame, at) => {
      client.receive(frame, at + 1);
      client.receive(frame, at + 1);
    });
    expect(seen(client.state)).toEqual(seen(play(LOG, []).state));
    expect(client.noticed).toEqual([1, 3, 4]);
  });
});

describe("deltas", () => {
  const watching: StreamState = { ...EMPTY, epoch: "e1", phase: "live", watch: [HERE] };
  const delta = (offset: number, text: string): Frame => ({ kind: "delta", conversation: HERE, reply_id: "r", channel: "text", offset, text });
  const after = (state: StreamState, frame: Frame) => step(state, { is: "frame", frame, now: 0 });

  test("count bytes, not letters", () => {
    let state = after(watching, delta(0, "é🟦")).state;
    state = after(state, delta(6, "!")).state;
    expect(state.replies.get("r")?.text).toBe("é🟦!");
  });

  test("over a hole are not joined; a snapshot is asked for once", () => {
    const first = after(watching, delta(3, "lo"));
    expect(first.tasks).toEqual([{ do: "send", frame: { snapshot: { reply_id: "r" } } }]);
    const second = after(first.state, delta(5, "!"));
    expect(second.tasks).toEqual([]);
    expect(second.state.replies.get("r")?.text).toBe("");
    const third = after(second.state, { kind: "snapshot", conversation: HERE, reply_id: "r", text: "hello!", reasoning: "" });
    expect(after(third.state, delta(6, "?")).state.replies.get("r")?.text).toBe("hello!?");
  });

  test("of a reply that is over revive nothing", () => {
    const over = after(watching, { kind: "withdrawn", conversation: HERE, reply_id: "r", reason: "cut" }).state;
    expect(after(over, delta(0, "late")).state.replies.size).toBe(0);
  });

  test("of a conversation that is not watched are dropped", () => {
    expect(after({ ...watching, watch: [] }, delta(0, "x")).state.replies.size).toBe(0);
  });

  test("output with a hole goes on and says so", () => {
    const out = (offset: number, text: string): Frame => ({ kind: "delta", conversation: HERE, call_id: "c", channel: "output", offset, text });
    let state = after(watching, out(0, "one\n")).state;
    state = after(state, out(9, "three\n")).state;
    expect(state.outputs.get("c")).toEqual({ conversation: HERE, text: "one\nthree\n", bytes: 15, holed: true });
  });
});

describe("the past over HTTP and the present over the stream", () => {
  const said = (number: number) => entry(number, number, { kind: "said", message_id: `m${number}`, text: "" });
  const live: StreamState = { ...EMPTY, epoch: "e1", phase: "live", watch: [HERE] };

  test("an entry that comes while the past is fetched is kept", () => {
    let state = step(live, { is: "frame", frame: { kind: "entry", seq: 1, entry: { ...said(3), seq: 1 } }, now: 0 }).state;
    state = step(state, { is: "loaded", conversation: HERE, since: 0, entries: [said(1), said(2)], head: 2 }).state;
    expect(state.threads.get(HERE)?.entries.map((each) => each.number)).toEqual([1, 2, 3]);
  });

  test("an answer that is older than what is here adds nothing twice", () => {
    let state = step(live, { is: "loaded", conversation: HERE, since: 0, entries: [said(1), said(2)], head: 2 }).state;
    state = step(state, { is: "loaded", conversation: HERE, since: 0, entries: [said(1)], head: 1 }).state;
    expect(state.threads.get(HERE)?.entries.map((each) => each.number)).toEqual([1, 2]);
  });

  test("a header of a watched conversation fetches what it stands for", () => {
    const loaded = step(live, { is: "loaded", conversation: HERE, since: 0, entries: [said(1)], head: 1 }).state;
    const header = { header: { conversation: HERE, number: 2, kind: "said", at: "" } };
    const { tasks } = step(loaded, { is: "frame", frame: { kind: "entry", seq: 1, entry: header }, now: 0 });
    expect(tasks).toContainEqual({ do: "fetch", conversation: HERE, since: 1 });
  });

  test("another epoch drops everything and reloads", () => {
    const loaded = step(live, { is: "loaded", conversation: HERE, since: 0, entries: [said(1)], head: 1 }).state;
    const { state, tasks } = step(loaded, { is: "frame", frame: { kind: "reset", epoch: "e2", seq: 9 }, now: 0 });
    expect([state.epoch, state.seq, state.threads.size]).toEqual(["e2", 9, 0]);
    expect(tasks).toEqual([{ do: "reload" }]);
  });
});
