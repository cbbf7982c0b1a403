// What the event stream means: a pure function from the state and one event to the next state and the things to do.
// It opens no connection and knows no clock; the time comes with the event. Entries count exactly once, by `seq`;
// deltas are joined by byte offset and never guessed over a hole.

import type { ClientFrame, Entry, Frame } from "../wire.ts";

/** What is known of one conversation: its entries in order, without a hole up to `upto`. */
export interface Thread {
  readonly entries: readonly Entry[];
  /** The number up to which every entry is here. */
  readonly upto: number;
  /** The highest number heard of. */
  readonly known: number;
  /** Entries that came before the ones they follow. */
  readonly early: readonly Entry[];
  /** Whether the past of the conversation was fetched. */
  readonly loaded: boolean;
}

/** A reply that is being written. */
export interface LiveReply {
  readonly id: string;
  readonly conversation: string;
  readonly text: string;
  readonly reasoning: string;
  readonly textBytes: number;
  readonly reasoningBytes: number;
  /** Arguments of calls as they are written, by call id (or by the reply when the call has no id yet). */
  readonly arguments: Readonly<Record<string, string>>;
  readonly reasoningFrom?: number;
  readonly reasoningTo?: number;
  /** A hole was met: nothing more is joined until the snapshot is here. */
  readonly waitsForSnapshot: boolean;
  /** From before the connection was cut, not yet heard of since. */
  readonly stale: boolean;
}

/** Output of a call while it runs. */
export interface LiveOutput {
  readonly conversation: string;
  readonly text: string;
  readonly bytes: number;
  /** Parts were lost on the way; the result will be whole. */
  readonly holed: boolean;
}

export interface StreamState {
  readonly epoch?: string;
  readonly seq: number;
  readonly phase: "closed" | "catching_up" | "live";
  readonly watch: readonly string[];
  readonly threads: ReadonlyMap<string, Thread>;
  readonly replies: ReadonlyMap<string, LiveReply>;
  readonly outputs: ReadonlyMap<string, LiveOutput>;
  /** Replies that are over, so that a late delta cannot revive one. */
  readonly finished: readonly string[];
  /** How long a reply reasoned, in milliseconds, where it was seen. */
  readonly reasoned: ReadonlyMap<string, number>;
}

export type StreamEvent =
  | { is: "opened" }
  | { is: "closed" }
  | { is: "watch"; conversations: readonly string[] }
  | { is: "frame"; frame: Frame; now: number }
  | { is: "loaded"; conversation: string; since: number; entries: readonly Entry[]; head: number };

export type StreamTask =
  | { do: "send"; frame: ClientFrame }
  | { do: "reopen" }
  | { do: "fetch"; conversation: string; since: number }
  | { do: "reload" }
  | { do: "hint"; resource: string; id?: string }
  | { do: "noticed"; entry: Entry }
  | { do: "stirred"; conversation: string; kind: string };

export interface Step {
  readonly state: StreamState;
  readonly tasks: readonly StreamTask[];
}

export const EMPTY: StreamState = {
  seq: 0,
  phase: "closed",
  watch: [],
  threads: new Map(),
  replies: new Map(),
  outputs: new Map(),
  finished: [],
  reasoned: new Map(),
};

const UNLOADED: Thread = { entries: [], upto: 0, known: 0, early: [], loaded: false };
const FINISHED_KEPT = 64;
const utf8 = new TextEncoder();

/** The length of a text in bytes of UTF-8. */
export function byteLength(text: string): number {
  return utf8.encode(text).length;
}

export function step(state: StreamState, event: StreamEvent): Step {
  switch (event.is) {
    case "opened":
      return opened(state);
    case "closed":
      return quiet({ ...state, phase: "closed" });
    case "watch":
      return watch(state, event.conversations);
    case "loaded":
      return loaded(state, event.conversation, event.since, event.entries, event.head);
    case "frame":
      // What a connection that was given up still says is not heard.
      return state.phase === "closed" ? quiet(state) : frame(state, event.frame, event.now);
  }
}

function quiet(state: StreamState): Step {
  return { state, tasks: [] };
}

function opened(state: StreamState): Step {
  const replies = mapValues(state.replies, (reply) => ({ ...reply, stale: true }));
  const open = { ...(state.epoch === undefined ? {} : { epoch: state.epoch }), seq: state.seq, watch: [...state.watch] };
  return { state: { ...state, phase: "catching_up", replies }, tasks: [{ do: "send", frame: { open } }] };
}

function watch(state: StreamState, conversations: readonly string[]): Step {
  const watched = new Set(conversations);
  const next: StreamState = {
    ...state,
    watch: conversations,
    // Deltas of other conversations no longer come, so their parts would only go stale.
    replies: filterValues(state.replies, (reply) => watched.has(reply.conversation)),
    outputs: filterValues(state.outputs, (output) => watched.has(output.conversation)),
  };
  const tasks: StreamTask[] = state.phase === "closed" ? [] : [{ do: "send", frame: { watch: [...conversations] } }];
  return { state: next, tasks };
}

function frame(state: StreamState, received: Frame, now: number): Step {
  switch (received.kind) {
    case "entry":
      return entryFrame(state, received.seq, received.entry);
    case "delta":
      return received.call_id !== undefined && received.channel === "output"
        ? quiet(outputDelta(state, received.call_id, received))
        : replyDelta(state, received, now);
    case "snapshot":
      return quiet(snapshot(state, received));
    case "withdrawn":
      return quiet(finish(state, received.reply_id));
    case "live":
      return caughtUp(state, received.epoch, received.seq);
    case "reset":
      return reset(state, received.epoch, received.seq);
    case "hint":
      return { state, tasks: [{ do: "hint", resource: received.resource, id: received.id }] };
    case "ping":
      return { state, tasks: [{ do: "send", frame: { pong: {} } }] };
    default:
      // A newer server may say more; what is not understood changes nothing.
      return quiet(state);
  }
}

function entryFrame(state: StreamState, seq: number, entry: Entry | { header: { conversation: string; number: number; kind: string } }): Step {
  if (seq <= state.seq) return quiet(state);
  if (seq > state.seq + 1) return reopen(state);
  const next = { ...state, seq };
  if ("header" in entry) {
    const { conversation, number, kind } = entry.header;
    return heardOf(next, conversation, number, kind);
  }
  return placed(next, entry);
}

function reopen(state: StreamState): Step {
  return { state: { ...state, phase: "closed" }, tasks: [{ do: "reopen" }] };
}

/** An entry of a conversation that is not watched, or was not yet. */
function heardOf(state: StreamState, conversation: string, number: number, kind: string): Step {
  const stirred: StreamTask = { do: "stirred", conversation, kind };
  const watched = state.watch.includes(conversation);
  const thread = state.threads.get(conversation) ?? (watched ? UNLOADED : undefined);
  if (!thread || number <= thread.known) return { state, tasks: [stirred] };
  const next = withThread(state, conversation, { ...thread, known: number });
  return { state: next, tasks: watched && thread.loaded ? [stirred, { do: "fetch", conversation, since: thread.upto }] : [stirred] };
}

/** A whole entry: placed in its thread when that is loaded, and the end of what was streamed for it. */
function placed(state: StreamState, entry: Entry): Step {
  const tasks: StreamTask[] = [
    { do: "noticed", entry },
    { do: "stirred", conversation: entry.conversation, kind: entry.kind },
  ];
  let next = settle(state, entry);
  // While the past is still being fetched, what comes meanwhile is kept for it.
  const thread = next.threads.get(entry.conversation) ?? UNLOADED;
  const joined = join({ ...thread, early: [...thread.early, entry], known: Math.max(thread.known, entry.number) });
  next = withThread(next, entry.conversation, joined);
  if (joined.loaded && joined.early.length > 0) tasks.push({ do: "fetch", conversation: entry.conversation, since: joined.upto });
  return { state: next, tasks };
}

/** Moves entries that came early to their place as soon as the ones before them are here. */
function join(thread: Thread): Thread {
  if (!thread.loaded) return thread;
  const waiting = [...thread.early].sort((a, b) => a.number - b.number);
  const entries = [...thread.entries];
  let upto = thread.upto;
  const early: Entry[] = [];
  for (const entry of waiting) {
    if (entry.number <= upto) continue;
    if (entry.number === upto + 1) {
      entries.push(entry);
      upto = entry.number;
    } else {
      early.push(entry);
    }
  }
  return { entries, upto, early, known: Math.max(thread.known, upto), loaded: true };
}

/** What HTTP gave: every entry after `since` up to `head`. */
function loaded(state: StreamState, conversation: string, since: number, entries: readonly Entry[], head: number): Step {
  const before = state.threads.get(conversation) ?? UNLOADED;
  if (since > before.upto) return { state, tasks: [{ do: "fetch", conversation, since: before.upto }] };
  const fresh = entries.filter((entry) => entry.number > before.upto).sort((a, b) => a.number - b.number);
  const joined = join({
    entries: [...before.entries, ...fresh],
    upto: Math.max(before.upto, head),
    known: Math.max(before.known, head),
    early: before.early,
    loaded: true,
  });
  let next = withThread(state, conversation, joined);
  for (const entry of fresh) next = settle(next, entry);
  const behind = joined.known > joined.upto && state.watch.includes(conversation);
  return { state: next, tasks: behind ? [{ do: "fetch", conversation, since: joined.upto }] : [] };
}

/** Ends what was streamed for an entry that is now recorded. */
function settle(state: StreamState, entry: Entry): StreamState {
  switch (entry.kind) {
    case "replied":
      return finish(state, entry.reply_id);
    case "returned":
      return { ...state, outputs: filterValues(state.outputs, (_, call) => call !== entry.call) };
    case "faltered":
    case "ended":
      return [...state.replies.values()]
        .filter((reply) => reply.conversation === entry.conversation)
        .reduce((each, reply) => finish(each, reply.id), state);
    default:
      return state;
  }
}

function finish(state: StreamState, reply_id: string): StreamState {
  const reply = state.replies.get(reply_id);
  const finished = [...state.finished.filter((id) => id !== reply_id), reply_id].slice(-FINISHED_KEPT);
  if (!reply) return { ...state, finished };
  const reasoned = new Map(state.reasoned);
  if (reply.reasoningFrom !== undefined) {
    reasoned.set(reply_id, (reply.reasoningTo ?? reply.reasoningFrom) - reply.reasoningFrom);
  }
  return { ...state, finished, reasoned, replies: filterValues(state.replies, (_, id) => id !== reply_id) };
}

type Delta = Extract<Frame, { kind: "delta" }>;

function replyDelta(state: StreamState, delta: Delta, now: number): Step {
  const id = delta.reply_id;
  if (id === undefined || state.finished.includes(id) || !state.watch.includes(delta.conversation)) return quiet(state);
  const before = state.replies.get(id) ?? freshReply(id, delta.conversation);
  if (delta.channel === "arguments") return quiet(withReply(state, argumentsDelta(before, delta)));
  if (before.waitsForSnapshot) return quiet(state);
  const have = delta.channel === "reasoning" ? before.reasoningBytes : before.textBytes;
  const length = byteLength(delta.text);
  if (delta.offset + length <= have && length > 0) return quiet(withReply(state, { ...before, stale: false }));
  if (delta.offset !== have) {
    const held = { ...before, waitsForSnapshot: true, stale: false };
    return { state: withReply(state, held), tasks: [{ do: "send", frame: { snapshot: { reply_id: id } } }] };
  }
  return quiet(withReply(state, grown(before, delta, length, now)));
}

function grown(before: LiveReply, delta: Delta, length: number, now: number): LiveReply {
  if (delta.channel === "reasoning") {
    return {
      ...before,
      stale: false,
      reasoning: before.reasoning + delta.text,
      reasoningBytes: before.reasoningBytes + length,
      reasoningFrom: before.reasoningFrom ?? now,
      reasoningTo: now,
    };
  }
  const reasoningEnds = before.reasoningFrom !== undefined && before.textBytes === 0;
  return {
    ...before,
    stale: false,
    text: before.text + delta.text,
    textBytes: before.textBytes + length,
    ...(reasoningEnds ? { reasoningTo: now } : {}),
  };
}

/** Arguments while they are written are a courtesy: the entry holds them whole, so a hole only ends the show. */
function argumentsDelta(before: LiveReply, delta: Delta): LiveReply {
  const key = delta.call_id ?? "";
  const have = before.arguments[key] ?? "";
  if (delta.offset !== byteLength(have)) return { ...before, stale: false };
  return { ...before, stale: false, arguments: { ...before.arguments, [key]: have + delta.text } };
}

function outputDelta(state: StreamState, call: string, delta: Delta): StreamState {
  if (!state.watch.includes(delta.conversation)) return state;
  const before = state.outputs.get(call) ?? { conversation: delta.conversation, text: "", bytes: 0, holed: false };
  const length = byteLength(delta.text);
  if (delta.offset < before.bytes) return state;
  const after: LiveOutput = {
    ...before,
    text: before.text + delta.text,
    bytes: delta.offset + length,
    holed: before.holed || delta.offset > before.bytes,
  };
  return { ...state, outputs: new Map(state.outputs).set(call, after) };
}

function snapshot(state: StreamState, taken: Extract<Frame, { kind: "snapshot" }>): StreamState {
  if (state.finished.includes(taken.reply_id) || !state.watch.includes(taken.conversation)) return state;
  const before = state.replies.get(taken.reply_id) ?? freshReply(taken.reply_id, taken.conversation);
  return withReply(state, {
    ...before,
    text: taken.text,
    reasoning: taken.reasoning,
    textBytes: byteLength(taken.text),
    reasoningBytes: byteLength(taken.reasoning),
    waitsForSnapshot: false,
    stale: false,
  });
}

function caughtUp(state: StreamState, epoch: string, seq: number): Step {
  if (state.epoch !== undefined && state.epoch !== epoch) return reset(state, epoch, seq);
  if (state.epoch === undefined) {
    // The first time there is nothing to catch up with: the lists come over HTTP.
    return { state: { ...state, epoch, seq: Math.max(seq, state.seq), phase: "live" }, tasks: [{ do: "reload" }] };
  }
  if (seq > state.seq) return reopen(state);
  const replies = filterValues(state.replies, (reply) => !reply.stale);
  return quiet({ ...state, epoch, phase: "live", replies });
}

function reset(state: StreamState, epoch: string, seq: number): Step {
  const next: StreamState = { ...EMPTY, epoch, seq, phase: "catching_up", watch: state.watch };
  return { state: next, tasks: [{ do: "reload" }] };
}

function freshReply(id: string, conversation: string): LiveReply {
  return {
    id,
    conversation,
    text: "",
    reasoning: "",
    textBytes: 0,
    reasoningBytes: 0,
    arguments: {},
    waitsForSnapshot: false,
    stale: false,
  };
}

function withReply(state: StreamState, reply: LiveReply): StreamState {
  return { ...state, replies: new Map(state.replies).set(reply.id, reply) };
}

function withThread(state: StreamState, conversation: string, thread: Thread): StreamState {
  return { ...state, threads: new Map(state.threads).set(conversation, thread) };
}

function filterValues<V>(map: ReadonlyMap<string, V>, keep: (value: V, key: string) => boolean): ReadonlyMap<string, V> {
  return new Map([...map].filter(([key, value]) => keep(value, key)));
}

function mapValues<V>(map: ReadonlyMap<string, V>, change: (value: V) => V): ReadonlyMap<string, V> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}
