// What a turn shows of lines: the switch between versions, what stands of the others, and the ways to begin a new one.
// The wishes go up to the page as events; nothing is done here.

import { html, nothing, type TemplateResult } from "lit";
import { isFarther } from "../app/choices.ts";
import { riad } from "../app/riad.ts";
import { icon } from "../icons.ts";
import { t } from "../text.ts";
import type { Fork } from "../thread/lines.ts";
import { effectRows } from "./effects.ts";

export type LineWish =
  | { do: "edit"; message: string }
  | { do: "drop" }
  | { do: "say"; message: string; text: string; model?: string }
  | { do: "branch"; after: number }
  | { do: "switch"; line: number; at: number; side: "previous" | "next" };

/** What the page lends to the drawing of a turn. */
export interface Lining {
  /** Nothing runs or waits, so that a line can begin. */
  readonly quiet: boolean;
  /** The message that is being written anew. */
  readonly editing: string | undefined;
  readonly fork: Fork | undefined;
  /** Nothing follows this turn. */
  readonly last: boolean;
}

export function wish(event: Event, detail: LineWish): void {
  event.currentTarget?.dispatchEvent(new CustomEvent("line", { bubbles: true, detail }));
}

/** `2 / 3`, with a step to either side. */
export function switcher(fork: Fork, quiet: boolean): TemplateResult {
  return html`<span class="switcher" role="group" aria-label=${t("line.of", { n: fork.shown, all: fork.of })} data-fork=${fork.at}>
    ${step(fork, "previous", quiet)}<span class="switcher-at" aria-hidden="true">${fork.shown} / ${fork.of}</span>${step(fork, "next", quiet)}</span>`;
}

function step(fork: Fork, side: "previous" | "next", quiet: boolean): TemplateResult {
  const line = fork[side];
  const name = t(`line.${side}`);
  return html`<button type="button" class="quiet small" data-side=${side} aria-label=${name} title=${name} ?disabled=${line === undefined || !quiet}
    @click=${(event: Event) => line !== undefined && wish(event, { do: "switch", line, at: fork.at, side })}>${icon(side === "previous" ? "back" : "chevron", 16)}</button>`;
}

/** What was done where the thread does not show it. */
export function elsewhere(fork: Fork): TemplateResult | typeof nothing {
  if (fork.standing.length === 0) return nothing;
  return html`<details class="mark-fold"><summary>${icon("chevron", 16)}<span>${t("line.elsewhere", { n: fork.standing.length })}</span></summary>
    ${effectRows(fork.standing)}</details>`;
}

/** A branch on which nothing was said yet. */
export function openBranch(fork: Fork, quiet: boolean): TemplateResult {
  return html`<div class="new-line"><p class="mark">${icon("branch", 16)}<span>${t("line.open")}</span>${switcher(fork, quiet)}</p>${elsewhere(fork)}</div>`;
}

export function lineButton(name: "edit" | "again" | "branch", wanted: LineWish): TemplateResult {
  const icons = { edit: "modify", again: "again", branch: "branch" } as const;
  const text = t(`line.${name}`);
  return html`<button type="button" class="quiet small" aria-label=${text} title=${text} @click=${(event: Event) => wish(event, wanted)}>${icon(icons[name], 16)}</button>`;
}

/** Has the message answered anew by another model, as far as the conversation may travel. */
export function againWith(conversation: string, message: string, text: string): TemplateResult | typeof nothing {
  const holds = riad.choices.of(conversation)?.holds;
  const others = (riad.session?.models ?? []).filter((model) => model.state === "ready" && model.name !== holds?.model && holds !== undefined && !isFarther(model.tier, holds.tier));
  if (others.length === 0) return nothing;
  const take = (event: Event) => {
    const select = event.currentTarget as HTMLSelectElement;
    const model = select.value;
    select.value = "";
    if (model !== "") wish(event, { do: "say", message, text, model });
  };
  return html`<label class="again-with"><span class="unseen">${t("line.again_with")}</span><select @change=${take}>
    <option value="" selected>${t("line.with")}</option>${others.map((model) => html`<option value=${model.name}>${model.title ?? model.name}</option>`)}</select></label>`;
}
