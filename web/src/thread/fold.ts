// From the entries of a conversation to what stands in its thread: turns with messages, rounds, calls and an end.
// Pure; what is still streaming comes in beside the entries. It decides nothing and draws nothing.

import type {
  Approval,
  EffectClass,
  Entry,
  EntryOf,
  FooterRow,
  Preview,
  Question,
  Status,
  Usage,
  WrittenCall,
} from "../wire.ts";
import type { LiveOutput, LiveReply } from "../stream/reducer.ts";

export type CallState = "writing" | "judging" | "asking" | "cleared" | "running" | Status | "rejected";

export interface CallView {
  readonly id: string;
  readonly tool: string;
  readonly label: string;
  readonly state: CallState;
  readonly written: string;
  readonly classes: readonly EffectClass[];
  readonly arguments?: unknown;
  readonly preview?: Preview;
  readonly blocked?: string;
  readonly clearedBy?: "class" | "rule" | "approval";
  readonly rule?: string;
  readonly approval?: Approval;
  readonly question?: Question;
  readonly answer?: EntryOf<"answered">;
  readonly result?: string;
  readonly made: readonly string[];
  readonly output?: LiveOutput;
  readonly askedAt?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** What a delegate does for this call. */
  readonly inside?: DelegateView;
}

/** A profile that works on a task for a call. */
export interface DelegateView {
  readonly profile: string;
  readonly task: string;
  readonly calls: readonly CallView[];
  readonly over: boolean;
}

export interface SaidItem {
  readonly is: "said";
  readonly id: string;
  readonly number: number;
  readonly text: string;
  readonly at: string;
  /** Not yet read by a round; it can be withdrawn. */
  readonly waits: boolean;
}

export interface RoundItem {
  readonly is: "round";
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  readonly reasoningMs?: number;
  readonly reasoningTokens?: number;
  readonly thinking: boolean;
  readonly live: boolean;
  readonly stop: string;
  readonly model: string;
  readonly calls: readonly CallView[];
}

export interface FalteredItem {
  readonly is: "faltered";
  readonly id: string;
  readonly reason: string;
  readonly again: boolean;
}

export interface MarkItem {
  readonly is: "mark";
  readonly id: string;
  readonly mark: "resumed" | "stopped" | "other_model";
  /** The model that went on. */
  readonly model?: string;
}

/** Why the turn waits though nothing is asked. */
export interface HeldItem {
  readonly is: "held";
  readonly id: string;
  readonly sentence: string;
  readonly nextStep: string;
  /** Nothing came after it. */
  readonly open: boolean;
}

/** What stands above was folded for the model. */
export interface FoldItem {
  readonly is: "fold";
  readonly id: string;
  readonly sentence: string;
  readonly summary?: string;
  readonly before: number;
  readonly after: number;
  readonly done: boolean;
}

export type Item = SaidItem | RoundItem | FalteredItem | MarkItem | HeldItem | FoldItem;

export interface EndView {
  readonly outcome: string;
  readonly sentence: string;
  readonly nextStep: string;
  readonly footer: readonly FooterRow[];
  readonly at: string;
}

export interface TurnUsage {
  readonly rounds: number;
  readonly model: string;
  readonly prompt?: number;
  readonly reused?: number;
  readonly decoded?: number;
  readonly firstTokenMs?: number;
  readonly rate?: number;
}

export interface TurnView {
  readonly id: string;
  readonly items: readonly Item[];
  readonly end?: EndView;
  /** What was recorded between this turn and the next one. */
  readonly afterwards: readonly Item[];
  /** Its last entry so far. */
  readonly number: number;
  readonly usage?: TurnUsage;
  /** running: something works; resting: it waits for a person; over: ended. */
  readonly state: "running" | "resting" | "over";
  /** The message that began the turn, for sending again. */
  readonly beganWith?: { readonly id: string; readonly text: string };
}

export interface Streaming {
  readonly replies: readonly LiveReply[];
  readonly outputs: ReadonlyMap<string, LiveOutput>;
  readonly reasoned: ReadonlyMap<string, number>;
}

export const NOTHING_STREAMS: Streaming = { replies: [], outputs: new Map(), reasoned: new Map() };

/**
 * Entries by turn, in the order in which the turns began. What belongs to no turn stands behind the one before it. A
 * message that a turn left unread when it ended begins the next one, which is named after it.
 */
export function byTurn(entries: readonly Entry[]): Map<string, Entry[]> {
  const turns = new Map<string, Entry[]>();
  let latest = "";
  for (const entry of entries) {
    if (entry.kind === "forked" || entry.kind === "switched") continue;
    const name = entry.turn === "" ? latest : entry.turn;
    const known = turns.get(name);
    if (known) known.push(entry);
    else if (name !== "") turns.set(name, [entry]);
    // What delegates in the background do belongs to the turn that began them, also when another runs.
    if (entry.frame !== undefined) continue;
    latest = name;
    if (entry.kind === "ended") latest = moveUnread(turns, name);
  }
  return turns;
}

/** The turn that is now the latest. */
function moveUnread(turns: Map<string, Entry[]>, name: string): string {
  const entries = turns.get(name) ?? [];
  const unread = entries.filter((entry) => entry.kind === "said" && waits(entry, entries) && !isWithdrawn(entry.message_id, entries));
  const first = unread[0];
  if (first?.kind !== "said") return name;
  turns.set(name, entries.filter((entry) => !unread.includes(entry)));
  turns.set(first.message_id, unread);
  return first.message_id;
}

export function foldTurn(id: string, all: readonly Entry[], streaming: Streaming): TurnView {
  const entries = all.filter((entry) => entry.frame === undefined);
  const ended = last(entries, "ended");
  const calls = withDelegates(foldCalls(entries, streaming), all, streaming);
  const drawn = (some: readonly Entry[]) => some.flatMap((entry) => item(entry, entries, calls, streaming, ended !== undefined));
  const end = ended?.number ?? Number.POSITIVE_INFINITY;
  const items = drawn(entries.filter((entry) => entry.number <= end));
  const waitsForPerson = restsIn(calls) || items.some((each) => each.is === "held" && each.open);
  const live = ended ? [] : streaming.replies.map((reply) => liveRound(reply));
  return {
    id,
    items: order([...items, ...live]),
    ...(ended ? { end: endOf(ended) } : {}),
    afterwards: drawn(entries.filter((entry) => entry.number > end)),
    number: all.at(-1)?.number ?? 0,
    ...withUsage(usageOf(entries)),
    state: ended ? "over" : waitsForPerson ? "resting" : "running",
    ...beganWith(entries),
  };
}

/** What the calls of a turn brought back, one line each: the host's word where the model gave none (LOOP-63). */
export function cameBack(turn: TurnView): readonly { id: string; label: string; text: string }[] {
  const calls = turn.items.flatMap((each) => (each.is === "round" ? each.calls : []));
  const told = calls.filter((call) => (call.state === "done" || call.state === "failed") && call.result !== undefined);
  return told.slice(-MOST_LINES).map(({ id, label, result = "" }) => ({ id, label, text: firstLine(result) }));
}

const MOST_LINES = 10;
const LINE_LETTERS = 160;

function firstLine(text: string): string {
  const letters = [...(text.split("\n").find((line) => line.trim() !== "") ?? "").trim()];
  return letters.length <= LINE_LETTERS ? letters.join("") : `${letters.slice(0, LINE_LETTERS).join("")}…`;
}

function item(entry: Entry, all: readonly Entry[], calls: Map<string, CallView>, streaming: Streaming, over: boolean): Item[] {
  switch (entry.kind) {
    case "said":
      return isWithdrawn(entry.message_id, all)
        ? []
        : [{ is: "said", id: entry.message_id, number: entry.number, text: entry.short ?? entry.text, at: entry.at, waits: !over && waits(entry, all) }];
    case "replied":
      return [...otherModel(entry, all), round(entry, calls, streaming)];
    case "faltered":
      return falteredItem(entry, all);
    case "held":
      return [{ is: "held", id: `held-${entry.number}`, sentence: entry.sentence, nextStep: entry.next_step, open: all.at(-1)?.number === entry.number }];
    case "resumed":
    case "stopped":
      return [{ is: "mark", id: `mark-${entry.number}`, mark: entry.kind }];
    case "compacted":
      return [foldItem(entry)];
    default:
      return [];
  }
}

/** A try that failed. Where the turn ended because of it, its end says the same and this would say it twice. */
function falteredItem(entry: EntryOf<"faltered">, all: readonly Entry[]): Item[] {
  if (last(all, "ended")?.outcome === "model_unavailable") return [];
  const next = all.find((each) => each.number > entry.number && ["faltered", "replied", "ended"].includes(each.kind));
  return [{ is: "faltered", id: `faltered-${entry.number}`, reason: entry.reason, again: entry.attempt_again && next === undefined }];
}

/** A reply of another model than the one that was asked before in this turn. */
function otherModel(entry: EntryOf<"replied">, all: readonly Entry[]): MarkItem[] {
  const before = all.findLast((each) => each.number < entry.number && (each.kind === "replied" || each.kind === "faltered"));
  const asked = before?.kind === "replied" || before?.kind === "faltered" ? before.model : "";
  if (asked === "" || asked === entry.model) return [];
  return [{ is: "mark", id: `model-${entry.number}`, mark: "other_model", model: entry.model }];
}

function foldItem(entry: EntryOf<"compacted">): FoldItem {
  const { sentence, summary, tokens_before, tokens_after, what } = entry;
  return { is: "fold", id: `fold-${entry.number}`, sentence, summary, before: tokens_before, after: tokens_after, done: what !== "unchanged" };
}

/** A message waits until a reply has seen it. The one that began the turn never waits. */
function waits(said: EntryOf<"said">, all: readonly Entry[]): boolean {
  if (all.find((entry) => entry.kind === "said")?.number === said.number) return false;
  return !all.some((entry) => entry.kind === "replied" && entry.seen >= said.number);
}

/** Messages that still wait stand below everything else. */
function order(items: Item[]): Item[] {
  const waiting = items.filter((each) => each.is === "said" && each.waits);
  return [...items.filter((each) => !waiting.includes(each)), ...waiting];
}

function isWithdrawn(message: string, all: readonly Entry[]): boolean {
  return all.some((entry) => entry.kind === "withdrawn" && entry.message_id === message);
}

function round(entry: EntryOf<"replied">, calls: Map<string, CallView>, streaming: Streaming): RoundItem {
  return {
    is: "round",
    id: entry.reply_id,
    text: entry.text,
    reasoning: entry.reasoning,
    reasoningMs: streaming.reasoned.get(entry.reply_id),
    reasoningTokens: entry.usage.reasoning,
    thinking: false,
    live: false,
    stop: entry.stop,
    model: entry.model,
    calls: entry.calls.map((call) => calls.get(call.id)).filter((call) => call !== undefined),
  };
}

function liveRound(reply: LiveReply): RoundItem {
  const thought = reply.reasoningFrom !== undefined && reply.textBytes > 0;
  return {
    is: "round",
    id: reply.id,
    text: reply.text,
    reasoning: reply.reasoning,
    reasoningMs: thought ? (reply.reasoningTo ?? 0) - (reply.reasoningFrom ?? 0) : undefined,
    thinking: reply.reasoning !== "" && reply.text === "" && Object.keys(reply.arguments).length === 0,
    live: true,
    stop: "",
    model: "",
    calls: Object.entries(reply.arguments).map(([id, written]) => ({ ...freshCall({ id, tool: "", arguments: written }), state: "writing" })),
  };
}

function foldCalls(entries: readonly Entry[], streaming: Streaming): Map<string, CallView> {
  const calls = new Map<string, CallView>();
  const change = (id: string, by: Partial<CallView>) => {
    const call = calls.get(id);
    if (call) calls.set(id, { ...call, ...by });
  };
  for (const entry of entries) foldCall(entry, calls, change);
  for (const [id, call] of calls) {
    const output = streaming.outputs.get(id);
    if (output && call.state === "running") calls.set(id, { ...call, output });
  }
  return calls;
}

/** Calls with what delegates do for them, each in a frame of its own. */
function withDelegates(calls: Map<string, CallView>, all: readonly Entry[], streaming: Streaming): Map<string, CallView> {
  for (const entry of all) {
    const call = entry.kind === "opened" && entry.frame !== undefined ? calls.get(entry.frame) : undefined;
    if (entry.kind !== "opened" || call === undefined) continue;
    const own = all.filter((each) => each.frame === call.id);
    const within = [...withDelegates(foldCalls(own, streaming), all, streaming).values()];
    const inside = { profile: entry.profile, task: entry.task, calls: within, over: own.some((each) => each.kind === "ended") };
    calls.set(call.id, { ...call, inside });
  }
  return calls;
}

/** A call, or in its place those that its delegate makes. */
export function leaves(calls: readonly CallView[]): readonly CallView[] {
  return calls.flatMap((call) => (call.inside && !call.inside.over && call.inside.calls.length > 0 ? leaves(call.inside.calls) : [call]));
}

function foldCall(entry: Entry, calls: Map<string, CallView>, change: (id: string, by: Partial<CallView>) => void): void {
  switch (entry.kind) {
    case "replied":
      for (const call of entry.calls) calls.set(call.id, freshCall(call));
      break;
    case "rejected":
      change(entry.call, { state: "rejected", result: entry.reason, endedAt: entry.at });
      break;
    case "screened": {
      const { label, classes, preview, blocked } = entry;
      change(entry.call, { label, classes, arguments: entry.arguments, preview, blocked });
      break;
    }
    case "asked":
      change(entry.approval.call, { state: "asking", approval: entry.approval, askedAt: entry.at, answer: undefined });
      break;
    case "asked_question":
      change(entry.question.call, { state: "asking", question: entry.question, askedAt: entry.at, answer: undefined });
      break;
    case "answered": {
      const asked = [...calls.values()].find((call) => call.approval?.id === entry.approval || call.question?.id === entry.approval);
      if (asked) change(asked.id, { state: ["approve", "told"].includes(entry.decision) ? "cleared" : "refused", answer: entry });
      break;
    }
    case "started":
      change(entry.call, { state: "running", startedAt: entry.at, clearedBy: entry.cleared_by, rule: entry.rule });
      break;
    case "returned":
      change(entry.call, { state: entry.status, result: entry.text, made: entry.made, endedAt: entry.at });
      break;
    case "stopped":
    case "ended":
      // What still waits for a person when a turn is over will not be asked again.
      for (const call of calls.values()) if (isOpen(call.state)) change(call.id, { state: "cancelled", endedAt: entry.at });
      break;
    default:
      break;
  }
}

function isOpen(state: CallState): boolean {
  return ["writing", "judging", "asking", "cleared", "running"].includes(state);
}

function freshCall(call: WrittenCall): CallView {
  return { id: call.id, tool: call.tool, label: call.tool, state: "judging", written: call.arguments, classes: [], made: [] };
}

function restsIn(calls: Map<string, CallView>): boolean {
  const all = leaves([...calls.values()]);
  return all.some((call) => call.state === "asking") && !all.some((call) => call.state === "running");
}

function endOf(entry: EntryOf<"ended">): EndView {
  const { outcome, sentence, next_step, footer, at } = entry;
  return { outcome, sentence, nextStep: next_step, footer, at };
}

function usageOf(entries: readonly Entry[]): TurnUsage | undefined {
  const replies = entries.filter((entry) => entry.kind === "replied");
  const latest = replies.at(-1);
  if (!latest) return undefined;
  const of = (name: keyof Usage) => replies.map((reply) => reply.usage[name]).filter((value) => typeof value === "number");
  const first = replies[0]?.usage.first_token_ms;
  return {
    rounds: replies.length,
    model: latest.model,
    prompt: sum(of("prompt")),
    reused: sum(of("reused")),
    decoded: sum(of("decoded")),
    firstTokenMs: first,
    rate: rate(latest.usage),
  };
}

function rate(usage: Usage): number | undefined {
  const { decoded, total_ms, first_token_ms } = usage;
  if (!decoded || decoded < 8 || !total_ms || first_token_ms == null || total_ms <= first_token_ms) return undefined;
  return (decoded * 1000) / (total_ms - first_token_ms);
}

function sum(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((a, b) => a + b, 0);
}

function withUsage(usage: TurnUsage | undefined): { usage?: TurnUsage } {
  return usage ? { usage } : {};
}

function beganWith(entries: readonly Entry[]): Pick<TurnView, "beganWith"> {
  const said = entries.find((entry) => entry.kind === "said");
  return said ? { beganWith: { id: said.message_id, text: said.short ?? said.text } } : {};
}

function last<K extends Entry["kind"]>(entries: readonly Entry[], kind: K): EntryOf<K> | undefined {
  return entries.findLast((entry) => entry.kind === kind) as EntryOf<K> | undefined;
}
