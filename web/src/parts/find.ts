// A bar over the thread: where words stand in the conversation, also in what is not drawn. The server looks; the thread
// shows. Hits are told from the newest back.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { riad } from "../app/riad.ts";
import type { Finding } from "../app/router.ts";
import { icon } from "../icons.ts";
import { t } from "../text.ts";
import type { Hit } from "../wire.ts";
import { Part } from "./part.ts";
import { AtRest, lookFor } from "./search.ts";

/** Shows an entry with these words; false if it is not on the line that is shown. */
export type Reveal = (entry: number, words: readonly string[]) => Promise<boolean>;

@customElement("riad-find")
export class Find extends Part {
  @property() conversation = "";
  /** What to begin with, for who comes from a search over all. */
  @property({ attribute: false }) finding: Finding | undefined;
  @property({ attribute: false }) reveal: Reveal = () => Promise.resolve(false);
  @state() private words = "";
  @state() private hits: readonly Hit[] | undefined;
  @state() private more = false;
  @state() private at = 0;
  @state() private says = "";
  private readonly rest = new AtRest(() => void this.look());

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has("finding") && !changed.has("conversation")) return;
    this.words = this.finding?.words ?? "";
    this.hits = undefined;
    this.says = "";
    if (this.words !== "") void this.look(this.finding?.at);
  }

  protected override firstUpdated(): void {
    const input = this.querySelector("input");
    input?.focus();
    input?.select();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.rest.drop();
  }

  protected override render(): TemplateResult {
    const none = (this.hits?.length ?? 0) === 0;
    return html`<form class="find" role="search" @submit=${(event: SubmitEvent) => this.submitted(event)} @keydown=${(event: KeyboardEvent) => this.key(event)}>
      <label class="filter">${icon("search", 18)}<span class="unseen">${t("find.label")}</span>
        <input type="search" maxlength="200" placeholder=${t("find.label")} .value=${this.words} @input=${(event: Event) => this.typed(event)} /></label>
      <span class="find-state" role="status">${this.status()}</span>
      <button type="submit" class="quiet" ?disabled=${none} aria-label=${t("find.older")} title=${t("find.older")}>${icon("up", 18)}</button>
      <button type="button" class="quiet" ?disabled=${none} aria-label=${t("find.newer")} title=${t("find.newer")} @click=${() => void this.go(this.at - 1)}>${icon("down", 18)}</button>
      <button type="button" class="quiet" aria-label=${t("find.close")} title=${t("find.close")} @click=${() => this.close()}>${icon("close", 18)}</button>
    </form>`;
  }

  private status(): string | typeof nothing {
    if (this.says !== "") return this.says;
    if (this.hits === undefined) return nothing;
    if (this.hits.length === 0) return t("find.none");
    return t(this.more ? "find.place_of_more" : "find.place", { n: this.at + 1, all: this.hits.length });
  }

  private typed(event: Event): void {
    this.words = (event.currentTarget as HTMLInputElement).value;
    this.rest.begin();
  }

  /** Enter goes back, with the shift key forth. */
  private submitted(event: SubmitEvent): void {
    event.preventDefault();
    if (this.rest.drop()) void this.look();
    else void this.go(this.at + 1);
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape") this.close();
    if (event.key !== "Enter" || !event.shiftKey) return;
    event.preventDefault();
    void this.go(this.at - 1);
  }

  private async look(entry?: number): Promise<void> {
    const words = this.words.trim();
    this.says = "";
    this.hits = undefined;
    if (words === "") return;
    const found = await lookFor(words, 100, this.conversation);
    if (words !== this.words.trim()) return;
    if ("problem" in found) {
      this.says = found.problem;
      return;
    }
    this.hits = found.items;
    this.more = found.next_cursor !== undefined;
    const at = this.hits.findIndex((hit) => hit.entry === entry);
    await this.go(Math.max(at, 0));
  }

  private async go(at: number): Promise<void> {
    const hits = this.hits ?? [];
    if (hits.length === 0) return;
    this.at = (at + hits.length) % hits.length;
    const hit = hits[this.at] as Hit;
    const shown = await this.reveal(hit.entry, hit.excerpt.filter((piece) => piece.hit).map((piece) => piece.text));
    this.says = shown ? "" : t("find.elsewhere", { n: this.at + 1, all: hits.length });
  }

  private close(): void {
    this.dispatchEvent(new CustomEvent("shut", { bubbles: true }));
    riad.changed();
  }
}
