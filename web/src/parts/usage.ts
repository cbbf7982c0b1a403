// What a conversation used, and how full the model's window is. Unknown amounts are said to be unknown, never 0.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { Problem } from "../api.ts";
import { riad } from "../app/riad.ts";
import { duration } from "../format.ts";
import { icon } from "../icons.ts";
import { t } from "../text.ts";
import type { ConversationUsage, RoundUsage } from "../wire.ts";
import { failed } from "./frame.ts";
import { Part } from "./part.ts";

@customElement("riad-usage")
export class UsagePanel extends Part {
  @property() conversation = "";
  @state() private usage: ConversationUsage | undefined;
  @state() private problem = "";

  override connectedCallback(): void {
    super.connectedCallback();
    void this.load();
  }

  private async load(): Promise<void> {
    this.problem = "";
    try {
      this.usage = await riad.api.get(`/conversations/${encodeURIComponent(this.conversation)}/usage`);
    } catch (fault) {
      this.problem = fault instanceof Problem ? fault.sentence : t("problem.unreachable");
    }
  }

  protected override render(): TemplateResult {
    return html`<header><h2>${t("usage.title")}</h2><button type="button" class="quiet" aria-label=${t("close")} @click=${() => this.closest("dialog")?.close()}>${icon("close")}</button></header>
      ${this.problem ? failed(this.problem, () => void this.load()) : this.usage ? panel(this.usage) : html`<div class="skeleton late"><i></i><i></i></div>`}`;
  }
}

function panel(usage: ConversationUsage): TemplateResult {
  return html`${fill(usage)}
    <dl class="totals"><div><dt>${t("usage.total_read")}</dt><dd>${amount(usage.totals.prompt)}</dd></div>
      <div><dt>${t("usage.total_written")}</dt><dd>${amount(usage.totals.decoded)}</dd></div>
      <div><dt>${t("usage.rounds")}</dt><dd>${usage.rounds.length}</dd></div></dl>
    ${usage.rounds.length === 0 ? html`<p class="soft">${t("usage.none")}</p>` : table(usage.rounds)}`;
}

function fill(usage: ConversationUsage): TemplateResult {
  const used = usage.next_prompt;
  return html`<div class="fill"><p><strong>${used === undefined ? t("usage.unknown") : t("usage.next", { n: used })}</strong>
      <span class="soft">${t("usage.window", { n: usage.window })}</span></p>
    ${used === undefined ? nothing : html`<meter min="0" max=${usage.window} high=${usage.window * 0.85} value=${used} aria-label=${t("usage.window_label")}></meter>`}</div>`;
}

function table(rounds: readonly RoundUsage[]): TemplateResult {
  return html`<div class="table" tabindex="0" role="region" aria-label=${t("usage.rounds")}><table class="usage-table"><thead><tr>
      <th scope="col">${t("usage.col_round")}</th><th scope="col">${t("usage.col_read")}</th><th scope="col">${t("usage.col_reused")}</th><th scope="col">${t("usage.col_written")}</th><th scope="col">${t("usage.col_first")}</th><th scope="col">${t("usage.col_model")}</th></tr></thead>
    <tbody>${[...rounds].reverse().map(
      (round) => html`<tr><td>${round.round}</td><td>${amount(round.prompt)}</td><td>${amount(round.reused)}</td><td>${amount(round.decoded)}</td>
        <td>${round.first_token_ms == null ? t("usage.unknown_short") : duration(round.first_token_ms)}</td><td class="model">${round.model}</td></tr>`,
    )}</tbody></table></div>`;
}

function amount(value: number | null | undefined): string {
  return value == null ? t("usage.unknown_short") : value.toLocaleString();
}
