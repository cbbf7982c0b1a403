// What could hide in a text is seen.
import { expect, test } from "vitest";
import { pieces, visible } from "../../src/escape.ts";

const CASES: [string, string][] = [
  ["plain text, äöü, 日本", "plain text, äöü, 日本"],
  ["a\u202Etxt.exe", "a⟨U+202E⟩txt.exe"],
  ["zero\u200Bwidth", "zero⟨U+200B⟩width"],
  ["tag\u{E0041}", "tag⟨U+E0041⟩"],
  ["vs\uFE0F", "vs⟨U+FE0F⟩"],
  ["esc\u001b[31m", "esc⟨U+001B⟩[31m"],
  ["nbsp\u00a0x", "nbsp⟨U+00A0⟩x"],
  ["three   blanks", "three   blanks"],
  ["four    blanks", "four····blanks"],
  ["tab\there\nline", "tab⇥here↵line"],
  ["lone \ud800 surrogate", "lone ⟨U+D800⟩ surrogate"],
];

for (const [given, wanted] of CASES) {
  test(`${JSON.stringify(given)} is shown as ${JSON.stringify(wanted)}`, () => expect(visible(given)).toBe(wanted));
}

test("nothing is cut and line ends stay where lines are shown", () => {
  const long = "word ".repeat(5000) + "\nend";
  expect(pieces(long)).toEqual([{ text: long, is: "plain" }]);
});
