// The whole page: doors when they are closed, else the column, one page and the bar of a phone. Doors that close while
// somebody works open over the page, which stays as it is beneath.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, state } from "lit/decorators.js";
import { riad } from "../app/riad.ts";
import { addressOf } from "../app/router.ts";
import { icon, star } from "../icons.ts";
import { t } from "../text.ts";
import { follow } from "./frame.ts";
import { Part } from "./part.ts";
import { PAGES, pageLink } from "./side.ts";

interface Announcement {
  how: "politely" | "at_once";
  text: string;
}

@customElement("riad-app")
export class App extends Part {
  @state() private sheet: { shows: "usage" | "export" | "pick"; of: string } | undefined;
  @state() private politely = "";
  @state() private atOnce = "";
  @state() private late = false;
  private entered = false;
  private shownPage = "";

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener("announce", (event) => this.announce((event as CustomEvent<Announcement>).detail));
    for (const shows of ["usage", "export", "pick"] as const) this.addEventListener(shows, (event) => (this.sheet = { shows, of: (event as CustomEvent<string>).detail }));
    setTimeout(() => (this.late = true), 150);
    // Where the list is a column of its own, a drawer over it would be a second one.
    matchMedia("(max-width: 52rem)").addEventListener("change", (event) => {
      if (!event.matches && riad.drawerOpen) this.closeDrawer();
    });
    void riad.begin();
  }

  protected override willUpdate(_: PropertyValues): void {
    if (riad.gate === "open") this.entered = true;
    if (riad.session === undefined) this.entered = false;
    if (riad.gate !== "open" || (this.sheet?.shows === "pick" && riad.route.page !== "chat")) this.sheet = undefined;
    document.title = this.title_();
  }

  protected override updated(): void {
    this.focusPage();
    for (const dialog of this.querySelectorAll<HTMLDialogElement>("dialog[data-modal]")) if (!dialog.open) dialog.showModal();
  }

  protected override render(): TemplateResult {
    if (riad.gate === "looking" && !this.entered) return html`<div class="door-page">${this.late ? star(56, "turning") : nothing}</div>`;
    if (riad.gate === "unreachable" && !this.entered) return this.unreachable();
    if (riad.gate === "setup") return html`<main class="door-page"><riad-setup></riad-setup></main>`;
    if (!this.entered) return html`<main class="door-page">${riad.gate === "unlock" ? html`<riad-unlock></riad-unlock>` : html`<riad-sign-in></riad-sign-in>`}</main>`;
    return this.shell();
  }

  /** A page that was gone to has the focus, so that keys and readers go on from there. */
  private focusPage(): void {
    const page = riad.gate === "open" ? addressOf(riad.route) : "";
    if (page === this.shownPage || page === "") return;
    const first = this.shownPage === "";
    this.shownPage = page;
    const writes = riad.route.page === "chat" && matchMedia("(pointer: fine)").matches;
    // The elements of the page draw themselves after this one.
    requestAnimationFrame(() => {
      if (this.querySelector("riad-find")?.contains(document.activeElement)) return;
      if (writes) this.querySelector<HTMLElement>("riad-composer")?.focus();
      else if (!first) this.querySelector<HTMLElement>("#main")?.focus();
    });
  }

  private unreachable(): TemplateResult {
    return html`<main class="door-page"><div class="door">${star(52, "door-star")}<h1>${t("unreachable.title")}</h1><p>${t("unreachable.lead")}</p>
      <button type="button" class="act wide" @click=${() => void riad.begin()}>${icon("again", 18)}${t("retry")}</button></div></main>`;
  }

  private shell(): TemplateResult {
    return html`<a class="skip" href="#main" @click=${(event: MouseEvent) => follow(event, () => this.querySelector<HTMLElement>("#main")?.focus())}>${t("nav.skip")}</a>
      <div class="shell">
        <nav class="side" aria-label=${t("nav.label")}><riad-side></riad-side></nav>
        <main id="main" tabindex="-1">
          ${riad.offline ? html`<p class="offline" role="status">${icon("cloud", 18)}${t("offline")}</p>` : nothing}
          ${this.modelLine()}
          ${this.page()}
        </main>
        <nav class="bottom" aria-label=${t("nav.bottom")}><ul>
          <li><a href="/c/new" aria-current=${riad.route.page === "chat" ? "page" : "false"} @click=${(event: MouseEvent) => follow(event, () => this.toChat())}>${icon("chat")}<span>${t("nav.chat")}</span></a></li>
          ${PAGES.map((each) => pageLink(each))}</ul></nav>
      </div>
      ${this.drawer()}${this.sheetOver()}${this.door()}
      <div class="notes" role="status">${riad.notes.map((note) => html`<p class="note ${note.urgent ? "urgent" : ""}"><span>${note.text}</span>
        <button type="button" class="quiet small" aria-label=${t("close")} @click=${() => riad.dropNote(note.id)}>${icon("close", 16)}</button></p>`)}</div>
      <div class="unseen" aria-live="polite">${this.politely}</div>
      <div class="unseen" aria-live="assertive">${this.atOnce}</div>`;
  }

  private page(): TemplateResult {
    switch (riad.route.page) {
      case "chat":
        return html`<riad-chat class="page"></riad-chat>`;
      case "inbox":
        return html`<riad-inbox class="page"></riad-inbox>`;
      case "files":
        return html`<riad-files class="page"></riad-files>`;
      case "conversations":
        return html`<riad-conversations class="page"></riad-conversations>`;
      case "agents":
        return html`<riad-agents class="page"></riad-agents>`;
      case "missing":
        return html`<div class="page"><div class="empty">${star(48)}<h1>${t("missing.title")}</h1><p>${t("missing.lead")}</p>
          <a class="button" href="/" @click=${(event: MouseEvent) => follow(event, () => riad.go({ page: "chat" }))}>${t("missing.go")}</a></div></div>`;
    }
  }

  /** Says why nothing can answer, as long as that is so. */
  private modelLine(): TemplateResult | typeof nothing {
    const models = riad.session?.models ?? [];
    if (models.some((model) => model.state === "ready")) return nothing;
    const first = models.find((model) => model.state === "loading") ?? models[0];
    const text = first === undefined ? t("model.none") : first.state === "loading" ? t("model.loading", { name: first.name }) : t("model.failed", { name: first.name, reason: first.reason ?? "" });
    return html`<p class="model-line" role="status">${icon(first?.state === "loading" ? "clock" : "warn", 18)}<span>${text}</span></p>`;
  }

  private drawer(): TemplateResult | typeof nothing {
    if (!riad.drawerOpen) return nothing;
    return html`<dialog data-modal class="drawer" aria-label=${t("nav.label")} @close=${() => this.closeDrawer()} @click=${(event: MouseEvent) => outside(event)}>
      <nav class="side" aria-label=${t("nav.label")}><riad-side></riad-side></nav></dialog>`;
  }

  private closeDrawer(): void {
    riad.drawerOpen = false;
    riad.changed();
  }

  private sheetOver(): TemplateResult | typeof nothing {
    if (this.sheet === undefined) return nothing;
    const { shows, of } = this.sheet;
    return html`<dialog data-modal class="sheet" aria-label=${t(`${shows}.title`)} @close=${() => (this.sheet = undefined)} @click=${(event: MouseEvent) => outside(event)}>
      ${shows === "usage" ? html`<riad-usage .conversation=${of}></riad-usage>` : shows === "pick" ? html`<riad-picker .conversation=${of === "" ? undefined : of}></riad-picker>` : html`<riad-export .conversation=${of}></riad-export>`}</dialog>`;
  }

  private door(): TemplateResult | typeof nothing {
    if (riad.gate !== "sign_in" && riad.gate !== "unlock") return nothing;
    const label = riad.gate === "unlock" ? t("unlock.title") : t("signin.title");
    return html`<dialog data-modal class="door-over" aria-label=${label} @cancel=${(event: Event) => event.preventDefault()}>
      ${riad.gate === "unlock" ? html`<riad-unlock></riad-unlock>` : html`<riad-sign-in over></riad-sign-in>`}</dialog>`;
  }

  /** To the conversation that was open last, or a new one. */
  private toChat(): void {
    const latest = riad.conversations[0]?.id;
    if (riad.route.page === "chat") riad.go({ page: "chat" });
    else riad.go({ page: "chat", ...(latest === undefined ? {} : { conversation: latest }) });
  }

  private announce({ how, text }: Announcement): void {
    if (how === "at_once") this.atOnce = text;
    else this.politely = text;
  }

  private title_(): string {
    const waiting = riad.gate === "open" && riad.inbox.length > 0 ? `(${riad.inbox.length}) ` : "";
    const names = { chat: riad.conversation(riad.openConversation)?.title ?? "", inbox: t("nav.inbox"), files: t("nav.files"), conversations: t("nav.all"), agents: t("nav.agents"), missing: "" };
    const name = riad.gate === "open" ? names[riad.route.page] : "";
    return `${waiting}${name ? `${name} · ` : ""}Riad`;
  }
}

/** A click on the ground beside a dialog closes it. */
function outside(event: MouseEvent): void {
  const dialog = event.currentTarget as HTMLDialogElement;
  if (event.target === dialog) dialog.close();
}
