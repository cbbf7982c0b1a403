// From `forked` and `switched` entries to the line that is shown and the switches beside it.
import { describe, expect, test } from "vitest";
import { entriesOf, foldLines, shownOf, type Shown } from "../../src/thread/lines.ts";
import type { Entry, EntryBody, FooterRow } from "../../src/wire.ts";

/** A conversation written down as a list: `say a` is a whole turn of 3 entries, `fork n` and `switch n` are one. */
function conversation(...acts: string[]): Entry[] {
  const entries: Entry[] = [];
  const add = (turn: string, body: EntryBody) => void entries.push({ number: entries.length + 1, at: "", conversation: "c", turn, ...body });
  for (const act of acts) {
    const [verb, name = "", did] = act.split(" ");
    if (verb === "fork") add("", { kind: "forked", after: Number(name) });
    else if (verb === "switch") add("", { kind: "switched", line: Number(name) });
    else turn(name, did === undefined ? [] : [row(did)], add);
  }
  return entries;
}

function turn(name: string, footer: FooterRow[], add: (turn: string, body: EntryBody) => void): void {
  add(name, { kind: "said", message_id: name, text: name });
  add(name, { kind: "replied", reply_id: `r-${name}`, seen: 1, text: "", reasoning: "", calls: [], stop: "natural", model: "m", usage: {} });
  add(name, { kind: "ended", outcome: "answered", sentence: "", next_step: "", footer });
}

function row(call: string): FooterRow {
  return { call, tool: "write", classes: ["create"], target: call, state: "done", undo: false, started_at: "" };
}

const turns = (shown: Shown) => [...shown.turns.keys()];
const switches = (shown: Shown) => Object.fromEntries([...shown.forks].map(([name, { shown: at, of }]) => [name, `${at}/${of}`]));

test("without forks everything is shown and nothing is beside it", () => {
  const shown = shownOf(conversation("say a", "say b"));
  expect([turns(shown), switches(shown), shown.open]).toEqual([["a", "b"], {}, undefined]);
});

describe("a message that was written anew", () => {
  const edited = conversation("say a", "say b", "fork 3", "say b2");

  test("stands in the place of the old one", () => {
    const shown = shownOf(edited);
    expect([shown.line, turns(shown), switches(shown)]).toEqual([7, ["a", "b2"], { b2: "2/2" }]);
    expect(shown.forks.get("b2")).toMatchObject({ at: 1, previous: 0 });
    expect(shown.forks.get("b2")?.next).toBeUndefined();
  });

  test("and again counts beside both, though it left the second line", () => {
    const shown = shownOf([...edited, ...later(edited, "fork 3", "say b3")]);
    expect([turns(shown), switches(shown)]).toEqual([["a", "b3"], { b3: "3/3" }]);
    expect(shown.forks.get("b3")?.previous).toBe(7);
  });

  test("is still there after going back, and what is said then belongs to the old line", () => {
    const shown = shownOf([...edited, ...later(edited, "switch 0", "say c")]);
    expect([shown.line, turns(shown), switches(shown)]).toEqual([0, ["a", "b", "c"], { b: "1/2" }]);
    expect(shown.forks.get("b")?.next).toBe(7);
  });

  test("may be the first of all", () => {
    const shown = shownOf(conversation("say a", "fork 0", "say a2"));
    expect([turns(shown), switches(shown)]).toEqual([["a2"], { a2: "2/2" }]);
  });
});

describe("a branch", () => {
  const branched = conversation("say a", "say b", "fork 3");

  test("on which nothing was said yet says so, with the way back", () => {
    const shown = shownOf(branched);
    expect([turns(shown), shown.open]).toEqual([["a"], { at: 1, shown: 2, of: 2, previous: 0, standing: [] }]);
  });

  test("that was left without a word counts no more", () => {
    const shown = shownOf([...branched, ...later(branched, "switch 0")]);
    expect([turns(shown), switches(shown), shown.open]).toEqual([["a", "b"], {}, undefined]);
  });

  test("of a branch shares what both share", () => {
    const entries = conversation("say a", "say b", "fork 3", "say c", "say d", "fork 10", "say e");
    const shown = shownOf(entries);
    expect([turns(shown), switches(shown)]).toEqual([["a", "c", "e"], { c: "2/2", e: "2/2" }]);
  });

  test("leads to the line behind it that was looked at last", () => {
    const entries = conversation("say a", "fork 3", "say b", "fork 7", "say c", "switch 0", "say d", "switch 4", "switch 0");
    expect(shownOf(entries).forks.get("d")?.previous).toBe(4);
  });
});

test("what other versions did is told once at the place where they leave", () => {
  const entries = conversation("say a", "say b x", "fork 3", "say b2 y", "fork 3", "say b3");
  expect(shownOf(entries).forks.get("b3")?.standing.map((each) => each.target)).toEqual(["x", "y"]);
});

test("a line that there is not is not switched to, and a fork behind itself is none", () => {
  expect(shownOf(conversation("say a", "switch 9", "fork 9", "say b")).line).toBe(0);
});

test("every entry is on the line that it was recorded on, and shared by those that left later", () => {
  const entries = conversation("say a", "say b", "fork 3", "say c", "switch 0", "say d");
  const { all } = foldLines(entries);
  const numbers = all.map((line) => entriesOf(line, entries).map((entry) => entry.number));
  expect(numbers).toEqual([
    [1, 2, 3, 4, 5, 6, 11, 12, 13, 14],
    [1, 2, 3, 7, 8, 9, 10],
  ]);
});

/** What comes after these entries. */
function later(before: Entry[], ...acts: string[]): Entry[] {
  return conversation(...acts).map((entry) => ({ ...entry, number: entry.number + before.length }));
}
