// The page of one conversation: its thread, followed at the end, and the composer.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { guard } from "lit/directives/guard.js";
import { Problem } from "../api.ts";
import { riad } from "../app/riad.ts";
import type { Finding } from "../app/router.ts";
import { icon, star } from "../icons.ts";
import type { Kept } from "../outbox/outbox.ts";
import type { Thread } from "../stream/reducer.ts";
import { t, type TextKey } from "../text.ts";
import { highlight, unlight } from "../thread/highlight.ts";
import { foldTurn, NOTHING_STREAMS, type Streaming, type TurnView } from "../thread/fold.ts";
import { shownOf, type Fork, type Shown } from "../thread/lines.ts";
import { Sentences } from "../thread/sentences.ts";
import type { Entry, FooterRow } from "../wire.ts";
import type { Composer } from "./composer.ts";
import { effectRows } from "./effects.ts";
import "./find.ts";
import { follow, menuButton } from "./frame.ts";
import { openBranch, type LineWish } from "./line.ts";
import { Part } from "./part.ts";
import { drawTurn, working_ } from "./turn.ts";

/** So near to the end (in pixels) still counts as being there. */
const NEAR_END = 60;
/** So many turns are drawn at first, and so many more each time somebody looks further back. */
const TURNS_DRAWN = 60;
const NOTHING_SHOWN: Shown = { line: 0, turns: new Map(), forks: new Map() };
const BEGINNINGS = ["note", "files", "plan"] as const;

@customElement("riad-chat")
export class Chat extends Part {
  @state() private atEnd = true;
  @state() private renaming = false;
  @state() private slow = false;
  @state() private finding = false;
  @state() private drawn = TURNS_DRAWN;
  /** The message that is being written anew. */
  @state() private editing: string | undefined;
  /** What stands behind a new line, while the person looks at it, and what begins the line. */
  @state() private standing: { rows: readonly FooterRow[]; go: () => void } | undefined;
  /** Where to be once the line is shown that was switched to. */
  private goal: { line: number; at: number; side: "previous" | "next" } | undefined;
  private lately: { entries: readonly Entry[]; shown: Shown } | undefined;
  private shownFor: string | undefined;
  private foundFor: Finding | undefined;
  private slowTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly settled = new Map<string, { entries: number; view: TurnView }>();
  private readonly sentences = new Map<string, Sentences>();
  private unhear: (() => void) | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.unhear = riad.onEntry((entry) => this.hear(entry));
    this.addEventListener("line", (event) => void this.wished((event as CustomEvent<LineWish>).detail));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.unhear?.();
    unlight();
  }

  protected override willUpdate(_: PropertyValues): void {
    const open = riad.openConversation;
    const { route } = riad;
    if (route.page === "chat" && route.find !== this.foundFor) {
      this.foundFor = route.find;
      this.finding = route.find !== undefined;
    }
    if (open === this.shownFor) return;
    this.settled.clear();
    this.finding = this.foundFor !== undefined;
    this.renaming = false;
    this.editing = undefined;
    this.standing = undefined;
    this.goal = undefined;
    this.atEnd = true;
    this.slow = false;
    this.drawn = TURNS_DRAWN;
    this.shownFor = open;
    clearTimeout(this.slowTimer);
    this.slowTimer = setTimeout(() => (this.slow = true), 150);
  }

  protected override updated(): void {
    for (const dialog of this.querySelectorAll<HTMLDialogElement>("dialog[data-modal]")) if (!dialog.open) dialog.showModal();
    if (this.atEnd) this.toEnd("instant");
    this.arrive();
    this.sayAloud();
  }

  protected override render(): TemplateResult {
    const id = riad.openConversation;
    const thread = id === undefined ? undefined : riad.stream.threads.get(id);
    const shown = thread ? this.shown(thread) : NOTHING_SHOWN;
    const all = thread && id !== undefined ? this.turns(shown, id) : [];
    const kept = riad.keptOf(id).filter((each) => each.act.does === "say" && !isSaid(thread, each.key));
    const turns = withoutLeft(all, kept);
    const current = turns.at(-1);
    const working = current !== undefined && current.state !== "over";
    const sending = kept.some((each) => each.state !== "failed" && each.state !== "answered");
    const quiet = !working && !sending && !riad.offline;
    const empty = (id === undefined || thread?.loaded === true) && turns.length === 0 && kept.length === 0;
    return html`${this.head(id)}
      ${this.finding && id !== undefined && thread?.loaded
        ? html`<riad-find .conversation=${id} .finding=${this.foundFor} .reveal=${this.reveal} @shut=${() => this.endFind()}></riad-find>`
        : nothing}
      <div class="thread-scroll" @scroll=${() => this.scrolled()} tabindex="-1">
        <div class="thread" role="log" aria-live="off" aria-label=${t("thread.label")}>
          ${id !== undefined && !thread?.loaded ? this.waiting() : nothing}
          ${empty ? this.welcome() : nothing}
          ${turns.length > this.drawn ? html`<button type="button" class="quiet earlier" @click=${() => this.lookBack()}>${t("thread.earlier", { n: turns.length - this.drawn })}</button>` : nothing}
          ${repeat(turns.slice(-this.drawn), (turn) => turn.id, (turn) => this.turn(turn, id ?? "", shown.forks.get(turn.id), quiet, turn === current))}
          ${shown.open && !working && !sending ? openBranch(shown.open, quiet) : nothing}
          ${repeat(kept, (each) => each.key, (each) => unsent(each, working))}
          ${sending && !working && !riad.offline ? working_(false) : nothing}
        </div>
      </div>
      ${this.atEnd ? nothing : html`<button type="button" class="to-end" @click=${() => this.toEnd("smooth")}>${icon("down", 18)}${t("thread.to_end")}</button>`}
      <div class="composer-place" ?hidden=${riad.threadGone}>
        <riad-composer .conversation=${id} .turn=${working ? current.id : undefined} .running=${working || (sending && id !== undefined)}
          .stopping=${working && riad.stopping.has(current.id)} @sent=${() => this.followEnd()}></riad-composer>
      </div>${this.whatStands()}`;
  }

  // --- The head ---------------------------------------------------------------------------------------------------

  private head(id: string | undefined): TemplateResult {
    const conversation = riad.conversation(id);
    const title = id === undefined ? t("chat.new") : riad.threadGone ? "" : (conversation?.title ?? "") || t("chat.untitled");
    return html`<header class="page-head">
      ${menuButton()}
      ${this.renaming && conversation
        ? html`<form class="rename" @submit=${(event: SubmitEvent) => this.rename(event, conversation.id)}>
            <input name="title" aria-label=${t("chat.title_label")} maxlength="120" .value=${conversation.title} placeholder=${t("chat.title_auto")}
              @keydown=${(event: KeyboardEvent) => this.renameKey(event)} />
            <button class="act small" type="submit">${t("save")}</button>
            <button class="small" type="button" @click=${() => (this.renaming = false)}>${t("cancel")}</button></form>`
        : html`<h1>${title}</h1>`}
      ${conversation && !this.renaming ? this.actions(conversation.id, conversation.archived) : nothing}
    </header>`;
  }

  private actions(id: string, archived: boolean): TemplateResult {
    return html`<div class="head-actions">
      <button type="button" class="quiet" aria-expanded=${this.finding} @click=${() => (this.finding ? this.endFind() : (this.finding = true))}
        aria-label=${t("find.open")} title=${t("find.open")}>${icon("search")}</button>
      <button type="button" class="quiet" @click=${() => this.dispatchEvent(new CustomEvent("usage", { bubbles: true, detail: id }))}
        aria-label=${t("usage.open")} title=${t("usage.open")}>${icon("gauge")}</button>
      <button type="button" class="quiet" @click=${() => this.dispatchEvent(new CustomEvent("export", { bubbles: true, detail: id }))}
        aria-label=${t("export.open")} title=${t("export.open")}>${icon("take")}</button>
      <button type="button" class="quiet" @click=${() => this.beginRename()} aria-label=${t("chat.rename")} title=${t("chat.rename")}>${icon("modify")}</button>
      <button type="button" class="quiet" @click=${() => void this.archive(id, !archived)} aria-label=${t(archived ? "chat.unarchive" : "chat.archive")}
        title=${t(archived ? "chat.unarchive" : "chat.archive")}>${icon(archived ? "again" : "archive")}</button>
    </div>`;
  }

  private beginRename(): void {
    this.renaming = true;
    void this.updateComplete.then(() => {
      const input = this.querySelector<HTMLInputElement>(".rename input");
      input?.focus();
      input?.select();
    });
  }

  private renameKey(event: KeyboardEvent): void {
    if (event.key === "Escape") this.renaming = false;
  }

  private async rename(event: SubmitEvent, id: string): Promise<void> {
    event.preventDefault();
    const title = String(new FormData(event.currentTarget as HTMLFormElement).get("title") ?? "").trim();
    this.renaming = false;
    await riad.rename(id, title).catch((fault: Error) => riad.note(fault.message, true));
  }

  private async archive(id: string, archived: boolean): Promise<void> {
    await riad
      .archive(id, archived)
      .then(() => riad.note(t(archived ? "chat.archived" : "chat.unarchived")))
      .catch((fault: Error) => riad.note(fault.message, true));
  }

  // --- States without a thread ------------------------------------------------------------------------------------

  private waiting(): TemplateResult | typeof nothing {
    if (riad.threadGone) return gone();
    if (riad.threadProblem !== undefined) {
      return html`<div class="empty" role="alert">${icon("warn", 28)}<p>${riad.threadProblem}</p>
        <button type="button" @click=${() => riad.reload()}>${icon("again", 18)}${t("retry")}</button></div>`;
    }
    return this.slow ? html`<div class="skeleton" role="status" aria-label=${t("loading")}><i></i><i></i><i></i></div>` : nothing;
  }

  private welcome(): TemplateResult {
    const name = riad.session?.person.name.split(" ")[0] ?? "";
    return html`<div class="welcome">${star(64, "welcome-star")}
      <h2>${t(greeting(), { name })}</h2>
      <p>${t("welcome.lead")}</p>
      <ul>${BEGINNINGS.map((each) => html`<li><button type="button" @click=${() => this.begin(each)}>
        <strong>${t(`welcome.${each}` as TextKey)}</strong><span>${t(`welcome.${each}.text` as TextKey)}</span></button></li>`)}</ul></div>`;
  }

  private begin(which: (typeof BEGINNINGS)[number]): void {
    this.querySelector<Composer>("riad-composer")?.fill(t(`welcome.${which}.text` as TextKey));
  }

  // --- The thread -------------------------------------------------------------------------------------------------

  /** The line that is written on; folded anew when an entry came. */
  private shown(thread: Thread): Shown {
    if (this.lately?.entries !== thread.entries) this.lately = { entries: thread.entries, shown: shownOf(thread.entries) };
    return this.lately.shown;
  }

  private turn(turn: TurnView, id: string, fork: Fork | undefined, quiet: boolean, last: boolean): unknown {
    const editing = this.editing === turn.beganWith?.id ? this.editing : undefined;
    const draw = () => drawTurn(turn, id, { quiet, editing, fork, last });
    return turn.state === "over" && !last ? guard([turn, fork, quiet, editing], draw) : draw();
  }

  /** Turns that are over are folded once and kept. */
  private turns(shown: Shown, conversation: string): TurnView[] {
    const live = [...riad.stream.replies.values()].filter((reply) => reply.conversation === conversation);
    const grouped = [...shown.turns];
    return grouped.map(([id, entries], at) => {
      const known = this.settled.get(id);
      if (known && known.entries === entries.length) return known.view;
      const latest = at === grouped.length - 1;
      const streaming: Streaming = {
        replies: latest ? live : NOTHING_STREAMS.replies,
        outputs: riad.stream.outputs,
        reasoned: riad.stream.reasoned,
      };
      const view = foldTurn(id, entries, streaming);
      if (view.state === "over") this.settled.set(id, { entries: entries.length, view });
      return view;
    });
  }

  // --- Finding -----------------------------------------------------------------------------------------------------

  /** Shows an entry of the line that is shown, with the words in it marked. */
  private readonly reveal = async (number: number, words: readonly string[]): Promise<boolean> => {
    const turns = [...(this.lately?.shown.turns ?? [])];
    const at = turns.findIndex(([, entries]) => entries.some((entry) => entry.number === number));
    const turn = turns[at]?.[0];
    if (turn === undefined) return false;
    this.atEnd = false;
    this.drawn = Math.max(this.drawn, turns.length - at);
    await this.updateComplete;
    const drawn = this.querySelector(`.turn[data-turn="${CSS.escape(turn)}"]`);
    const place = drawn ? highlight(drawn, words)?.startContainer.parentElement : undefined;
    (place ?? drawn)?.scrollIntoView({ block: "center" });
    return true;
  };

  private endFind(): void {
    unlight();
    this.finding = false;
    this.foundFor = undefined;
    const { route } = riad;
    if (route.page === "chat" && route.find !== undefined) riad.go({ page: "chat", ...(route.conversation === undefined ? {} : { conversation: route.conversation }) });
  }

  // --- Lines ------------------------------------------------------------------------------------------------------

  private async wished(wish: LineWish): Promise<void> {
    const id = riad.openConversation;
    if (id === undefined) return;
    try {
      await this.grant(wish, id);
    } catch (fault) {
      riad.note(fault instanceof Problem ? fault.sentence : t("problem.unreachable"), true);
    }
  }

  private async grant(wish: LineWish, id: string): Promise<void> {
    switch (wish.do) {
      case "edit":
        this.editing = wish.message;
        return;
      case "drop":
        return this.drop();
      case "say":
        return this.afterLooking(id, { instead_of: wish.message }, () => this.sayInstead(id, wish.message, wish.text, wish.model));
      case "branch":
        return this.afterLooking(id, { after: wish.after }, () => void this.branch(id, wish.after));
      case "switch":
        this.goal = wish;
        this.atEnd = false;
        return riad.switchLine(id, wish.line);
    }
  }

  /** Before a new line begins, the person sees what stands all the same. */
  private async afterLooking(id: string, place: { instead_of: string } | { after: number }, go: () => void): Promise<void> {
    const rows = await riad.standingBehind(id, place);
    if (rows.length === 0) go();
    else this.standing = { rows, go };
  }

  private sayInstead(id: string, message: string, text: string, model: string | undefined): void {
    if (!riad.sayInstead(id, message, text, model)) return;
    this.editing = undefined;
    this.followEnd();
  }

  private async branch(id: string, after: number): Promise<void> {
    await riad.branch(id, after).catch((fault: Error) => riad.note(fault.message, true));
    this.followEnd();
    this.querySelector<Composer>("riad-composer")?.focus();
  }

  private drop(): void {
    const left = this.editing;
    this.editing = undefined;
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(`.turn[data-turn="${CSS.escape(left ?? "")}"] .opening button`)?.focus());
  }

  /** After a switch the focus is where it was, at the switch of the line that is now shown. */
  private arrive(): void {
    const { goal } = this;
    if (!goal || this.lately?.shown.line !== goal.line) return;
    this.goal = undefined;
    const switcher = this.querySelector(`[data-fork="${goal.at}"]`);
    const side = switcher?.querySelector<HTMLElement>(`[data-side="${goal.side}"]:enabled`);
    (side ?? switcher?.querySelector<HTMLElement>("button:enabled"))?.focus();
    switcher?.scrollIntoView({ block: "nearest" });
  }

  private whatStands(): TemplateResult | typeof nothing {
    if (this.standing === undefined) return nothing;
    const { rows, go } = this.standing;
    return html`<dialog data-modal class="confirm effects-over" aria-labelledby="stands-title" @close=${() => (this.standing = undefined)}>
      <h2 id="stands-title">${t("line.stands")}</h2><p class="soft">${t("line.stands.lead")}</p>${effectRows(rows)}
      <form method="dialog"><button type="submit">${t("cancel")}</button>
        <button type="submit" class="act" @click=${go}>${t("line.stands.go")}</button></form></dialog>`;
  }

  /** More of the past, with what is being read staying where it is. */
  private lookBack(): void {
    const box = this.querySelector(".thread-scroll");
    const below = box ? box.scrollHeight - box.scrollTop : 0;
    this.drawn += TURNS_DRAWN;
    void this.updateComplete.then(() => box?.scrollTo({ top: box.scrollHeight - below, behavior: "instant" }));
  }

  private scrolled(): void {
    const box = this.querySelector(".thread-scroll");
    if (box) this.atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
  }

  private followEnd(): void {
    this.atEnd = true;
    this.toEnd("instant");
  }

  private toEnd(behavior: ScrollBehavior): void {
    const box = this.querySelector(".thread-scroll");
    box?.scrollTo({ top: box.scrollHeight, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : behavior });
  }

  // --- For those who listen ---------------------------------------------------------------------------------------

  private sayAloud(): void {
    for (const reply of riad.stream.replies.values()) {
      if (reply.conversation !== riad.openConversation || reply.text === "") continue;
      const sentences = this.sentences.get(reply.id) ?? new Sentences();
      this.sentences.set(reply.id, sentences);
      this.announce("politely", sentences.next(reply.text));
    }
  }

  private hear(entry: Entry): void {
    if (entry.conversation !== riad.openConversation) return;
    if (entry.kind === "replied") {
      this.announce("politely", (this.sentences.get(entry.reply_id) ?? new Sentences()).next(entry.text, true));
      this.sentences.delete(entry.reply_id);
    }
    if (entry.kind === "asked") this.announce("at_once", t("announce.asked", { label: entry.approval.label }));
    if (entry.kind === "asked_question") this.announce("at_once", t("announce.question"));
    if (entry.kind === "ended" && entry.outcome !== "answered") this.announce("politely", `${entry.sentence} ${entry.next_step}`);
  }

  private announce(how: "politely" | "at_once", text: string): void {
    if (text !== "") this.dispatchEvent(new CustomEvent("announce", { bubbles: true, detail: { how, text } }));
  }
}

/** While a new line is on its way, what it leaves is not shown any more. */
function withoutLeft(turns: TurnView[], kept: readonly Kept[]): TurnView[] {
  const left = kept.flatMap(({ act, state }) => (act.does === "say" && act.insteadOf !== undefined && state !== "failed" ? [act.insteadOf] : []));
  const from = turns.findIndex((turn) => turn.items.some((item) => item.is === "said" && left.includes(item.id)));
  return from === -1 ? turns : turns.slice(0, from);
}

function isSaid(thread: Thread | undefined, message: string): boolean {
  return thread?.entries.some((entry) => entry.kind === "said" && entry.message_id === message) ?? false;
}

/** The address of a conversation that is not this person's, or of none. */
function gone(): TemplateResult {
  return html`<div class="empty" role="alert">${icon("chat", 40)}<h2>${t("gone.title")}</h2><p>${t("gone.lead")}</p>
    <a class="button" href="/conversations" @click=${(event: MouseEvent) => follow(event, () => riad.go({ page: "conversations" }))}>${t("nav.all")}</a></div>`;
}

/** A row is a name, a colon and what is said of it; what comes before the rows is a sentence. */
function toldLine(line: string): TemplateResult {
  const row = /^([^:]+): (.+)$/s.exec(line);
  return row ? html`<p class="row"><code>${row[1]}</code> ${row[2]}</p>` : html`<p>${line}</p>`;
}

/** A message that is still on this device. */
function unsent(kept: Kept, steers: boolean): TemplateResult {
  const text = kept.act.does === "say" ? kept.act.text : "";
  const failed = kept.state === "failed";
  if (kept.state === "answered") {
    return html`<div class="said unsent"><p class="bubble">${text}</p>
      <div class="said-state told" role="status"><div class="told-lines">${(kept.reason ?? "").split("\n").map((each) => toldLine(each))}</div>
        <button type="button" class="quiet small" aria-label=${t("outbox.dismiss")} title=${t("outbox.dismiss")} @click=${() => riad.discard(kept.key)}>${icon("close", 16)}</button></div></div>`;
  }
  return html`<div class="said unsent ${steers ? "waits" : ""}"><p class="bubble">${text}</p>
    ${failed
      ? html`<p class="said-state failed" role="alert">${icon("warn", 14)}<span>${kept.reason ?? t("outbox.failed")}</span>
          <button type="button" class="quiet small" @click=${() => riad.retry(kept.key)}>${t("retry")}</button>
          <button type="button" class="quiet small" @click=${() => void navigator.clipboard.writeText(text)}>${t("code.copy")}</button>
          <button type="button" class="quiet small" @click=${() => riad.discard(kept.key)}>${t("outbox.discard")}</button></p>`
      : html`<p class="said-state">${icon("clock", 14)}<span>${t(riad.offline ? "outbox.waiting" : kept.state === "sent" ? "outbox.sent" : "outbox.sending")}</span></p>`}
  </div>`;
}

function greeting(): TextKey {
  const hour = new Date().getHours();
  if (hour < 5) return "welcome.night";
  if (hour < 12) return "welcome.morning";
  return hour < 18 ? "welcome.day" : "welcome.evening";
}
