// The column with pages, conversations and what belongs to the person. On a phone it is a drawer.

import { html, nothing, type TemplateResult } from "lit";
import { customElement } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { riad } from "../app/riad.ts";
import { addressOf, type Route } from "../app/router.ts";
import { chooseTheme, chosenTheme, type Theme } from "../app/theme.ts";
import { dayGroup } from "../format.ts";
import { icon, star, type IconName } from "../icons.ts";
import { t, type TextKey } from "../text.ts";
import type { Conversation } from "../wire.ts";
import { follow } from "./frame.ts";
import { Part } from "./part.ts";

export const PAGES: readonly { route: Route; icon: IconName; text: TextKey }[] = [
  { route: { page: "inbox" }, icon: "inbox", text: "nav.inbox" },
  { route: { page: "files", path: "~" }, icon: "files", text: "nav.files" },
  { route: { page: "agents", what: "agents" }, icon: "agent", text: "nav.agents" },
];

const GROUPS = ["today", "yesterday", "week", "earlier"] as const;
const THEMES: readonly { theme: Theme; icon: IconName }[] = [
  { theme: "system", icon: "screen" },
  { theme: "light", icon: "sun" },
  { theme: "dark", icon: "moon" },
];

@customElement("riad-side")
export class Side extends Part {
  protected override render(): TemplateResult {
    return html`<div class="brand"><a href="/c/new" @click=${(event: MouseEvent) => follow(event, () => riad.go({ page: "chat" }))}>${star(30)}<span>Riad</span></a>
        <button type="button" class="quiet drawer-close" aria-label=${t("nav.close")} @click=${closeDrawer}>${icon("close")}</button></div>
      <a class="new-chat" href="/c/new" aria-current=${riad.route.page === "chat" && riad.openConversation === undefined ? "page" : "false"}
        @click=${(event: MouseEvent) => follow(event, () => riad.go({ page: "chat" }))}>${icon("plus")}<span>${t("chat.new")}</span></a>
      <ul class="pages">${PAGES.map((each) => pageLink(each))}</ul>
      <div class="conversations" tabindex="-1">${this.list()}</div>
      ${this.person()}`;
  }

  private list(): TemplateResult {
    if (riad.conversationsState === "failed") {
      return html`<p class="side-note" role="alert">${t("chat.list_failed")} <button type="button" class="quiet small" @click=${() => riad.reload()}>${t("retry")}</button></p>`;
    }
    const now = Date.now();
    const none = riad.conversationsState === "here" && riad.conversations.length === 0;
    return html`${none ? html`<p class="side-note">${t("chat.none")}</p>` : nothing}
      ${GROUPS.map((group) => {
        const here = riad.conversations.filter((each) => dayGroup(each.updated_at, now) === group);
        return here.length === 0
          ? nothing
          : html`<h2>${t(`group.${group}`)}</h2><ul>${repeat(here, (each) => each.id, (each) => conversationLink(each))}</ul>`;
      })}
      ${riad.conversationsState === "here"
        ? html`<a class="all" href="/conversations" aria-current=${riad.route.page === "conversations" ? "page" : "false"}
            @click=${(event: MouseEvent) => follow(event, () => riad.go({ page: "conversations" }))}>${icon("archive", 18)}${t("nav.all")}</a>`
        : nothing}`;
  }

  private person(): TemplateResult {
    const person = riad.session?.person;
    const theme = chosenTheme();
    return html`<div class="person">
      <div class="person-name"><span class="monogram" aria-hidden="true">${person?.name.slice(0, 1).toUpperCase()}</span>
        <span><strong>${person?.name}</strong><span class="soft">${person?.handle}</span></span></div>
      <div class="themes" role="radiogroup" aria-label=${t("theme.label")}>${THEMES.map(
        (each) => html`<label title=${t(`theme.${each.theme}`)}><input type="radio" name="theme" value=${each.theme} .checked=${each.theme === theme}
          @change=${() => this.theme(each.theme)} aria-label=${t(`theme.${each.theme}`)} />${icon(each.icon, 18)}</label>`,
      )}</div>
      <div class="person-acts">
        <button type="button" class="quiet small" @click=${() => void this.leave("lock")}>${icon("lock", 18)}${t("menu.lock")}</button>
        <button type="button" class="quiet small" @click=${() => void this.leave("out")}>${icon("out", 18)}${t("menu.sign_out")}</button>
      </div></div>`;
  }

  private theme(theme: Theme): void {
    chooseTheme(theme);
    this.requestUpdate();
  }

  private async leave(how: "lock" | "out"): Promise<void> {
    const unsent = riad.kept().filter((kept) => kept.state !== "sent" && kept.state !== "answered").length;
    if (how === "out" && unsent > 0 && !confirm(t("menu.sign_out_unsent", { n: unsent }))) return;
    await (how === "lock" ? riad.lock() : riad.signOut()).catch((fault: Error) => riad.note(fault.message, true));
  }
}

function closeDrawer(): void {
  riad.drawerOpen = false;
  riad.changed();
}

export function pageLink(each: (typeof PAGES)[number]): TemplateResult {
  const count = each.route.page === "inbox" ? riad.inbox.length : 0;
  return html`<li><a href=${addressOf(each.route)} aria-current=${riad.route.page === each.route.page ? "page" : "false"}
    @click=${(event: MouseEvent) => follow(event, () => riad.go(each.route))}>${icon(each.icon)}<span>${t(each.text)}</span>
    ${count > 0 ? html`<span class="count">${count}<span class="unseen"> ${t("nav.waiting")}</span></span>` : nothing}</a></li>`;
}

function conversationLink(each: Conversation): TemplateResult {
  const route: Route = { page: "chat", conversation: each.id };
  const waits = each.waiting > 0 || each.activity === "resting";
  const state = waits ? t("chat.waits") : each.activity === "running" ? t("chat.running") : "";
  return html`<li><a href=${addressOf(route)} aria-current=${riad.openConversation === each.id ? "page" : "false"}
    @click=${(event: MouseEvent) => follow(event, () => riad.go(route))}><span class="title">${each.title || t("chat.untitled")}</span>
    ${state ? html`<span class="dot ${waits ? "waits" : "running"}" title=${state}><span class="unseen">${state}</span></span>` : nothing}</a></li>`;
}
