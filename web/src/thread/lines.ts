// Lines of a conversation. Where a message is written anew, answered again or branched from, a new line starts behind an
// entry: what stands up to there is shared, what was said after it stays where it is. This folds `forked` and `switched`
// entries into the line that is shown, and says where others leave it. Pure; it draws nothing and knows no server.

import type { Entry, FooterRow } from "../wire.ts";
import { byTurn } from "./fold.ts";

interface Span {
  readonly first: number;
  last: number;
}

export interface Line {
  /** Its name: the entry that started it; 0 for the first. */
  readonly id: number;
  readonly from?: Line;
  /** The last entry that it shares with the line it left. */
  readonly after: number;
  /** What was recorded on it. */
  readonly own: Span[];
}

export interface Lines {
  readonly all: readonly Line[];
  readonly active: Line;
}

/** A place of the shown line at which there are others beside it. */
export interface Fork {
  /** Which turn of the line it stands before, from 0. */
  readonly at: number;
  /** Which of them is shown, from 1. */
  readonly shown: number;
  readonly of: number;
  /** The lines that the neighbours lead to. */
  readonly previous?: number;
  readonly next?: number;
  /** What was done on the others, and stands. */
  readonly standing: readonly FooterRow[];
}

/** What is shown of a conversation. */
export interface Shown {
  readonly line: number;
  readonly turns: ReadonlyMap<string, readonly Entry[]>;
  /** By the turn that they stand before. */
  readonly forks: ReadonlyMap<string, Fork>;
  /** A fork behind the last turn: nothing was said yet where others went on. */
  readonly open?: Fork;
}

export function foldLines(entries: readonly Entry[]): Lines {
  let active: Line = { id: 0, after: 0, own: [] };
  const all = [active];
  for (const entry of entries) {
    if (entry.kind === "forked" && entry.after < entry.number) {
      active = { id: entry.number, from: active, after: entry.after, own: [] };
      all.push(active);
    }
    if (entry.kind === "switched") active = all.find((line) => line.id === entry.line) ?? active;
    record(active, entry.number);
  }
  return { all, active };
}

function record(line: Line, number: number): void {
  const latest = line.own.at(-1);
  if (latest && latest.last + 1 === number) latest.last = number;
  else line.own.push({ first: number, last: number });
}

/** The entries of a line, in order: what it shares, then its own. */
export function entriesOf(line: Line, entries: readonly Entry[]): readonly Entry[] {
  const spans = path(line);
  return entries.filter((entry) => spans.some((span) => span.first <= entry.number && entry.number <= span.last));
}

function path(line: Line): Span[] {
  const spans: Span[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (let at: Line | undefined = line; at; at = at.from) {
    for (const { first, last } of at.own) if (first <= until) spans.push({ first, last: Math.min(last, until) });
    until = Math.min(until, at.after);
  }
  return spans;
}

/** The line that is written on, and where others leave it. */
export function shownOf(entries: readonly Entry[]): Shown {
  const { all, active } = foldLines(entries);
  if (all.length === 1) return { line: 0, turns: byTurn(entries), forks: new Map() };
  const ways = all.map((line) => wayOf(line, entries));
  const way = ways[all.indexOf(active)] ?? { line: active, turns: new Map() };
  const names = [...way.turns.keys()];
  const forks = new Map<string, Fork>();
  let open: Fork | undefined;
  for (let at = 0; at <= names.length; at += 1) {
    const fork = forkAt(at, names, ways);
    const name = names[at];
    if (fork && name !== undefined) forks.set(name, fork);
    else if (fork) open = fork;
  }
  return { line: active.id, turns: way.turns, forks, ...(open ? { open } : {}) };
}

interface Way {
  readonly line: Line;
  readonly turns: ReadonlyMap<string, readonly Entry[]>;
}

function wayOf(line: Line, entries: readonly Entry[]): Way {
  return { line, turns: byTurn(entriesOf(line, entries)) };
}

function forkAt(at: number, names: readonly string[], ways: readonly Way[]): Fork | undefined {
  const mine = names[at];
  const here = ways.filter((way) => way.turns.size > at && startsWith([...way.turns.keys()], names.slice(0, at)));
  const others = here.filter((way) => turnAt(way, at) !== mine);
  if (others.length === 0) return undefined;
  const sides = [...new Set(here.map((way) => turnAt(way, at)))].sort((a, b) => beginOf(a, here) - beginOf(b, here));
  const shown = mine === undefined ? sides.length : sides.indexOf(mine);
  const lineTo = (side: string | undefined) => (side === undefined ? undefined : latest(here.filter((way) => turnAt(way, at) === side)));
  return {
    at,
    shown: shown + 1,
    of: sides.length + (mine === undefined ? 1 : 0),
    ...named("previous", lineTo(sides[shown - 1])),
    ...named("next", lineTo(sides[shown + 1])),
    standing: standing(others, at),
  };
}

function startsWith(all: readonly string[], first: readonly string[]): boolean {
  return first.every((name, at) => all[at] === name);
}

function turnAt(way: Way, at: number): string {
  return [...way.turns.keys()][at] ?? "";
}

function beginOf(turn: string, ways: readonly Way[]): number {
  return Math.min(...ways.map((way) => way.turns.get(turn)?.[0]?.number ?? Number.POSITIVE_INFINITY));
}

/** Of the lines behind one side, the one that was written on or looked at last. */
function latest(ways: readonly Way[]): number | undefined {
  const used = (way: Way) => way.line.own.at(-1)?.last ?? 0;
  return [...ways].sort((a, b) => used(b) - used(a))[0]?.line.id;
}

function named<K extends string>(name: K, value: number | undefined): { [key in K]?: number } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: number });
}

/** What these lines did from a turn on; each call once. */
function standing(ways: readonly Way[], from: number): FooterRow[] {
  const rows = new Map<string, FooterRow>();
  for (const way of ways) {
    const entries = [...way.turns.values()].slice(from).flat();
    for (const entry of entries) if (entry.kind === "ended") for (const row of entry.footer) rows.set(row.call, row);
  }
  return [...rows.values()];
}
