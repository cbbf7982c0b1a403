// Draws a unified diff: all of it, added and removed lines told apart by sign, tint and words for listeners.

import { html, nothing, type TemplateResult } from "lit";
import { readDiff, type DiffLine } from "../diff.ts";
import { t } from "../text.ts";
import { shown } from "./shown.ts";

const SIGNS: Readonly<Record<DiffLine["is"], string>> = { added: "+", removed: "−", same: " ", gap: "⋯", note: " " };

export function drawDiff(path: string, text: string): TemplateResult {
  const diff = readDiff(text);
  return html`<figure class="diff">
    <figcaption>
      <span class="diff-path">${shown(path, false)}</span>
      <span class="diff-count added">+${diff.added}</span>
      <span class="diff-count removed">−${diff.removed}</span>
      <span class="unseen">${t("diff.summary", { added: diff.added, removed: diff.removed })}</span>
    </figcaption>
    <div class="diff-lines" role="region" aria-label=${t("diff.label", { path })} tabindex="0">
      <div class="diff-inner">${diff.lines.map(line)}</div>
    </div>
  </figure>`;
}

function line(line: DiffLine): TemplateResult {
  const said = line.is === "added" ? t("diff.added") : line.is === "removed" ? t("diff.removed") : "";
  return html`<div class="diff-line ${line.is}"><span class="diff-number" aria-hidden="true">${line.new ?? line.old ?? ""}</span
    ><span class="diff-sign" aria-hidden="true">${SIGNS[line.is]}</span
    >${said ? html`<span class="unseen">${said} </span>` : nothing}<span class="diff-text">${line.parts.map((part) =>
      part.changed ? html`<mark>${shown(part.text, false)}</mark>` : shown(part.text, false))}</span></div>`;
}
