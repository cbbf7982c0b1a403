// What a conversation used, and what its next message would take, by what it is. Unknown amounts are said to be unknown,
// never 0; what is estimated says so.

import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { Problem } from "../api.ts";
import { riad } from "../app/riad.ts";
import { duration } from "../format.ts";
import { icon } from "../icons.ts";
import { language, t, type TextKey } from "../text.ts";
import type { ConversationUsage, DraftForm, PromptUsage, RoundUsage, SegmentRows } from "../wire.ts";
import { failed } from "./frame.ts";
import { Part } from "./part.ts";

/** In the order in which a model reads them, but for what frames all of it. */
const SEGMENTS = ["system", "tools", "summary", "history", "message", "around"] as const;
type Segment = (typeof SEGMENTS)[number];
type Row = { name: Segment | "reserve" | "free"; tokens: number };

@customElement("riad-usage")
export class UsagePanel extends Part {
  @property() conversation = "";
  @state() private usage: ConversationUsage | undefined;
  /** Whether what is written and not sent is part of the next message. */
  @state() private withDraft = false;
  @state() private problem = "";

  override connectedCallback(): void {
    super.connectedCallback();
    void this.load();
  }

  private async load(): Promise<void> {
    this.problem = "";
    const path = `/conversations/${encodeURIComponent(this.conversation)}/usage`;
    const text = riad.drafts.of(this.conversation);
    const form: DraftForm = { text };
    try {
      const [usage, next] = await Promise.all([riad.api.get<ConversationUsage>(path), text.trim() === "" ? undefined : riad.api.json<PromptUsage>("POST", path, { body: form })]);
      this.usage = next === undefined ? usage : { ...usage, next };
      this.withDraft = next !== undefined && next.segments.message > 0;
    } catch (fault) {
      this.problem = fault instanceof Problem ? fault.sentence : t("problem.unreachable");
    }
  }

  protected override render(): TemplateResult {
    return html`<header><h2>${t("usage.title")}</h2><button type="button" class="quiet" aria-label=${t("close")} @click=${() => this.closest("dialog")?.close()}>${icon("close")}</button></header>
      ${this.problem ? failed(this.problem, () => void this.load()) : this.usage ? this.panel(this.usage) : html`<div class="skeleton late"><i></i><i></i></div>`}`;
  }

  private panel(usage: ConversationUsage): TemplateResult {
    return html`${nextPrompt(usage.next, this.withDraft)}
      <section class="used"><h3>${t("usage.so_far")}</h3>
        <dl class="totals"><div><dt>${t("usage.total_read")}</dt><dd>${amount(usage.totals.prompt)}</dd></div>
          <div><dt>${t("usage.total_written")}</dt><dd>${amount(usage.totals.decoded)}</dd></div>
          <div><dt>${t("usage.rounds")}</dt><dd>${number(usage.rounds.length)}</dd></div></dl>
        ${usage.failed === 0 ? nothing : html`<p class="soft">${t("usage.failed", { n: usage.failed })}</p>`}
        ${usage.rounds.length === 0 ? html`<p class="soft">${t("usage.none")}</p>` : table(usage.rounds)}</section>`;
  }
}

// --- The next message ---------------------------------------------------------------------------------------------

function nextPrompt(next: PromptUsage, withDraft: boolean): TemplateResult {
  const rows = rowsOf(next.segments);
  const free = Math.max(0, next.window - next.total - next.reserve);
  return html`<section class="next-prompt"><h3>${t(withDraft ? "usage.next_draft" : "usage.next_title")}</h3>
    <p class="amount"><strong>${about(next.total, next.estimated)}</strong> <span>${t("usage.of_window", { n: next.window, share: percent(next.total, next.window) })}</span></p>
    ${drawn(rows, next)}
    <table class="segments"><caption class="unseen">${t("usage.by_segment")}</caption>
      <thead class="unseen"><tr><th scope="col">${t("usage.col_part")}</th><th scope="col">${t("usage.col_tokens")}</th><th scope="col">${t("usage.col_share")}</th></tr></thead>
      <tbody>${rows.map((row) => tableRow(row, next, next.segments.estimated))}</tbody>
      <tbody class="sum"><tr><th scope="row">${t("usage.sum")}</th><td>${about(next.total, next.estimated)}</td><td>${percent(next.total, next.window)}</td></tr></tbody>
      <tbody class="rest">${tableRow({ name: "reserve", tokens: next.reserve }, next, false)}${tableRow({ name: "free", tokens: free }, next, next.estimated)}</tbody></table>
    ${next.folds ? html`<p class="will-fold">${icon("warn", 18)}<span>${t("usage.folds")}</span></p>` : nothing}
    <dl class="facts"><div><dt>${t("usage.memory")}</dt><dd>${memory(next)}</dd></div>
      <div><dt>${t("usage.counting")}</dt><dd>${t(counting(next), { model: next.model })}</dd></div>
      <div><dt>${t("usage.cost")}</dt><dd>${t(next.here ? "usage.cost_here" : "usage.cost_unknown")}</dd></div></dl></section>`;
}

function rowsOf(segments: SegmentRows): Row[] {
  return SEGMENTS.map((name) => ({ name, tokens: segments[name] })).filter((row) => row.tokens > 0);
}

/** All of the window as one bar, drawn to scale: what is sent from its beginning, the reserve at its end. What would be
 * thinner than a hair is drawn as a hair. */
function drawn(rows: readonly Row[], next: PromptUsage): TemplateResult {
  const scale = 1000 / Math.max(1, next.window);
  const part = (name: Row["name"], x: number, width: number): SVGTemplateResult => svg`<rect class="segment ${name}" x=${x} y="0" width=${width} height="10"></rect>`;
  let at = 0;
  const parts = rows.map((row) => {
    const width = Math.max(3, row.tokens * scale);
    at += width;
    return part(row.name, at - width, width);
  });
  return html`<svg class="segment-bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
    ${part("reserve", 1000 - next.reserve * scale, next.reserve * scale)}${parts}</svg>`;
}

function tableRow(row: Row, next: PromptUsage, estimated: boolean): TemplateResult {
  return html`<tr><th scope="row"><i class="swatch ${row.name}" aria-hidden="true"></i>${t(`usage.segment.${row.name}` as TextKey)}</th>
    <td>${about(row.tokens, estimated)}</td><td>${percent(row.tokens, next.window)}</td></tr>`;
}

function memory(next: PromptUsage): string {
  return next.cached === undefined ? t("usage.memory_unknown") : t("usage.memory_known", { n: next.cached, fresh: Math.max(0, next.total - next.cached) });
}

function counting(next: PromptUsage): TextKey {
  if (next.estimated) return "usage.counted_not";
  return next.segments.estimated ? "usage.counted_whole" : "usage.counted_all";
}

// --- What was used ------------------------------------------------------------------------------------------------

function table(rounds: readonly RoundUsage[]): TemplateResult {
  const both = rounds.some((round) => round.counted !== undefined && round.prompt !== undefined && round.counted !== round.prompt);
  return html`<div class="table" tabindex="0" role="region" aria-label=${t("usage.rounds")}><table class="usage-table"><thead><tr>
      <th scope="col">${t("usage.col_round")}</th>${both ? html`<th scope="col">${t("usage.col_counted")}</th>` : nothing}<th scope="col">${t("usage.col_read")}</th><th scope="col">${t("usage.col_reused")}</th><th scope="col">${t("usage.col_written")}</th><th scope="col">${t("usage.col_first")}</th><th scope="col">${t("usage.col_model")}</th></tr></thead>
    <tbody>${[...rounds].reverse().map(
      (round) => html`<tr><td>${number(round.round)}</td>${both ? html`<td>${amount(round.counted)}</td>` : nothing}<td>${amount(round.prompt)}</td><td>${amount(round.reused)}</td><td>${amount(round.decoded)}</td>
        <td>${round.first_token_ms == null ? t("usage.unknown_short") : duration(round.first_token_ms)}</td><td class="model">${round.model}</td></tr>`,
    )}</tbody></table></div>`;
}

function number(value: number): string {
  return value.toLocaleString(language());
}

function amount(value: number | null | undefined): string {
  return value == null ? t("usage.unknown_short") : number(value);
}

function about(value: number, estimated: boolean): string {
  return estimated ? t("usage.about", { n: value }) : number(value);
}

function percent(part: number, whole: number): string {
  const share = part / Math.max(1, whole);
  const said = (value: number, digits: number): string => value.toLocaleString(language(), { style: "percent", maximumFractionDigits: digits });
  if (share > 0 && share < 0.0005) return t("usage.under", { share: said(0.001, 1) });
  return said(share, share < 0.01 ? 1 : 0);
}
