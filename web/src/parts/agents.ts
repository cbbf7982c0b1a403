// Profiles and commands: the bundled ones to look at and copy, one's own to write. A text with a slip is not kept, and the
// slip is told with its line.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { Problem } from "../api.ts";
import { riad } from "../app/riad.ts";
import { addressOf, type AgentsRoute } from "../app/router.ts";
import { icon } from "../icons.ts";
import { t } from "../text.ts";
import type { Agent, AgentList, CommandList, OwnTextView, SlashCommand, TextForm } from "../wire.ts";
import { lineOf } from "./fault.ts";
import { failed, follow, menuButton } from "./frame.ts";
import { Part } from "./part.ts";

type What = AgentsRoute["what"];

const BEGINNINGS: Record<What, string> = {
  agents: "---\nname: My helper\ndescription: What it is good for.\n# tools: [file_read, file_list]\n---\nYou are …\n",
  commands: "---\ndescription: What it does\nargument_hint: what may follow\n---\nWrite here what the message says. {{args}} stands for what follows the name.\n",
};

@customElement("riad-agents")
export class Agents extends Part {
  @state() private agents: readonly Agent[] | undefined;
  @state() private commands: readonly SlashCommand[] = [];
  @state() private problem = "";
  @state() private naming: { what: What; from?: string } | undefined;
  @state() private text: OwnTextView | undefined;
  @state() private faults: readonly string[] = [];
  @state() private busy = false;
  private shownFor = "";
  /** What a text that does not stand yet begins with. */
  private seed: string | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.load();
  }

  protected override willUpdate(_: PropertyValues): void {
    const { route } = riad;
    if (route.page !== "agents") return;
    const wanted = addressOf(route);
    if (wanted === this.shownFor || this.agents === undefined) return;
    this.shownFor = wanted;
    this.faults = [];
    this.naming = undefined;
    this.text = undefined;
    if (route.open !== undefined) void this.open(route);
  }

  protected override render(): TemplateResult {
    const { route } = riad;
    const open = route.page === "agents" ? route : undefined;
    return html`<header class="page-head">${menuButton()}<h1>${t("nav.agents")}</h1></header>
      <div class="page-scroll"><div class="page-body">${this.problem ? failed(this.problem, () => void this.load()) : open?.open !== undefined ? this.editor(open) : this.lists()}</div></div>`;
  }

  private async load(): Promise<void> {
    this.problem = "";
    try {
      const [agents, commands] = await Promise.all([riad.api.get<AgentList>("/agents"), riad.api.get<CommandList>("/commands")]);
      this.commands = commands.items;
      this.agents = agents.items;
    } catch (fault) {
      this.problem = sentence(fault);
    }
  }

  // --- The lists --------------------------------------------------------------------------------------------------

  private lists(): TemplateResult {
    if (this.agents === undefined) return html`<div class="skeleton late" role="status" aria-label=${t("loading")}><i></i><i></i></div>`;
    return html`<p class="page-lead">${t("agents.lead")}</p>
      <h2 class="part">${t("agents.profiles")}</h2>
      <ul class="rows texts">${repeat(this.agents, (each) => each.id, (each) => this.row("agents", each.id, `${each.icon ? `${each.icon} ` : ""}${each.title}`, each.faults[0] ?? each.description, each.own, each.version))}</ul>
      ${this.adding("agents")}
      <h2 class="part">${t("agents.commands")}</h2>
      <ul class="rows texts">${repeat(this.commands, (each) => each.id, (each) => this.row("commands", each.id, `/${each.name}${each.argument_hint ? ` [${each.argument_hint}]` : ""}`, each.hidden ? t("agents.hidden") : each.description, each.own, each.version))}</ul>
      ${this.adding("commands")}`;
  }

  private row(what: What, id: string, title: string, says: string, own: boolean, version: number): TemplateResult {
    const route: AgentsRoute = { page: "agents", what, open: id };
    return html`<li>${icon(what === "agents" ? "agent" : "slash", 20)}
      <span class="text-name"><a href=${addressOf(route)} @click=${(event: MouseEvent) => follow(event, () => riad.go(route))}>${title}</a><span class="soft">${says}</span></span>
      <span class="soft whose">${t(own ? "agents.own" : "agents.bundled")}</span>
      <button type="button" class="quiet small" aria-label=${t("agents.copy", { name: title })} title=${t("agents.copy", { name: title })} @click=${() => (this.naming = { what, from: id })}>${icon("copy", 18)}</button>
      ${own ? html`<button type="button" class="quiet small" aria-label=${t("agents.remove", { name: title })} title=${t("agents.remove", { name: title })} @click=${() => void this.takeAway(what, id, title, version)}>${icon("delete", 18)}</button>` : nothing}</li>`;
  }

  private adding(what: What): TemplateResult {
    if (this.naming?.what !== what) return html`<p><button type="button" class="small" @click=${() => (this.naming = { what })}>${icon("plus", 18)}${t(`agents.new_${what}`)}</button></p>`;
    const from = this.naming.from?.replace(/^.*\//, "");
    return html`<form class="naming" @submit=${(event: SubmitEvent) => void this.begin(event, what)}>
      <label><span>${from === undefined ? t("agents.name") : t("agents.copy_name", { name: from })}</span>
        <input name="name" required pattern="[a-z0-9\\-]+" maxlength=${what === "agents" ? 64 : 32} autocomplete="off" .value=${from === undefined ? "" : `${from}-2`} /></label>
      <p class="hint">${t("agents.name_hint")}</p>
      <p class="acts"><button type="submit" class="act small">${t("agents.begin")}</button><button type="button" class="small" @click=${() => (this.naming = undefined)}>${t("cancel")}</button></p></form>`;
  }

  private async begin(event: SubmitEvent, what: What): Promise<void> {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name") ?? "").trim();
    const from = this.naming?.from;
    try {
      this.seed = from === undefined ? BEGINNINGS[what] : (await riad.api.get<OwnTextView>(`/${what}/${from}`)).text;
      riad.go({ page: "agents", what, open: `me/${name}` });
    } catch (fault) {
      riad.note(sentence(fault), true);
    }
  }

  private async takeAway(what: What, id: string, title: string, seen: number): Promise<void> {
    if (!confirm(t("agents.remove_sure", { name: title }))) return;
    try {
      await riad.api.json("DELETE", `/${what}/${id}`, { body: { seen } });
      riad.note(t("agents.removed", { name: title }));
    } catch (fault) {
      riad.note(sentence(fault), true);
    }
    await this.load();
  }

  // --- The editor -------------------------------------------------------------------------------------------------

  private async open({ what, open }: AgentsRoute): Promise<void> {
    const stands = (what === "agents" ? this.agents : this.commands)?.some((each) => each.id === open);
    const seed = this.seed ?? BEGINNINGS[what];
    this.seed = undefined;
    if (open === undefined) return;
    if (!stands) {
      this.text = { id: open, own: true, version: 0, text: seed };
      return;
    }
    try {
      this.text = await riad.api.get<OwnTextView>(`/${what}/${open}`);
    } catch (fault) {
      this.problem = sentence(fault);
    }
  }

  private editor(route: AgentsRoute): TemplateResult {
    const list: AgentsRoute = { page: "agents", what: route.what };
    const back = html`<p><a class="button small" href=${addressOf(list)} @click=${(event: MouseEvent) => follow(event, () => riad.go(list))}>${icon("back", 18)}${t("agents.back")}</a></p>`;
    const { text } = this;
    if (text === undefined) return html`${back}<div class="skeleton late"><i></i><i></i></div>`;
    return html`${back}<form class="text-editor" @submit=${(event: SubmitEvent) => void this.save(event, route.what, text)}>
      <label for="own-text">${text.id}</label>
      <textarea id="own-text" name="text" rows="20" spellcheck="false" aria-describedby="own-text-says" aria-invalid=${this.faults.length > 0} ?readonly=${!text.own} .value=${text.text}></textarea>
      <div id="own-text-says" aria-live="polite">${this.faults.map((fault) => html`<p class="problem">${icon("warn", 18)}<span>${fault}</span>${lineOf(fault) === undefined ? nothing : html`<button type="button" class="quiet small" @click=${() => this.toLine(lineOf(fault) ?? 1)}>${t("agents.to_line")}</button>`}</p>`)}
        ${this.faults.length === 0 ? html`<p class="hint">${t(text.own ? `agents.hint_${route.what}` : "agents.read_only")}</p>` : nothing}</div>
      ${text.own ? html`<p class="acts"><button type="submit" class="act" ?disabled=${this.busy}>${t("save")}</button></p>` : nothing}</form>`;
  }

  private async save(event: SubmitEvent, what: What, text: OwnTextView): Promise<void> {
    event.preventDefault();
    const written = String(new FormData(event.currentTarget as HTMLFormElement).get("text") ?? "");
    const body: TextForm = { text: written, seen: text.version };
    this.busy = true;
    try {
      this.text = await riad.api.json<OwnTextView>("PUT", `/${what}/${text.id}`, { body });
      this.faults = [];
      riad.note(t("agents.saved"));
      await this.load();
    } catch (fault) {
      this.faults = fault instanceof Problem && fault.body.fields?.length ? fault.body.fields.map((field) => field.detail) : [sentence(fault)];
    } finally {
      this.busy = false;
    }
  }

  private toLine(line: number): void {
    const area = this.querySelector<HTMLTextAreaElement>("#own-text");
    if (!area) return;
    const lines = area.value.split("\n");
    const from = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    area.focus();
    area.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  }
}

function sentence(fault: unknown): string {
  return fault instanceof Problem ? fault.sentence : t("problem.unreachable");
}
