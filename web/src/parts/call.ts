// One use of a tool in the thread: the host's label, what it does, how it stands and what allowed it; opened, its
// arguments, what it printed and what came back. An open question about it stands beneath it.

import { html, nothing, type TemplateResult } from "lit";
import { between } from "../format.ts";
import { icon } from "../icons.ts";
import { t, type TextKey } from "../text.ts";
import { leaves, type CallState, type CallView } from "../thread/fold.ts";
import { drawArguments, drawPreview } from "./approval.ts";
import { classIcon, classMarks } from "./classes.ts";
import { shown } from "./shown.ts";

const FOLDS_ABOVE = 3;

/** The calls of one round. Many of them fold into one line; what waits for the person never does. */
export function drawCalls(calls: readonly CallView[], conversation: string): TemplateResult {
  const asked = leaves(calls).filter((call) => call.state === "asking");
  const cards = asked.map((call) => question(call, conversation));
  if (calls.length <= FOLDS_ABOVE) return html`<div class="calls">${calls.map(drawCall)}${cards}</div>`;
  return html`<div class="calls">
    <details class="calls-fold"><summary>${icon("chevron", 16)}<span class="label">${t("calls.steps", { n: calls.length })}</span>
      <span class="soft">${tally(calls)}</span></summary>
      ${calls.map(drawCall)}</details>
    ${cards}</div>`;
}

function question(call: CallView, conversation: string): TemplateResult | typeof nothing {
  if (call.approval) {
    return html`<riad-approval .approval=${call.approval} .conversation=${conversation} .askedAt=${call.askedAt ?? ""}></riad-approval>`;
  }
  return call.question ? html`<riad-question .question=${call.question} .conversation=${conversation}></riad-question>` : nothing;
}

function drawCall(call: CallView): TemplateResult {
  const time = between(call.startedAt, call.endedAt);
  return html`<details class="call ${call.state}" data-call=${call.id}>
    <summary>
      <span class="call-icon">${classIcon(call.classes)}</span>
      <span class="label">${call.label === "" ? t("call.preparing") : shown(call.label, false)}</span>
      <span class="call-facts">${classMarks(call.classes)}
        <span class="state ${call.state}">${stateIcon(call.state)}${t(`call.${call.state}` as TextKey)}</span>
        ${call.inside && !call.inside.over ? html`<span class="soft">${t("calls.steps", { n: call.inside.calls.length })}</span>` : nothing}
        ${time ? html`<span class="time">${time}</span>` : nothing}</span>
      ${icon("chevron", 16)}
    </summary>
    <div class="call-body">
      ${clearance(call)}
      ${call.blocked ? html`<p class="soft">${shown(call.blocked, false)}</p>` : nothing}
      ${call.preview ? drawPreview(call.preview) : nothing}
      <h3>${call.tool === "" ? t("call.arguments_so_far") : t("call.arguments", { tool: call.tool })}</h3>
      ${call.arguments === undefined ? html`<pre class="argument">${shown(call.written)}</pre>` : drawArguments(call.arguments)}
      ${delegate(call)}
      ${output(call)}
      ${call.result === undefined ? nothing : html`<h3>${t("call.result")}</h3><pre class="result" tabindex="0">${shownResult(call.result)}</pre>`}
      ${call.made.length > 0 ? html`<p class="soft">${t("call.made")} ${call.made.map((name) => html`<code>${shown(name, false)}</code> `)}</p>` : nothing}
    </div>
  </details>
  ${call.output && call.output.text !== "" ? html`<pre class="live-output" aria-hidden="true">${lastLines(call.output.text, 4)}</pre>` : nothing}`;
}

/** What a delegate has done so far, as calls inside its own. */
function delegate(call: CallView): TemplateResult | typeof nothing {
  if (!call.inside || call.inside.calls.length === 0) return nothing;
  return html`<h3>${t("call.inside", { profile: call.inside.profile })}</h3><div class="calls">${call.inside.calls.map(drawCall)}</div>`;
}

/** Results are for reading, not for deciding: blanks stay blanks, other hidden characters are shown. */
function shownResult(text: string): TemplateResult[] | string {
  return text === "" ? t("call.empty") : shown(text.replace(/\t/g, "    ")).map((piece) => piece);
}

function output(call: CallView): TemplateResult | typeof nothing {
  if (!call.output) return nothing;
  return html`<h3>${t("call.output")}</h3>
    ${call.output.holed ? html`<p class="soft">${t("call.output_holed")}</p>` : nothing}
    <pre class="result" tabindex="0">${call.output.text}</pre>`;
}

function clearance(call: CallView): TemplateResult | typeof nothing {
  if (!call.clearedBy) return call.answer && ["refuse", "refuse_and_stop"].includes(call.answer.decision) ? refusal(call) : nothing;
  const rule = call.rule ? html` <code>${call.rule}</code>` : nothing;
  return html`<p class="cleared">${icon("check", 16)}<span>${t(`cleared.${call.clearedBy}` as TextKey)}${rule}</span></p>`;
}

function refusal(call: CallView): TemplateResult {
  return html`<p class="cleared">${icon("cross", 16)}<span>${t("call.you_refused")}${call.answer?.words ? html` <q>${call.answer.words}</q>` : nothing}</span></p>`;
}

function stateIcon(state: CallState): TemplateResult {
  switch (state) {
    case "done":
      return icon("check", 14);
    case "failed":
    case "refused":
    case "rejected":
      return icon("cross", 14);
    case "interrupted":
      return icon("warn", 14);
    case "cancelled":
      return icon("stop", 14);
    case "asking":
      return icon("clock", 14);
    default:
      return html`<span class="spinner" aria-hidden="true"></span>`;
  }
}

function tally(calls: readonly CallView[]): string {
  const counts = new Map<CallState, number>();
  for (const call of calls) counts.set(call.state, (counts.get(call.state) ?? 0) + 1);
  return [...counts].map(([state, n]) => `${n} ${t(`call.${state}` as TextKey).toLowerCase()}`).join(", ");
}

function lastLines(text: string, count: number): string {
  return text.replace(/\n$/, "").split("\n").slice(-count).join("\n");
}
