// Rows of what was done: at the end of a turn, before a new line begins, and where other lines stand beside.

import { html, type TemplateResult } from "lit";
import { t, type TextKey } from "../text.ts";
import type { FooterRow } from "../wire.ts";
import { classIcon } from "./classes.ts";
import { shown } from "./shown.ts";

export function effectRows(rows: readonly FooterRow[]): TemplateResult {
  return html`<ul class="effect-rows">${rows.map(
    (row) => html`<li class=${row.state}>${classIcon(row.classes, 16)}
      <span>${shown(row.target, false)}</span>
      <span class="soft">${[t(`effect.${row.state}` as TextKey), row.undo ? t("effect.undo") : ""].filter(Boolean).join(", ")}</span></li>`,
  )}</ul>`;
}
