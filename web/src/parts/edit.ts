// A message of one's own, written anew in its place: Enter sends, Escape leaves it as it was.

import { html, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { icon } from "../icons.ts";
import { t } from "../text.ts";
import { wish } from "./line.ts";
import { Part } from "./part.ts";

@customElement("riad-edit")
export class EditMessage extends Part {
  @property() message = "";
  @property() text = "";
  private written: string | undefined;

  protected override firstUpdated(): void {
    const area = this.querySelector("textarea");
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }

  protected override render(): TemplateResult {
    return html`<form class="composer edit" @submit=${(event: SubmitEvent) => this.submit(event)}>
      <textarea rows="1" aria-label=${t("line.edit_label")} .value=${this.written ?? this.text} @input=${(event: Event) => this.type(event)}
        @keydown=${(event: KeyboardEvent) => this.key(event)}></textarea>
      <div class="composer-row"><p class="hint">${t("line.edit_hint")}</p>
        <button type="button" class="quiet small" @click=${(event: Event) => wish(event, { do: "drop" })}>${t("cancel")}</button>
        <button type="submit" class="round-button act" aria-label=${t("composer.send")} title=${t("composer.send")}>${icon("send", 22)}</button></div>
    </form>`;
  }

  private type(event: Event): void {
    this.written = (event.currentTarget as HTMLTextAreaElement).value;
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape") wish(event, { do: "drop" });
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.querySelector("form")?.requestSubmit();
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const text = (this.written ?? this.text).trim();
    if (text !== "") wish(event, { do: "say", message: this.message, text });
  }
}
