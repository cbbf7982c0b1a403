// Text that people decide by, drawn so that nothing in it hides.

import { html, type TemplateResult } from "lit";
import { pieces } from "../escape.ts";
import { t } from "../text.ts";

export function shown(text: string, keepLines = true): TemplateResult[] {
  return pieces(text, keepLines).map((piece) => {
    switch (piece.is) {
      case "mark":
        return html`<span class="hidden-mark" title=${t("shown.hidden")}>${piece.text}</span>`;
      case "blanks":
        return html`<span class="hidden-blanks" title=${t("shown.blanks", { n: piece.text.length })}>${piece.text}</span>`;
      case "plain":
        return html`${piece.text}`;
    }
  });
}
