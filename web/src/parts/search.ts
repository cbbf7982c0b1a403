// Search over what was said in all conversations, and what both kinds of search share.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { Problem } from "../api.ts";
import { riad } from "../app/riad.ts";
import { addressOf, type Route } from "../app/router.ts";
import { dayAndClock } from "../format.ts";
import { t } from "../text.ts";
import type { Hit, HitPage } from "../wire.ts";
import { follow } from "./frame.ts";
import { Part } from "./part.ts";

/** Milliseconds without a key after which a search begins: the server takes one a second. */
const REST = 350;
const A_PAGE = 20;

/** Hits, or what is wrong in a sentence. */
export async function lookFor(words: string, limit: number, conversation?: string, cursor?: string): Promise<HitPage | { problem: string }> {
  const query = new URLSearchParams({ q: words, limit: String(limit) });
  if (conversation !== undefined) query.set("conversation", conversation);
  if (cursor !== undefined) query.set("cursor", cursor);
  try {
    return await riad.api.get<HitPage>(`/search?${query}`);
  } catch (fault) {
    return { problem: fault instanceof Problem ? fault.sentence : t("problem.unreachable") };
  }
}

/** Waits until no more keys come. */
export class AtRest {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly then: () => void) {}

  begin(): void {
    this.drop();
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.then();
    }, REST);
  }

  /** Whether it was waiting. */
  drop(): boolean {
    const waited = this.timer !== undefined;
    clearTimeout(this.timer);
    this.timer = undefined;
    return waited;
  }
}

@customElement("riad-hits")
export class Hits extends Part {
  @property() words = "";
  @state() private hits: readonly Hit[] | undefined;
  @state() private cursor: string | undefined;
  @state() private problem = "";
  private readonly rest = new AtRest(() => void this.look());

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has("words")) return;
    this.rest.drop();
    this.hits = undefined;
    this.problem = "";
    if (this.words.trim() !== "") this.rest.begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.rest.drop();
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.words.trim() === "") return nothing;
    return html`<h2 class="part">${t("all.said")}</h2><div role="status">${this.body()}</div>`;
  }

  private body(): TemplateResult {
    if (this.problem !== "") return html`<p class="soft">${this.problem}</p>`;
    if (this.hits === undefined) return html`<p class="soft">${t("all.looking")}</p>`;
    if (this.hits.length === 0) return html`<p class="soft">${t("all.none_said")}</p>`;
    return html`<ol class="rows hits">${this.hits.map((hit) => this.hit(hit))}</ol>
      ${this.cursor === undefined ? nothing : html`<button type="button" class="quiet" @click=${() => void this.look(this.cursor)}>${t("all.more")}</button>`}`;
  }

  private hit(hit: Hit): TemplateResult {
    const route: Route = { page: "chat", conversation: hit.conversation, find: { words: this.words.trim(), at: hit.entry } };
    return html`<li><a href=${addressOf(route)} @click=${(event: MouseEvent) => follow(event, () => riad.go(route))}>
      <span class="hit-head"><strong>${hit.title || t("chat.untitled")}</strong>
        <span class="soft">${t(hit.speaker === "person" ? "all.you" : "all.assistant")}${hit.archived ? `, ${t("all.is_archived")}` : ""}</span>
        <time class="soft" datetime=${hit.at}>${dayAndClock(hit.at)}</time></span>
      <span class="excerpt" dir="auto">${hit.excerpt.map((piece) => (piece.hit ? html`<mark>${piece.text}</mark>` : piece.text))}</span></a></li>`;
  }

  private async look(cursor?: string): Promise<void> {
    const words = this.words.trim();
    const found = await lookFor(words, A_PAGE, undefined, cursor);
    if (words !== this.words.trim()) return;
    if ("problem" in found) {
      this.problem = found.problem;
      return;
    }
    this.hits = cursor === undefined ? found.items : [...(this.hits ?? []), ...found.items];
    this.cursor = found.next_cursor;
  }
}
