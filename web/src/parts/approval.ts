// The card that asks for a yes to one exact call. Facts of the host come first, the model's words last and quoted.
// The answer carries the digest that is drawn. Nothing is taken in the first half second, and a yes is never focused.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { age } from "../format.ts";
import { riad } from "../app/riad.ts";
import { icon } from "../icons.ts";
import { t, type TextKey } from "../text.ts";
import type { Approval, Decision, Preview, Target } from "../wire.ts";
import { bytes } from "../format.ts";
import { byStrictness, classIcon, classMarks } from "./classes.ts";
import { drawDiff } from "./diff.ts";
import { Part } from "./part.ts";
import { shown } from "./shown.ts";

const DEAF_MS = 500;

@customElement("riad-approval")
export class ApprovalCard extends Part {
  @property({ attribute: false }) approval!: Approval;
  @property() conversation = "";
  @property() askedAt = "";
  @state() private armed = false;
  @state() private noting = false;
  private drawnFor = "";
  private arming: ReturnType<typeof setTimeout> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.arming);
    this.drawnFor = "";
  }

  /** Another digest is another card: it is deaf again, and what was typed for the old one is gone. */
  protected override willUpdate(_: PropertyValues): void {
    if (this.drawnFor === this.current.digest) return;
    this.drawnFor = this.current.digest;
    this.armed = false;
    this.noting = false;
    clearTimeout(this.arming);
    this.arming = setTimeout(() => (this.armed = true), DEAF_MS);
  }

  /** What the server says now, which may be newer than the entry. */
  private get current(): Approval {
    const item = riad.inbox.find((each) => each.id === this.approval.id);
    return item?.kind === "approval" ? item.approval : this.approval;
  }

  protected override render(): TemplateResult {
    const approval = this.current;
    const titleId = `approval-${approval.id}`;
    return html`<section class="ask-card ${byStrictness(approval.classes)[0] ?? ""}" aria-labelledby=${titleId} data-digest=${approval.digest}>
      <header>
        <span class="seal">${icon("lock", 16)}${t("approval.asks")}</span>
        ${classMarks(approval.classes)}
        ${this.askedAt ? html`<time datetime=${this.askedAt}>${age(this.askedAt, Date.now())}</time>` : nothing}
      </header>
      <h3 id=${titleId} tabindex="-1">${classIcon(approval.classes, 22)}<span>${shown(approval.label, false)}</span></h3>
      ${facts(approval)}
      ${preview(approval)}
      ${argumentsOf(approval)}
      <p class="why">${t("approval.why")} ${shown(approval.why, false)}</p>
      ${approval.intent ? html`<blockquote class="intent"><span>${t("approval.intent")}</span> <q>${shown(approval.intent, false)}</q></blockquote>` : nothing}
      ${this.answerPart(approval)}
    </section>`;
  }

  private answerPart(approval: Approval): TemplateResult {
    const note = riad.cardNotes.get(approval.id);
    const kept = riad.answering(approval.id);
    return html`${note ? html`<p class="card-note" role="alert">${icon("warn", 18)}<span>${note}</span></p>` : nothing}
      ${kept && kept.state !== "failed"
        ? html`<p class="card-sending" role="status"><span class="spinner" aria-hidden="true"></span>${t(kept.state === "sent" ? "approval.sent" : "approval.sending")}</p>`
        : this.noting
          ? this.noteForm()
          : this.buttons()}`;
  }

  private buttons(): TemplateResult {
    const deaf = !this.armed;
    return html`<div class="answers" role="group" aria-label=${t("approval.choices")}>
      <button class="act" type="button" ?disabled=${deaf} @click=${() => this.answer("approve")}>${icon("check", 18)}${t("approval.once")}</button>
      <button type="button" ?disabled=${deaf} @click=${() => this.answer("refuse")}>${t("approval.no")}</button>
      <button type="button" ?disabled=${deaf} @click=${() => this.openNote()}>${t("approval.no_note")}</button>
      <button class="stern" type="button" ?disabled=${deaf} @click=${() => this.answer("refuse_and_stop")}>${t("approval.no_stop")}</button>
    </div>`;
  }

  private noteForm(): TemplateResult {
    return html`<form class="note-form" @submit=${(event: SubmitEvent) => this.sendNote(event)}>
      <label class="field"><span>${t("approval.note_label")}</span>
        <textarea name="words" rows="2" maxlength="2000" required @keydown=${(event: KeyboardEvent) => this.noteKey(event)}></textarea></label>
      <div class="answers"><button class="act" type="submit">${t("approval.note_send")}</button>
        <button type="button" @click=${() => (this.noting = false)}>${t("cancel")}</button></div>
    </form>`;
  }

  private openNote(): void {
    if (!this.armed) return;
    this.noting = true;
    void this.updateComplete.then(() => this.querySelector("textarea")?.focus());
  }

  private noteKey(event: KeyboardEvent): void {
    if (event.key === "Escape") this.noting = false;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit();
    }
  }

  private sendNote(event: SubmitEvent): void {
    event.preventDefault();
    const words = String(new FormData(event.currentTarget as HTMLFormElement).get("words") ?? "");
    this.answer("refuse", words);
  }

  private answer(decision: Decision, words?: string): void {
    if (!this.armed) return;
    const { id, digest } = this.current;
    riad.answer({ id, digest, conversation: this.conversation }, decision, words);
  }
}

function facts(approval: Approval): TemplateResult {
  return html`<dl class="facts">
    ${approval.targets.map((target) => targetRow(target))}
    ${approval.command ? html`<div><dt>${t("fact.reach")}</dt><dd>${t(approval.command.quiet ? "fact.quiet" : "fact.not_quiet")}</dd></div>` : nothing}
    <div><dt>${t("fact.leaves")}</dt><dd>${t(approval.leaves_machine ? "yes" : "no")}</dd></div>
    <div><dt>${t("fact.undo")}</dt><dd>${t(approval.undo ? "yes" : "no")}</dd></div>
  </dl>`;
}

function targetRow(target: Target): TemplateResult {
  return html`<div><dt>${t(`target.${target.class}` as TextKey)}</dt><dd><code>${shown(target.path, false)}</code>
    <span class="soft">${t(target.exists ? "fact.exists" : "fact.new")}${target.bytes > 0 ? `, ${bytes(target.bytes)}` : ""}</span></dd></div>`;
}

function preview(approval: Approval): TemplateResult {
  const { preview, command } = approval;
  const shown = preview !== undefined && "command" in preview;
  return html`${preview ? drawPreview(preview) : nothing}${command && !shown ? drawCommand(command.argv) : nothing}`;
}

/** What would change: a text, or a program that would run. */
export function drawPreview(preview: Preview): TemplateResult | typeof nothing {
  if ("diff" in preview) return drawDiff(preview.diff.path, preview.diff.diff);
  return "command" in preview ? drawCommand(preview.command.argv) : nothing;
}

/** A program with its arguments, one a line, so that a blank inside one cannot pass for a border between two. */
export function drawCommand(argv: readonly string[]): TemplateResult {
  return html`<figure class="argv"><figcaption>${t("command.parts", { n: argv.length })}</figcaption>
    <ol>${argv.map((part, at) => html`<li class=${at === 0 ? "program" : ""}><code>${part === "" ? html`<span class="hidden-mark">${t("command.empty")}</span>` : shown(part)}</code></li>`)}</ol></figure>`;
}

/** Every argument in full; a long one scrolls and states its length. */
function argumentsOf(approval: Approval): TemplateResult {
  return html`<div class="arguments"><h4>${t("approval.arguments", { tool: approval.tool })}</h4>${drawArguments(approval.arguments)}</div>`;
}

export function drawArguments(value: unknown): TemplateResult {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return argumentText(JSON.stringify(value, null, 2) ?? "");
  const rows = Object.entries(value);
  if (rows.length === 0) return html`<p class="soft">${t("arguments.none")}</p>`;
  return html`<dl class="argument-list">${rows.map(
    ([name, each]) => html`<div><dt>${shown(name, false)}</dt><dd>${argumentText(typeof each === "string" ? each : (JSON.stringify(each, null, 2) ?? ""))}</dd></div>`,
  )}</dl>`;
}

const LONG = 400;

function argumentText(text: string): TemplateResult {
  const long = text.length > LONG || text.split("\n").length > 8;
  return html`${long ? html`<span class="soft length">${t("arguments.length", { n: [...text].length })}</span>` : nothing}
    <pre class=${long ? "argument long" : "argument"} tabindex=${long ? 0 : -1}>${shown(text)}</pre>`;
}
