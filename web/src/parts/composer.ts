// Where people write. Enter sends, Shift+Enter begins a line; what is written is kept for each conversation.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { isFarther } from "../app/choices.ts";
import { riad } from "../app/riad.ts";
import { icon } from "../icons.ts";
import { t } from "../text.ts";
import { Part } from "./part.ts";

/** The profile that answers where none is chosen. */
const USUAL = "riad/assistant";

@customElement("riad-composer")
export class Composer extends Part {
  @property() conversation: string | undefined;
  @property() turn: string | undefined;
  @property({ type: Boolean }) running = false;
  @property({ type: Boolean }) stopping = false;
  @state() private text = "";

  override connectedCallback(): void {
    super.connectedCallback();
    this.text = riad.drafts.of(this.conversation);
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has("conversation") || !this.hasUpdated) return;
    // A new conversation that has just got its id is the same one: what was typed meanwhile goes with it.
    const before = changed.get("conversation") as string | undefined;
    const moved = before === undefined && this.conversation !== undefined && riad.drafts.of(this.conversation) === "";
    if (moved) {
      riad.drafts.keep(undefined, "");
      riad.drafts.keep(this.conversation, this.text);
    } else {
      this.text = riad.drafts.of(this.conversation);
    }
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has("text" as keyof this)) this.grow();
  }

  protected override render(): TemplateResult {
    const label = this.running ? t("composer.steer") : t("composer.placeholder");
    return html`<form class="composer" @submit=${(event: SubmitEvent) => this.submit(event)}>
      <label class="unseen" for="composer-text">${t("composer.label")}</label>
      <textarea id="composer-text" rows="1" enterkeyhint="send" placeholder=${label} .value=${this.text}
        @input=${(event: Event) => this.type(event)} @keydown=${(event: KeyboardEvent) => this.key(event)}></textarea>
      <div class="composer-row">
        ${this.place()}
        <span class="keys" aria-hidden="true">${t("composer.keys")}</span>
        ${this.running
          ? html`<button type="button" class="round-button stop" ?disabled=${this.stopping} @click=${() => this.stop()} aria-label=${t(this.stopping ? "turn.stopping" : "composer.stop")} title=${t("composer.stop")}>${icon("stop", 22)}</button>`
          : nothing}
        ${!this.running || this.text.trim() !== ""
          ? html`<button type="submit" class="round-button act" ?disabled=${this.text.trim() === ""} aria-label=${t("composer.send")} title=${t("composer.send")}>${icon("send", 22)}</button>`
          : nothing}
      </div>
    </form>`;
  }

  /** Who answers the next message and where, before it is sent; it opens the choice. */
  private place(): TemplateResult {
    const choice = riad.choices.of(this.conversation);
    const first = riad.session?.models.find((each) => each.state === "ready") ?? riad.session?.models[0];
    const model = choice ? (riad.model(choice.holds.model) ?? first) : first;
    if (model === undefined) return html`<span class="place">${icon("warn", 16)}${t("composer.no_model")}</span>`;
    const barred = choice !== undefined && isFarther(model.tier, choice.holds.tier);
    const profile = choice?.holds.profile === USUAL ? "" : (choice?.holds.profile_title ?? "");
    return html`<button type="button" class="place ${barred ? "barred" : ""}" aria-label=${t("pick.open", { name: model.title ?? model.name, tier: t(`tier.${model.tier}`) })} title=${t("pick.title")} @click=${() => this.pick()}>
      ${icon(barred ? "warn" : model.tier === "device" ? "device" : "cloud", 16)}<span class="place-name">${profile ? `${profile} · ` : ""}${model.title ?? model.name}</span>
      <span class="place-tier">${barred ? t("pick.barred") : t(`tier.${model.tier}`)}</span></button>`;
  }

  private pick(): void {
    this.dispatchEvent(new CustomEvent("pick", { bubbles: true, detail: this.conversation ?? "" }));
  }

  /** Puts a text into the composer, for the person to go on with. */
  fill(text: string): void {
    this.text = text;
    riad.drafts.keep(this.conversation, text);
    const area = this.querySelector("textarea");
    if (area) area.value = text;
    area?.focus();
  }

  override focus(): void {
    this.querySelector("textarea")?.focus();
  }

  private type(event: Event): void {
    this.text = (event.currentTarget as HTMLTextAreaElement).value;
    riad.drafts.keep(this.conversation, this.text);
  }

  private key(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.send();
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    this.send();
  }

  private send(): void {
    const text = this.text.trim();
    if (text === "") return;
    if (!riad.say(this.conversation, text)) return;
    this.text = "";
    riad.drafts.keep(this.conversation, "");
    this.dispatchEvent(new CustomEvent("sent", { bubbles: true }));
  }

  private stop(): void {
    if (this.conversation !== undefined) riad.stop(this.conversation, this.turn);
  }

  private grow(): void {
    const area = this.querySelector("textarea");
    if (!area || CSS.supports("field-sizing", "content")) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }
}
