// The waits between tries: from half a second to fifteen, spread so that not all come at once.
import { expect, test } from "vitest";
import { waitBefore } from "../../src/stream/connection.ts";

test("waits stay between 0.5 and 15 seconds and grow", () => {
  for (let tries = 0; tries < 40; tries += 1) {
    for (const chance of [0, 0.5, 0.999]) {
      const wait = waitBefore(tries, chance);
      expect(wait).toBeGreaterThanOrEqual(500);
      expect(wait).toBeLessThanOrEqual(15_000);
    }
  }
  expect(waitBefore(3, 0.5)).toBeGreaterThan(waitBefore(1, 0.5));
  expect(waitBefore(9, 0)).not.toBe(waitBefore(9, 0.9));
});
