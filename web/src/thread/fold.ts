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
  readonly mark: "resumed" | "stopped";
  readonly at: string;
}

export type Item = SaidItem | RoundItem | FalteredItem | MarkItem;

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
  readonly usage?: TurnUsage;
  /** running: something works; resting: it waits for a person; over: ended. */
  readonly state: "running" | "resting" | "over";
  /** The text that began the turn, for sending again. */
  readonly beganWith?: string;
}

export interface Streaming {
  readonly replies: readonly LiveReply[];
  readonly outputs: ReadonlyMap<string, LiveOutput>;
  readonly reasoned: ReadonlyMap<string, number>;
}

export const NOTHING_STREAMS: Streaming = { replies: [], outputs: new Map(), reasoned: new Map() };

/** Entries by turn, in the order in which the turns began. */
export function byTurn(entries: readonly Entry[]): Map<string, Entry[]> {
  const turns = new Map<string, Entry[]>();
  for (const entry of entries) {
    const known = turns.get(entry.turn);
    if (known) known.push(entry);
    else turns.set(entry.turn, [entry]);
  }
  return turns;
}

export function foldTurn(id: string, entries: readonly Entry[], streaming: Streaming): TurnView {
  const ended = last(entries, "ended");
  const calls = foldCalls(entries, streaming);
  const items = entries.flatMap((entry) => item(entry, entries, calls, streaming, ended !== undefined));
  const live = ended ? [] : streaming.replies.map((reply) => liveRound(reply));
  return {
    id,
    items: order([...items, ...live]),
    ...(ended ? { end: endOf(ended) } : {}),
    ...withUsage(usageOf(entries)),
    state: ended ? "over" : restsIn(calls) ? "resting" : "running",
    ...beganWith(entries),
  };
}

function item(entry: Entry, all: readonly Entry[], calls: Map<string, CallView>, streaming: Streaming, over: boolean): Item[] {
  switch (entry.kind) {
    case "said":
      return isWithdrawn(entry.message_id, all)
        ? []
        : [{ is: "said", id: entry.message_id, number: entry.number, text: entry.text, at: entry.at, waits: !over && waits(entry, all) }];
    case "replied":
      return [round(entry, calls, streaming)];
    case "faltered":
      return falteredItem(entry, all);
    case "held":
      return [{ is: "faltered", id: `held-${entry.number}`, reason: `${entry.sentence} ${entry.next_step}`, again: false }];
    case "resumed":
    case "stopped":
      return [{ is: "mark", id: `mark-${entry.number}`, mark: entry.kind, at: entry.at }];
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
  const all = [...calls.values()];
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

function beganWith(entries: readonly Entry[]): { beganWith?: string } {
  const said = entries.find((entry) => entry.kind === "said");
  return said ? { beganWith: said.text } : {};
}

function last<K extends Entry["kind"]>(entries: readonly Entry[], kind: K): EntryOf<K> | undefined {
  return entries.findLast((entry) => entry.kind === kind) as EntryOf<K> | undefined;
}
