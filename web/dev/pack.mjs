// After the build: a brotli form beside each text file, which the server sends as it is, and the budget of the first page.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const DIST = join(import.meta.dirname, "..", "dist");
const BUDGETS = { ".js": 160 * 1024, ".css": 30 * 1024 };

const totals = { ".js": 0, ".css": 0 };
for (const name of readdirSync(DIST, { recursive: true })) {
  const kind = /\.(js|css|html|svg)$/.exec(name)?.[0];
  if (kind === undefined) continue;
  const bytes = readFileSync(join(DIST, name));
  const packed = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  writeFileSync(join(DIST, `${name}.br`), packed);
  if (kind in totals) totals[kind] += packed.length;
}
for (const [kind, budget] of Object.entries(BUDGETS)) {
  console.log(`${kind} ${totals[kind]} bytes in brotli, of ${budget}`);
  if (totals[kind] > budget) {
    console.error(`The first page is over its budget for ${kind} files. Load what it does not need later.`);
    process.exitCode = 1;
  }
}
