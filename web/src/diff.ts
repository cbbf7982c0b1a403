// Reads a unified diff into lines to draw, with line numbers and, where one line replaces another, the words that
// differ. It draws nothing and computes no diff of its own files.

export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

export interface DiffLine {
  readonly is: "added" | "removed" | "same" | "gap" | "note";
  readonly old?: number;
  readonly new?: number;
  readonly parts: readonly DiffPart[];
}

export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

export function readDiff(text: string): Diff {
  const lines: DiffLine[] = [];
  let at = { old: 0, new: 0, oldLeft: 0, newLeft: 0 };
  const rows = text.split("\n");
  if (rows.at(-1) === "") rows.pop();
  for (const row of rows) {
    const hunk = at.oldLeft <= 0 && at.newLeft <= 0 ? HUNK.exec(row) : null;
    if (hunk) {
      at = { old: Number(hunk[1]), new: Number(hunk[3]), oldLeft: Number(hunk[2] ?? 1), newLeft: Number(hunk[4] ?? 1) };
      const first = lines.every((line) => line.is === "note");
      if (!first || at.old > 1) lines.push({ is: "gap", parts: [plain(row)] });
      continue;
    }
    const line = at.oldLeft > 0 || at.newLeft > 0 ? content(row, at) : outside(row);
    if (line) lines.push(line);
  }
  return { lines: markWords(lines), added: count(lines, "added"), removed: count(lines, "removed") };
}

function content(row: string, at: { old: number; new: number; oldLeft: number; newLeft: number }): DiffLine | undefined {
  const rest = plain(row.slice(1));
  switch (row[0]) {
    case "+":
      at.newLeft -= 1;
      return { is: "added", new: at.new++, parts: [rest] };
    case "-":
      at.oldLeft -= 1;
      return { is: "removed", old: at.old++, parts: [rest] };
    case "\\":
      return { is: "note", parts: [plain(row.slice(2))] };
    default:
      at.oldLeft -= 1;
      at.newLeft -= 1;
      return { is: "same", old: at.old++, new: at.new++, parts: [rest] };
  }
}

/** Lines before and between hunks: file names are on the card already; all else is shown, so that nothing hides. */
function outside(row: string): DiffLine | undefined {
  if (/^(--- |\+\+\+ )/.test(row)) return undefined;
  return { is: "note", parts: [plain(row.startsWith("\\ ") ? row.slice(2) : row)] };
}

/** Marks the words that differ where a run of removed lines is followed by as many added ones. */
function markWords(lines: DiffLine[]): DiffLine[] {
  const marked = [...lines];
  let at = 0;
  while (at < marked.length) {
    const removed = run(marked, at, "removed");
    const added = run(marked, at + removed, "added");
    if (removed > 0 && removed === added) {
      for (let n = 0; n < removed; n += 1) markPair(marked, at + n, at + removed + n);
    }
    at += Math.max(removed + added, 1);
  }
  return marked;
}

function run(lines: readonly DiffLine[], from: number, is: DiffLine["is"]): number {
  let length = 0;
  while (lines[from + length]?.is === is) length += 1;
  return length;
}

function markPair(lines: DiffLine[], removed: number, added: number): void {
  const before = lines[removed];
  const after = lines[added];
  if (!before || !after) return;
  const a = words(before.parts[0]?.text ?? "");
  const b = words(after.parts[0]?.text ?? "");
  const start = common(a, b);
  const end = common(a.slice(start).reverse(), b.slice(start).reverse());
  // Two lines that share next to nothing are clearer without marks.
  const shared = [...a.slice(0, start), ...a.slice(a.length - end)].join("").trim().length;
  if (shared * 3 < Math.max(a.join("").length, b.join("").length)) return;
  lines[removed] = { ...before, parts: split(a, start, end) };
  lines[added] = { ...after, parts: split(b, start, end) };
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function common(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

function split(all: readonly string[], start: number, end: number): DiffPart[] {
  const parts = [
    { text: all.slice(0, start).join(""), changed: false },
    { text: all.slice(start, all.length - end).join(""), changed: true },
    { text: all.slice(all.length - end).join(""), changed: false },
  ];
  return parts.filter((part) => part.text !== "");
}

function plain(text: string): DiffPart {
  return { text, changed: false };
}

function count(lines: readonly DiffLine[], is: DiffLine["is"]): number {
  return lines.filter((line) => line.is === is).length;
}
