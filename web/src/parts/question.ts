// A question of the assistant, drawn unlike an approval: an answer here permits nothing. Nothing is chosen beforehand.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { riad } from "../app/riad.ts";
import { icon } from "../icons.ts";
import type { QuestionAnswer } from "../outbox/outbox.ts";
import { t } from "../text.ts";
import type { Question, QuestionPart } from "../wire.ts";
import { Part } from "./part.ts";
import { shown } from "./shown.ts";

@customElement("riad-question")
export class QuestionCard extends Part {
  @property({ attribute: false }) question!: Question;
  @property() conversation = "";
  @state() private at = 0;
  @state() private answers: QuestionAnswer[] = [];

  protected override render(): TemplateResult {
    const parts = this.question.questions;
    const part = parts[this.at];
    const kept = riad.answering(this.question.id);
    const note = riad.cardNotes.get(this.question.id);
    return html`<section class="question-card" aria-label=${t("question.asks")}>
      <header><span class="seal">${icon("question", 16)}${t("question.asks")}</span>
        ${parts.length > 1 ? html`<span class="soft">${t("question.of", { n: this.at + 1, all: parts.length })}</span>` : nothing}</header>
      ${note ? html`<p class="card-note" role="alert">${icon("warn", 18)}<span>${note}</span></p>` : nothing}
      ${kept && kept.state !== "failed"
        ? html`<p class="card-sending" role="status"><span class="spinner" aria-hidden="true"></span>${t("approval.sending")}</p>`
        : part
          ? this.form(part)
          : nothing}
    </section>`;
  }

  private form(part: QuestionPart): TemplateResult {
    const kind = part.many ? "checkbox" : "radio";
    const last = this.at === this.question.questions.length - 1;
    const free = part.other || part.options.length === 0;
    const given = this.answers[this.at];
    return html`<form @submit=${(event: SubmitEvent) => this.send(event, part)} @change=${(event: Event) => this.note(event)} @input=${(event: Event) => this.note(event)}>
      <fieldset><legend>${shown(part.text)}</legend>
        <div class="options">${part.options.map((option, n) => html`<label class="option">
          <input type=${kind} name="option" value=${n} .checked=${given?.options.includes(n) ?? false} /><span>${shown(option, false)}</span></label>`)}</div>
        ${free ? html`<label class="field"><span>${part.options.length === 0 ? t("question.words") : t("question.other")}</span>
          <textarea name="words" rows="1" maxlength="2000" .value=${given?.words ?? ""}></textarea></label>` : nothing}
      </fieldset>
      <div class="answers">
        <button class="act" type="submit" ?disabled=${!answered(given)}>${last ? t("question.send") : t("question.next")}</button>
        ${this.at > 0 ? html`<button type="button" @click=${() => (this.at -= 1)}>${t("question.back")}</button>` : nothing}
      </div>
    </form>`;
  }

  private note(event: Event): void {
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const words = String(form.get("words") ?? "").trim();
    const answers = [...this.answers];
    answers[this.at] = { options: form.getAll("option").map(Number), ...(words ? { words } : {}) };
    this.answers = answers;
  }

  private send(event: SubmitEvent, _: QuestionPart): void {
    event.preventDefault();
    if (!answered(this.answers[this.at])) return;
    if (this.at < this.question.questions.length - 1) {
      this.at += 1;
      return;
    }
    const { id, digest } = this.question;
    riad.answerQuestion({ id, digest, conversation: this.conversation }, this.answers);
  }
}

function answered(answer: QuestionAnswer | undefined): boolean {
  return answer !== undefined && (answer.options.length > 0 || answer.words !== undefined);
}
