// A conversation as a file to keep: which form, and what of it. The file itself comes from the server.

import { html, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { icon } from "../icons.ts";
import { t, type TextKey } from "../text.ts";
import { Part } from "./part.ts";

const FORMS = ["markdown", "html", "jsonl"] as const;

@customElement("riad-export")
export class ExportSheet extends Part {
  @property() conversation = "";
  @state() private form: (typeof FORMS)[number] = "markdown";
  @state() private reasoning = false;
  @state() private results = false;

  protected override render(): TemplateResult {
    return html`<header><h2>${t("export.title")}</h2>
        <button type="button" class="quiet" aria-label=${t("close")} @click=${() => this.closest("dialog")?.close()}>${icon("close")}</button></header>
      <p class="soft">${t("export.lead")}</p>
      <fieldset class="picks"><legend>${t("export.form")}</legend>${FORMS.map(
        (form) => html`<label class="pick"><input type="radio" name="form" .checked=${this.form === form} @change=${() => (this.form = form)} />
          <span><strong>${t(`export.${form}` as TextKey)}</strong><small>${t(`export.${form}.help` as TextKey)}</small></span></label>`,
      )}</fieldset>
      <fieldset class="ticks"><legend>${t("export.also")}</legend>
        <label class="tick"><input type="checkbox" .checked=${this.results} @change=${() => (this.results = !this.results)} />${t("export.results")}</label>
        <label class="tick"><input type="checkbox" .checked=${this.reasoning} @change=${() => (this.reasoning = !this.reasoning)} />${t("export.reasoning")}</label></fieldset>
      <a class="button act" href=${this.address()} download>${icon("take", 18)}${t("export.act")}</a>`;
  }

  private address(): string {
    const query = new URLSearchParams({ form: this.form, reasoning: String(this.reasoning), results: String(this.results) });
    return `/api/v1/conversations/${encodeURIComponent(this.conversation)}/export?${query}`;
  }
}
