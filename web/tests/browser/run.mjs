// Runs the browser specs: node tests/browser/run.mjs [NAME]. A spec is a file NAME.spec.mjs whose exports are cases; each
// gets a scene of its own. A case fails by throwing, or when the browser complained about anything.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isReal, onThisMachine } from "./harness.mjs";

const wanted = process.argv[2] ?? "";
/** A case may state a longer time of its own. */
const LONGEST_MS = 180_000;
let passed = 0;
const failed = [];
const skipped = [];

for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith(".spec.mjs")).sort()) {
  const spec = file.replace(".spec.mjs", "");
  const cases = await import(join(import.meta.dirname, file));
  for (const [name, run] of Object.entries(cases)) {
    const title = `${spec}: ${name.replaceAll("_", " ")}`;
    if (!title.includes(wanted)) continue;
    if (run.needs === "real" && !isReal) skipped.push(title);
    else if (run.needs === "stand-in" && isReal) skipped.push(title);
    else if (run.needs === "worker" && !onThisMachine) skipped.push(title);
    else await runCase(title, run);
  }
}

for (const title of skipped) console.log(`skipped  ${title}`);
for (const { title, fault } of failed) console.log(`\nFAILED   ${title}\n${fault}\n`);
console.log(`${passed} passed, ${failed.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`);
process.exitCode = failed.length > 0 || passed === 0 ? 1 : 0;
// A case that was given up may have left something open that would keep this process.
setTimeout(() => process.kill(process.pid), 5_000).unref();

async function runCase(title, run) {
  const began = Date.now();
  try {
    await inTime(run(), run.longest ?? LONGEST_MS);
    passed += 1;
    console.log(`passed   ${title} (${Date.now() - began} ms)`);
  } catch (fault) {
    failed.push({ title, fault: fault?.stack ?? String(fault) });
    console.log(`failed   ${title} (${Date.now() - began} ms)`);
  }
}

function inTime(work, longest) {
  let late;
  const limit = new Promise((_, reject) => (late = setTimeout(() => reject(new Error(`took longer than ${longest} ms`)), longest)));
  return Promise.race([work, limit]).finally(() => clearTimeout(late));
}
