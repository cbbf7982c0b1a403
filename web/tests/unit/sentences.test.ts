// Listeners hear whole sentences, each once.
import { expect, test } from "vitest";
import { Sentences } from "../../src/thread/sentences.ts";

test("a growing text is said sentence by sentence and the rest at the end", () => {
  const whole = "First one. Second **one**! And the rest";
  const sentences = new Sentences();
  const heard: string[] = [];
  for (let end = 1; end <= whole.length; end += 1) heard.push(sentences.next(whole.slice(0, end)));
  heard.push(sentences.next(whole, true));
  expect(heard.filter((each) => each !== "")).toEqual(["First one.", "Second one!", "And the rest"]);
});
