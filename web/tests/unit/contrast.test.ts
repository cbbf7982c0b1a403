// Text can be read: each colour of text on each ground that it stands on, in both themes (WCAG 2.2, 1.4.3 and 1.4.11).
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const sheet = readFileSync(new URL("../../src/styles/tokens.css", import.meta.url), "utf8");

function colours(block: string): Map<string, string> {
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((match) => [match[1] as string, match[2] as string]));
}

const [lightBlock = "", darkBlock = ""] = sheet.split(':root[data-theme="dark"]');
const THEMES = { light: colours(lightBlock), dark: colours(darkBlock) };

function luminance(hex: string): number {
  const part = (at: number) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ["ground", "raised", "sunk"];
const TEXT: [string, string[]][] = [
  ["ink", [...GROUNDS, "said", "added", "removed", "added-word", "removed-word", "teal-tint"]],
  ["soft", [...GROUNDS, "teal-tint", "added", "removed"]],
  ["teal", [...GROUNDS, "teal-tint"]],
  ["on-act", ["act", "act-over"]],
  ["clay", ["raised", "ground", "sunk", "clay-tint"]],
  ["ochre", ["raised", "ochre-tint"]],
  ["green", ["raised", "ground", "sunk", "green-tint", "added"]],
  ["plum", ["raised", "plum-tint"]],
  ["red", ["raised", "ground", "red-tint", "sunk", "removed"]],
  ["slate", ["slate-tint"]],
];
const CONTROLS: [string, string[]][] = [["control", GROUNDS], ["teal", GROUNDS], ["clay", GROUNDS]];

for (const [theme, named] of Object.entries(THEMES)) {
  for (const [pairs, least] of [[TEXT, 4.5], [CONTROLS, 3]] as const) {
    for (const [front, backs] of pairs) {
      for (const back of backs) {
        test(`${theme}: ${front} on ${back} reaches ${least}:1`, () => {
          const [a, b] = [named.get(front), named.get(back)];
          expect(a && b, "both colours exist").toBeTruthy();
          expect(contrast(a as string, b as string)).toBeGreaterThanOrEqual(least);
        });
      }
    }
  }
}
