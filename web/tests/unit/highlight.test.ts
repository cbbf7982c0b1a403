import { expect, test } from "vitest";
import { placesOf } from "../../src/thread/highlight.ts";

test("words are found whatever their case, in order", () => {
  expect(placesOf("A Lemon, a tree, a lemonade", ["tree", "lemon"])).toEqual([[2, 7], [11, 15], [19, 24]]);
});

test("a text whose letters change their number with their case is left alone", () => {
  expect(placesOf("\u0130 lemon", ["lemon"])).toEqual([]);
});
