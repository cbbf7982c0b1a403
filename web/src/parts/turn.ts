// One turn in the thread: messages, rounds, marks and how it ended.

import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { clock, dayAndClock, duration } from "../format.ts";
import { riad } from "../app/riad.ts";
import { icon, star } from "../icons.ts";
import { drawMarkdown } from "../markdown/draw.ts";
import { t, type TextKey } from "../text.ts";
import { cameBack } from "../thread/fold.ts";
import type { EndView, FalteredItem, FoldItem, HeldItem, Item, MarkItem, RoundItem, SaidItem, TurnUsage, TurnView } from "../thread/fold.ts";
import type { FooterRow } from "../wire.ts";
import { drawCalls } from "./call.ts";
import "./edit.ts";
import { effectRows } from "./effects.ts";
import { againWith, elsewhere, lineButton, switcher, type Lining } from "./line.ts";
import { shown } from "./shown.ts";

export function drawTurn(turn: TurnView, conversation: string, lining: Lining): TemplateResult {
  const working = turn.state === "running" && !showsWork(turn.items.filter((item) => item.is !== "said").at(-1));
  const settled = turn.items.filter((item) => item.is !== "said" || !item.waits);
  const waiting = turn.items.filter((item) => item.is === "said" && item.waits);
  return html`<article class="turn" aria-label=${t("turn.label")} data-turn=${turn.id} data-state=${turn.state}>
    ${repeat(settled, (item) => item.id, (item) => drawItem(item, conversation, turn, lining))}
    ${working ? working_(riad.stopping.has(turn.id)) : nothing}
    ${repeat(waiting, (item) => item.id, (item) => drawItem(item, conversation, turn, lining))}
    ${turn.end ? end(turn.end, turn, conversation) : nothing}
    ${turn.end ? foot(turn, conversation, lining) : nothing}
    ${repeat(turn.afterwards, (item) => item.id, (item) => drawItem(item, conversation, turn, lining))}
  </article>`;
}

function drawItem(item: Item, conversation: string, turn: TurnView, lining: Lining): TemplateResult {
  switch (item.is) {
    case "said":
      return item.id === turn.beganWith?.id ? opening(item, conversation, turn, lining) : said(item, conversation);
    case "round":
      return round(item, conversation);
    case "faltered":
      return faltered(item);
    case "mark":
      return mark(item);
    case "held":
      return held(item, conversation);
    case "fold":
      return folded(item);
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

/** The message that began a turn: it can be written anew, and other lines may stand beside it. */
function opening(item: SaidItem, conversation: string, turn: TurnView, lining: Lining): TemplateResult {
  if (lining.editing === item.id) return html`<riad-edit .message=${item.id} .text=${item.text}></riad-edit>`;
  const acts = turn.state === "over" && lining.quiet;
  return html`<div class="opening">${said(item, conversation)}
    ${acts || lining.fork
      ? html`<p class="turn-acts to-end-side">${acts ? lineButton("edit", { do: "edit", message: item.id }) : nothing}${lining.fork ? switcher(lining.fork, lining.quiet) : nothing}</p>`
      : nothing}${lining.fork ? elsewhere(lining.fork) : nothing}</div>`;
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
  const icons = { resumed: "again", stopped: "stop", other_model: "device" } as const;
  return html`<p class="mark">${icon(icons[item.mark], 16)}<span>${t(`mark.${item.mark}`, { model: item.model ?? "" })}</span></p>`;
}

/** The turn waits for its person, though nothing is asked: they can have it tried again. */
function held(item: HeldItem, conversation: string): TemplateResult {
  if (!item.open) return html`<p class="mark">${icon("warn", 16)}<span>${shown(item.sentence, false)}</span></p>`;
  return html`<div class="end" role="note">${icon("warn", 18)}<p><strong>${shown(item.sentence, false)}</strong> ${item.nextStep}</p>
    <button type="button" class="small" @click=${(event: Event) => event.currentTarget?.dispatchEvent(new CustomEvent("pick", { bubbles: true, detail: conversation }))}>${icon("cloud", 16)}${t("held.pick")}</button>
    <button type="button" class="small" @click=${() => riad.say(conversation, t("cut.continue_text"))}>${t("cut.continue")}</button></div>`;
}

/** A fold of what stands above; its record can be opened. */
function folded(item: FoldItem): TemplateResult {
  const size = item.done ? html`<span class="soft">${t("fold.tokens", { before: item.before, after: item.after })}</span>` : nothing;
  if (item.summary === undefined) return html`<p class="mark">${icon("fold", 16)}<span>${item.sentence}</span>${size}</p>`;
  return html`<details class="mark-fold"><summary>${icon("chevron", 16)}<span>${item.sentence}</span>${size}</summary>
    <div class="fold-record"><p class="hint">${t("fold.record")}</p>${drawMarkdown(item.summary)}</div></details>`;
}

function end(end: EndView, turn: TurnView, conversation: string): TemplateResult {
  const answered = end.outcome === "answered";
  const failed = ["model_unavailable", "failed", "mute"].includes(end.outcome);
  const spent = ["round_limit", "time_limit", "budget_spent", "loop_broken"].includes(end.outcome);
  return html`${end.footer.length > 0 ? footer(end.footer) : nothing}${end.outcome === "mute" ? whatCameBack(turn) : nothing}
    ${answered
      ? nothing
      : html`<div class="end ${failed ? "failed" : ""}" role=${failed ? "alert" : "note"}>${icon(end.outcome === "stopped" ? "stop" : "warn", 18)}
          <p><strong>${end.sentence}</strong> ${end.nextStep}</p>
          ${failed && turn.beganWith !== undefined
            ? html`<button type="button" class="small" @click=${() => riad.say(conversation, turn.beganWith?.text ?? "")}>${icon("again", 16)}${t("turn.again")}</button>`
            : nothing}${spent
            ? html`<button type="button" class="small" @click=${() => riad.say(conversation, t("cut.continue_text"))}>${t("cut.continue")}</button>`
            : nothing}</div>`}`;
}

/** What the host itself can say where the model said nothing. */
function whatCameBack(turn: TurnView): TemplateResult | typeof nothing {
  const rows = cameBack(turn);
  if (rows.length === 0) return nothing;
  return html`<section class="effects came-back" aria-label=${t("mute.came_back")}><h3>${t("mute.came_back")}</h3>
    <ul>${rows.map((row) => html`<li><strong>${shown(row.label, false)}</strong> <span class="soft">${shown(row.text, false)}</span></li>`)}</ul></section>`;
}

function footer(rows: readonly FooterRow[]): TemplateResult {
  return html`<section class="effects" aria-label=${t("effects.title")}><h3>${t("effects.title")}</h3>
    ${effectRows(rows)}</section>`;
}

/** What is known of the turn, and how to go on from it another way. */
function foot(turn: TurnView, conversation: string, lining: Lining): TemplateResult | typeof nothing {
  const acts = lining.quiet && lining.editing === undefined && turn.beganWith !== undefined;
  if (!turn.usage && !acts) return nothing;
  return html`<div class="turn-foot">${turn.usage ? usageLine(turn.usage) : nothing}
    ${acts && turn.beganWith
      ? html`<p class="turn-acts">${lineButton("again", { do: "say", message: turn.beganWith.id, text: turn.beganWith.text })}${lining.last ? againWith(conversation, turn.beganWith.id, turn.beganWith.text) : lineButton("branch", { do: "branch", after: turn.number })}</p>`
      : nothing}</div>`;
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
