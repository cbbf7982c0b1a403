// The pages beside the chat: the Inbox, all conversations, files.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { Problem } from "../api.ts";
import { riad } from "../app/riad.ts";
import { addressOf, type Route } from "../app/router.ts";
import { age, bytes, dayAndClock } from "../format.ts";
import { icon } from "../icons.ts";
import { drawMarkdown } from "../markdown/draw.ts";
import { t, type TextKey } from "../text.ts";
import type { Conversation, FileEntry, InboxItem, Listing } from "../wire.ts";
import { failed, follow, menuButton } from "./frame.ts";
import { Part } from "./part.ts";
import "./search.ts";

function skeleton(): TemplateResult {
  return html`<div class="skeleton late" role="status" aria-label=${t("loading")}><i></i><i></i><i></i></div>`;
}

function head(title: string, lead: string): TemplateResult {
  return html`<header class="page-head">${menuButton()}<h1>${title}</h1></header>${lead ? html`<p class="page-lead">${lead}</p>` : nothing}`;
}

@customElement("riad-inbox")
export class Inbox extends Part {
  protected override render(): TemplateResult {
    return html`${head(t("nav.inbox"), "")}<div class="page-scroll"><div class="page-body">${this.body()}</div></div>`;
  }

  private body(): TemplateResult {
    if (riad.inboxState === "failed") return failed(t("inbox.failed"), () => void riad.loadInbox());
    if (riad.inboxState === "loading") return skeleton();
    if (riad.inbox.length === 0) {
      return html`<div class="empty">${icon("inbox", 40)}<h2>${t("inbox.empty")}</h2><p>${t("inbox.empty_lead")}</p></div>`;
    }
    return html`<p class="page-lead">${t("inbox.lead", { n: riad.inbox.length })}</p>
      <ol class="inbox-list">${repeat(riad.inbox, (item) => item.id, (item) => inboxItem(item))}</ol>`;
  }
}

function inboxItem(item: InboxItem): TemplateResult {
  const route: Route = { page: "chat", conversation: item.conversation };
  return html`<li><h2 class="inbox-from">${icon("chat", 16)}<a href=${addressOf(route)} @click=${(event: MouseEvent) => follow(event, () => riad.go(route))}
      >${item.conversation_title || t("chat.untitled")}</a><time datetime=${item.asked_at} title=${dayAndClock(item.asked_at)}>${age(item.asked_at, Date.now())}</time></h2>
    ${item.kind === "approval" ? html`<riad-approval .approval=${item.approval} .conversation=${item.conversation}></riad-approval>` : nothing}
    ${item.kind === "question" ? html`<riad-question .question=${item.question} .conversation=${item.conversation}></riad-question>` : nothing}</li>`;
}

@customElement("riad-conversations")
export class Conversations extends Part {
  @state() private words = "";
  @state() private problem = "";

  override connectedCallback(): void {
    super.connectedCallback();
    this.load();
  }

  private load(): void {
    this.problem = "";
    riad.loadArchived().catch((fault: Error) => (this.problem = fault.message));
  }

  protected override render(): TemplateResult {
    const fits = (each: Conversation) => each.title.toLowerCase().includes(this.words.toLowerCase());
    const open = riad.conversations.filter(fits);
    const archived = (riad.archived ?? []).filter(fits);
    return html`${head(t("nav.all"), "")}<div class="page-scroll"><div class="page-body">
      <label class="filter">${icon("search", 18)}<span class="unseen">${t("all.filter")}</span>
        <input type="search" placeholder=${t("all.filter")} .value=${this.words} @input=${(event: Event) => (this.words = (event.currentTarget as HTMLInputElement).value)} /></label>
      ${this.section("all.open", open)}
      ${this.problem ? failed(this.problem, () => this.load()) : nothing}
      ${this.section("all.archived", archived)}
      <riad-hits .words=${this.words}></riad-hits>
    </div></div>`;
  }

  /** While somebody searches, a section without a fitting title says nothing. */
  private section(name: TextKey, here: readonly Conversation[]): TemplateResult | typeof nothing {
    if (here.length === 0 && this.words.trim() !== "") return nothing;
    return html`<h2 class="part">${t(name)}</h2>
      ${here.length === 0 ? html`<p class="soft">${t("all.none")}</p>` : html`<ul class="rows">${here.map((each) => row(each))}</ul>`}`;
  }
}

function row(each: Conversation): TemplateResult {
  const route: Route = { page: "chat", conversation: each.id };
  const archive = () => void riad.archive(each.id, !each.archived).catch((fault: Error) => riad.note(fault.message, true));
  return html`<li><a href=${addressOf(route)} @click=${(event: MouseEvent) => follow(event, () => riad.go(route))}>${each.title || t("chat.untitled")}</a>
    <time class="soft" datetime=${each.updated_at}>${dayAndClock(each.updated_at)}</time>
    <button type="button" class="quiet small" @click=${archive} aria-label=${t(each.archived ? "chat.unarchive" : "chat.archive")} title=${t(each.archived ? "chat.unarchive" : "chat.archive")}>${icon(each.archived ? "again" : "archive", 18)}</button></li>`;
}

const LARGEST_SHOWN = 2 * 1024 * 1024;

@customElement("riad-files")
export class Files extends Part {
  @state() private entries: readonly FileEntry[] | undefined;
  @state() private text: string | undefined;
  @state() private problem = "";
  @state() private notText = "";
  @state() private raw = false;
  private shownFor = "";

  protected override willUpdate(_: PropertyValues): void {
    const route = riad.route;
    if (route.page !== "files") return;
    const wanted = JSON.stringify([route.path, route.file]);
    if (wanted === this.shownFor) return;
    this.shownFor = wanted;
    this.raw = false;
    void this.load(route.path, route.file);
  }

  protected override render(): TemplateResult {
    const route = riad.route;
    if (route.page !== "files") return html``;
    return html`${head(t("nav.files"), "")}<div class="page-scroll"><div class="page-body">
      ${crumbs(route.path, route.file)}
      ${this.problem ? failed(this.problem, () => void this.load(route.path, route.file)) : route.file === undefined ? this.list(route.path) : this.viewer(route.path, route.file)}
    </div></div>`;
  }

  private async load(path: string, file: string | undefined): Promise<void> {
    this.problem = "";
    this.notText = "";
    this.entries = undefined;
    this.text = undefined;
    const still = this.shownFor;
    try {
      if (file === undefined) {
        const listing = await riad.api.get<Listing>(`/files?path=${encodeURIComponent(path)}`);
        if (still === this.shownFor) this.entries = [...listing.entries].sort(foldersFirst);
      } else {
        await this.open(`${path}/${file}`, still);
      }
    } catch (fault) {
      if (still === this.shownFor) this.problem = fault instanceof Problem ? fault.sentence : t("problem.unreachable");
    }
  }

  private async open(path: string, still: string): Promise<void> {
    const response = await riad.api.send("GET", contentOf(path), {});
    const size = Number(response.headers.get("content-length") ?? 0);
    const type = response.headers.get("content-type") ?? "";
    if (!type.startsWith("text/") || size > LARGEST_SHOWN) {
      if (still === this.shownFor) this.notText = size > LARGEST_SHOWN ? t("files.too_large") : t("files.not_text");
      return void response.body?.cancel();
    }
    const text = await response.text();
    if (still === this.shownFor) this.text = text;
  }

  private list(path: string): TemplateResult {
    if (this.entries === undefined) return skeleton();
    if (this.entries.length === 0) {
      return html`<div class="empty">${icon("files", 40)}<h2>${t("files.empty")}</h2><p>${t("files.empty_lead")}</p></div>`;
    }
    return html`<ul class="rows files">${this.entries.map((entry) => fileRow(path, entry))}</ul>`;
  }

  private viewer(path: string, file: string): TemplateResult {
    const address = `/api/v1${contentOf(`${path}/${file}`)}`;
    const markdown = /\.(md|markdown)$/i.test(file);
    return html`<div class="viewer"><div class="viewer-head"><h2>${file}</h2>
        ${markdown ? html`<button type="button" class="small" aria-pressed=${this.raw} @click=${() => (this.raw = !this.raw)}>${t(this.raw ? "files.formatted" : "files.source")}</button>` : nothing}
        <a class="button small" href=${address} download=${file}>${icon("down", 16)}${t("files.download")}</a></div>
      ${this.notText ? html`<p class="soft">${this.notText}</p>` : this.text === undefined ? skeleton() : markdown && !this.raw ? drawMarkdown(this.text) : html`<pre class="file-text" tabindex="0">${this.text === "" ? t("files.blank") : this.text}</pre>`}
    </div>`;
  }
}

function contentOf(path: string): string {
  return `/files/content?path=${encodeURIComponent(path)}`;
}

function foldersFirst(a: FileEntry, b: FileEntry): number {
  if (a.kind !== b.kind) return a.kind === "folder" ? -1 : 1;
  return a.name.localeCompare(b.name, undefined, { numeric: true });
}

function fileRow(path: string, entry: FileEntry): TemplateResult {
  // What is neither file nor folder is listed and not followed.
  if (entry.kind !== "folder" && entry.kind !== "file") {
    return html`<li>${icon("link", 20)}<span class="other">${entry.name}</span><time class="soft" datetime=${entry.changed_at}>${dayAndClock(entry.changed_at)}</time></li>`;
  }
  const route: Route = entry.kind === "folder" ? { page: "files", path: `${path}/${entry.name}` } : { page: "files", path, file: entry.name };
  return html`<li>${icon(entry.kind === "folder" ? "files" : "file", 20)}<a href=${addressOf(route)} @click=${(event: MouseEvent) => follow(event, () => riad.go(route))}>${entry.name}</a>
    <span class="soft size">${entry.kind === "folder" ? "" : bytes(entry.size)}</span><time class="soft" datetime=${entry.changed_at}>${dayAndClock(entry.changed_at)}</time></li>`;
}

function crumbs(path: string, file: string | undefined): TemplateResult {
  const parts = path.split("/");
  const steps = parts.map((name, at) => ({ name: at === 0 && name === "~" ? t("files.home") : name, path: parts.slice(0, at + 1).join("/") }));
  return html`<nav class="crumbs" aria-label=${t("files.where")}><ol>${steps.map(
    (each, at) => html`<li>${at > 0 ? icon("chevron", 14) : nothing}${crumb(each.name, each.path, at === steps.length - 1 && file === undefined)}</li>`,
  )}${file === undefined ? nothing : html`<li>${icon("chevron", 14)}<span aria-current="page">${file}</span></li>`}</ol></nav>`;
}

function crumb(name: string, path: string, current: boolean): TemplateResult {
  const route: Route = { page: "files", path };
  return current
    ? html`<span aria-current="page">${name}</span>`
    : html`<a href=${addressOf(route)} @click=${(event: MouseEvent) => follow(event, () => riad.go(route))}>${name}</a>`;
}
