// One turn in the thread: messages, rounds and how it ended.

import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { clock, dayAndClock, duration } from "../format.ts";
import { riad } from "../app/riad.ts";
import { icon, star } from "../icons.ts";
import { drawMarkdown } from "../markdown/draw.ts";
import { t, type TextKey } from "../text.ts";
import type { EndView, FalteredItem, Item, MarkItem, RoundItem, SaidItem, TurnUsage, TurnView } from "../thread/fold.ts";
import type { FooterRow } from "../wire.ts";
import { drawCalls } from "./call.ts";
import { byStrictness, classIcon } from "./classes.ts";
import { shown } from "./shown.ts";

export function drawTurn(turn: TurnView, conversation: string): TemplateResult {
  const working = turn.state === "running" && !showsWork(turn.items.filter((item) => item.is !== "said").at(-1));
  const settled = turn.items.filter((item) => item.is !== "said" || !item.waits);
  const waiting = turn.items.filter((item) => item.is === "said" && item.waits);
  return html`<article class="turn" aria-label=${t("turn.label")} data-turn=${turn.id} data-state=${turn.state}>
    ${repeat(settled, (item) => item.id, (item) => drawItem(item, conversation))}
    ${working ? working_(riad.stopping.has(turn.id)) : nothing}
    ${repeat(waiting, (item) => item.id, (item) => drawItem(item, conversation))}
    ${turn.end ? end(turn.end, turn, conversation) : nothing}
    ${turn.end && turn.usage ? usageLine(turn.usage) : nothing}
  </article>`;
}

function drawItem(item: Item, conversation: string): TemplateResult {
  switch (item.is) {
    case "said":
      return said(item, conversation);
    case "round":
      return round(item, conversation);
    case "faltered":
      return faltered(item);
    case "mark":
      return mark(item);
  }
}

/** Whether the last thing in the turn already shows by itself that something is going on. */
function showsWork(item: Item | undefined): boolean {
  if (item?.is !== "round") return false;
  return (item.live && (item.text !== "" || item.reasoning !== "")) || item.calls.some((call) => ["running", "asking"].includes(call.state));
}

export function working_(stopping: boolean): TemplateResult {
  return html`<p class="working" role="status">${star(24, "turning")}<span>${t(stopping ? "turn.stopping" : "turn.working")}</span></p>`;
}

function said(item: SaidItem, conversation: string): TemplateResult {
  const taking = riad.keptOf(conversation).some((kept) => kept.act.does === "withdraw" && kept.act.message === item.id);
  return html`<div class="said ${item.waits ? "waits" : ""}">
    <h2 class="unseen">${t("said.you", { time: clock(item.at) })}</h2>
    <p class="bubble" title=${dayAndClock(item.at)}>${item.text}</p>
    ${item.waits
      ? html`<p class="said-state">${icon("clock", 14)}<span>${t(taking ? "steer.withdrawing" : "steer.waits")}</span>
          <button type="button" class="quiet small" ?disabled=${taking} @click=${() => riad.withdraw(conversation, item.id)}>${t("steer.withdraw")}</button></p>`
      : nothing}
  </div>`;
}

function round(item: RoundItem, conversation: string): TemplateResult {
  const nothingYet = item.text === "" && item.reasoning === "" && item.calls.length === 0;
  if (nothingYet) return html``;
  return html`<div class="round ${item.live ? "live" : ""}">
    ${item.reasoning === "" ? nothing : reasoning(item)}
    ${item.text === ""
      ? nothing
      : html`<div class="reply"><h2 class="unseen">${t("reply.label")}</h2>${star(20, item.live ? "turning" : "")}${drawMarkdown(item.text)}</div>`}
    ${item.calls.length > 0 ? drawCalls(item.calls, conversation) : nothing}
    ${cutLine(item, conversation)}
  </div>`;
}

function reasoning(item: RoundItem): TemplateResult {
  const title = item.thinking
    ? t("reasoning.now")
    : item.reasoningMs !== undefined
      ? t("reasoning.took", { time: duration(item.reasoningMs) })
      : item.reasoningTokens
        ? t("reasoning.tokens", { n: item.reasoningTokens })
        : t("reasoning.was");
  return html`<details class="reasoning"><summary>${item.thinking ? star(16, "turning") : icon("chevron", 16)}<span>${title}</span></summary>
    ${drawMarkdown(item.reasoning)}</details>`;
}

function cutLine(item: RoundItem, conversation: string): TemplateResult | typeof nothing {
  if (item.live || !["length", "cut", "context_full", "filtered"].includes(item.stop)) return nothing;
  return html`<p class="cut">${icon("warn", 16)}<span>${t(`cut.${item.stop}` as TextKey)}</span>
    ${item.stop === "filtered" ? nothing : html`<button type="button" class="small" @click=${() => riad.say(conversation, t("cut.continue_text"))}>${t("cut.continue")}</button>`}</p>`;
}

function faltered(item: FalteredItem): TemplateResult {
  return html`<p class="mark">${icon("warn", 16)}<span>${shown(item.reason, false)}${item.again ? html` ${t("faltered.again")}` : nothing}</span></p>`;
}

function mark(item: MarkItem): TemplateResult {
  return html`<p class="mark">${icon(item.mark === "resumed" ? "again" : "stop", 16)}<span>${t(`mark.${item.mark}`)}</span></p>`;
}

function end(end: EndView, turn: TurnView, conversation: string): TemplateResult {
  const answered = end.outcome === "answered";
  const failed = ["model_unavailable", "failed", "mute"].includes(end.outcome);
  const spent = ["round_limit", "time_limit", "budget_spent", "loop_broken"].includes(end.outcome);
  return html`${end.footer.length > 0 ? footer(end.footer) : nothing}
    ${answered
      ? nothing
      : html`<div class="end ${failed ? "failed" : ""}" role=${failed ? "alert" : "note"}>${icon(end.outcome === "stopped" ? "stop" : "warn", 18)}
          <p><strong>${end.sentence}</strong> ${end.nextStep}</p>
          ${failed && turn.beganWith !== undefined
            ? html`<button type="button" class="small" @click=${() => riad.say(conversation, turn.beganWith ?? "")}>${icon("again", 16)}${t("turn.again")}</button>`
            : nothing}${spent
            ? html`<button type="button" class="small" @click=${() => riad.say(conversation, t("cut.continue_text"))}>${t("cut.continue")}</button>`
            : nothing}</div>`}`;
}

function footer(rows: readonly FooterRow[]): TemplateResult {
  return html`<section class="effects" aria-label=${t("effects.title")}><h3>${t("effects.title")}</h3>
    <ul>${rows.map(
      (row) => html`<li class=${row.state}>${classIcon(row.classes, 16)}
        <span>${t(`did.${byStrictness(row.classes)[0] ?? "execute"}` as TextKey)} <code>${shown(row.target, false)}</code></span>
        <span class="soft">${[t(`effect.${row.state}` as TextKey), row.undo ? t("effect.undo") : ""].filter(Boolean).join(", ")}</span></li>`,
    )}</ul></section>`;
}

function usageLine(usage: TurnUsage): TemplateResult {
  const parts = [
    usage.prompt === undefined ? "" : t("usage.read", { n: usage.prompt }),
    usage.reused ? t("usage.reused", { n: usage.reused }) : "",
    usage.decoded === undefined ? "" : t("usage.written", { n: usage.decoded }),
    usage.firstTokenMs === undefined ? "" : t("usage.first", { time: duration(usage.firstTokenMs) }),
    usage.rate === undefined ? "" : t("usage.rate", { text: usage.rate.toFixed(usage.rate < 10 ? 1 : 0) }),
  ].filter(Boolean);
  return html`<p class="usage-line"><span class="model">${usage.model}</span>${parts.map((part) => html`<span>${part}</span>`)}</p>`;
}
