// Wraps the body of a spec: begins a scene, ends it whatever happens, and fails on any complaint of the browser.

import assert from "node:assert/strict";
import { Scene } from "./harness.mjs";

/**
 * `needs`: "real" or "stand-in" when only one of them can show the case, "worker" when a model on this machine answers;
 * `settings`: of the real server. Without a script there is no scripted model.
 */
export function spec(script, body, needs, settings) {
  const run = async () => {
    const scene = await Scene.begin(script, settings);
    let page;
    try {
      page = await scene.openPage();
      await body(page, scene);
      assert.deepEqual(scene.complaints, [], "the browser complained");
    } catch (fault) {
      if (page && process.env.RIAD_SHOTS) await page.screenshot({ path: `${process.env.RIAD_SHOTS}/failed-${Date.now()}.png` }).catch(() => {});
      const more = scene.complaints.length > 0 ? `\nThe browser said:\n${scene.complaints.join("\n")}` : "";
      throw new Error(`${fault.stack}${more}${scene.log ? `\nThe server said:\n${scene.log.slice(-2000)}` : ""}`);
    } finally {
      await scene.end();
    }
  };
  run.needs = needs;
  return run;
}
