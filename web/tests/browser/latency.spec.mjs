// How long it takes until what has arrived can be read: from a delta in the browser to its text in the page after a
// frame was painted, and from Stop to silence, also in the first moments after sending.

import assert from "node:assert/strict";
import { spec } from "./case.mjs";
import { say, setUp } from "./harness.mjs";
import { latest } from "./model.mjs";

const LONG = "The court is the middle of the house and every room looks into it ".repeat(14).trim();
const PAINT_MS = 100;
const STOP_MS = 1000;

function script(messages) {
  const { said } = latest(messages);
  return /slow/i.test(said) ? { text: "Here I am.", before: 8000 } : { text: LONG, pause: 25 };
}

/** Notes when each delta came, and when the page first showed that much text. */
function watchDeltas() {
  const arrived = [];
  const waits = [];
  const Plain = WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...parts) {
      super(...parts);
      this.addEventListener("message", ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.kind === "delta" && frame.channel === "text") arrived.push({ at: performance.now(), length: frame.offset + frame.text.trimEnd().length });
      });
    }
  };
  const look = () => {
    const shown = document.querySelector(".round.live .prose")?.textContent?.length ?? 0;
    while (arrived.length > 0 && arrived[0].length <= shown) waits.push(performance.now() - arrived.shift().at);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  window.deltaWaits = waits;
}

export const a_delta_is_painted_within_100_ms = spec(script, async (page, scene) => {
  await page.addInitScript(watchDeltas);
  await setUp(page, scene);
  await say(page, "Tell me something long.");
  await page.waitForFunction(() => window.deltaWaits.length >= 25);
  const waits = (await page.evaluate(() => window.deltaWaits)).sort((a, b) => a - b);
  const p95 = waits[Math.floor(waits.length * 0.95)];
  assert.ok(p95 <= PAINT_MS, `p95 is ${Math.round(p95)} ms over ${waits.length} deltas`);
});

export const stop_reaches_silence_within_a_second = spec(script, async (page, scene) => {
  await setUp(page, scene);
  const took = [];
  for (const [at, pause] of [0, 20, 50, 400].entries()) {
    await say(page, "Be slow, please.");
    await page.waitForTimeout(pause);
    const began = Date.now();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.locator(`.turn[data-state="over"] >> nth=${at}`).waitFor();
    took.push(Date.now() - began);
  }
  assert.ok(Math.max(...took) <= STOP_MS, `stopping took ${took.join(", ")} ms`);
});
