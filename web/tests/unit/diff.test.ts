// A unified diff becomes lines; no line of it is lost.
import { expect, test } from "vitest";
import { readDiff } from "../../src/diff.ts";

const DIFF = `--- a/notes/plan.md
+++ b/notes/plan.md
@@ -1,4 +1,5 @@
 # Plan
-- buy lamps
+- buy four lamps
 - paint the wall
+- water the lemon tree
 - rest
`;

test("lines carry their kind and both numbers", () => {
  const { lines, added, removed } = readDiff(DIFF);
  expect([added, removed]).toEqual([2, 1]);
  expect(lines.map((line) => [line.is, line.old, line.new])).toEqual([
    ["same", 1, 1],
    ["removed", 2, undefined],
    ["added", undefined, 2],
    ["same", 3, 3],
    ["added", undefined, 4],
    ["same", 4, 5],
  ]);
});

test("the words that differ are marked where a line replaces a line", () => {
  const changed = readDiff(DIFF).lines.flatMap((line) => line.parts.filter((part) => part.changed));
  expect(changed.map((part) => part.text)).toEqual(["four "]);
});

test("a line of content that looks like a header stays content", () => {
  const { lines } = readDiff("@@ -1,2 +1,2 @@\n--- rule\n+++ rule\n @@ -9 +9 @@\n");
  expect(lines.map((line) => [line.is, line.parts.map((part) => part.text).join("")])).toEqual([
    ["removed", "-- rule"],
    ["added", "++ rule"],
    ["same", "@@ -9 +9 @@"],
  ]);
});

test("a new file is all added, and text outside of hunks is shown", () => {
  const { lines } = readDiff("--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+one\n\\ No newline at end of file\nsurprise\n");
  expect(lines.map((line) => line.is)).toEqual(["added", "note", "note"]);
});
