// The doors: setting up, signing in, unlocking. Each is a form that says what is wrong beside what is wrong.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { Problem, Unreachable } from "../api.ts";
import { handleFits, passwordRules } from "../app/password.ts";
import { riad } from "../app/riad.ts";
import { icon, star } from "../icons.ts";
import { LANGUAGES, chooseLanguage, language, t, type TextKey } from "../text.ts";
import { Part } from "./part.ts";

/** A form that sends once at a time, shows what the server says, and counts a throttle down. */
class Door extends Part {
  @state() protected busy = false;
  @state() protected problem = "";
  @state() protected older = false;
  @state() protected fields: Readonly<Record<string, string>> = {};
  @state() protected waitsUntil = 0;
  private ticking: ReturnType<typeof setInterval> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.ticking);
  }

  protected async attempt(work: () => Promise<void>): Promise<void> {
    if (this.busy || this.waitsUntil > Date.now()) return;
    this.busy = true;
    this.problem = "";
    this.older = false;
    this.fields = {};
    try {
      await work();
    } catch (fault) {
      this.tell(fault);
    } finally {
      this.busy = false;
    }
  }

  private tell(fault: unknown): void {
    if (fault instanceof Unreachable) {
      this.problem = t("problem.unreachable");
    } else if (fault instanceof Problem) {
      this.fields = Object.fromEntries((fault.body.fields ?? []).map((field) => [field.pointer.replace(/^\//, ""), field.detail]));
      this.problem = fault.sentence;
      this.older = fault.body.older === true;
      if (fault.body.retry_after && (fault.status === 429 || fault.status === 503)) this.holdFor(fault.body.retry_after);
    } else {
      throw fault;
    }
    void this.updateComplete.then(() => this.querySelector<HTMLElement>("[aria-invalid='true'], .form-problem")?.focus());
  }

  private holdFor(seconds: number): void {
    this.waitsUntil = Date.now() + seconds * 1000;
    clearInterval(this.ticking);
    this.ticking = setInterval(() => {
      if (this.waitsUntil <= Date.now()) {
        clearInterval(this.ticking);
        this.problem = "";
      }
      this.requestUpdate();
    }, 1000);
  }

  protected get held(): number {
    return Math.max(0, Math.ceil((this.waitsUntil - Date.now()) / 1000));
  }

  protected problemLine(): TemplateResult | typeof nothing {
    if (this.problem === "") return nothing;
    const wait = this.held > 0 ? html` <span class="countdown">${t("gate.wait", { text: countdown(this.held) })}</span>` : nothing;
    return html`<p class="form-problem" role="alert" tabindex="-1">${icon("warn", 18)}<span>${this.problem}${wait}</span></p>`;
  }

  protected submit(label: string): TemplateResult {
    return html`<button class="act wide" type="submit" ?disabled=${this.busy || this.held > 0}>
      ${this.busy ? html`<span class="spinner" aria-hidden="true"></span>${t("gate.busy")}` : label}
    </button>`;
  }
}

function countdown(seconds: number): string {
  return seconds < 60 ? t("time.seconds", { text: String(seconds) }) : t("time.minutes", { m: Math.floor(seconds / 60), s: seconds % 60 });
}

function doorHead(title: string, lead: string): TemplateResult {
  return html`<div class="door-head">${star(52, "door-star")}
    <h1>${title}</h1>
    <p>${lead}</p>
  </div>`;
}

@customElement("riad-sign-in")
export class SignIn extends Door {
  @property({ type: Boolean }) over = false;

  protected override render(): TemplateResult {
    return html`<form class="door" @submit=${(event: SubmitEvent) => this.send(event)}>
      ${doorHead(t("signin.title"), this.over ? t("signin.over") : t("signin.lead"))}
      ${this.problemLine()}
      <label class="field"><span>${t("signin.handle")}</span>
        <input name="handle" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="31"
          .defaultValue=${this.over ? (riad.session?.person.handle ?? "") : ""} /></label>
      <label class="field"><span>${t("signin.password")}</span>
        <input name="password" type="password" autocomplete="current-password" required /></label>
      <label class="tick"><input type="checkbox" name="keep" checked /><span>${t("signin.keep")}</span></label>
      ${this.submit(t("signin.act"))}
    </form>`;
  }

  protected override firstUpdated(): void {
    const name = this.querySelector<HTMLInputElement>("input[name=handle]");
    const password = this.querySelector<HTMLInputElement>("input[name=password]");
    (name?.value ? password : name)?.focus();
  }

  private send(event: SubmitEvent): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const handle = String(form.get("handle")).trim().toLowerCase();
    void this.attempt(() => riad.signIn(handle, String(form.get("password")), form.get("keep") !== null));
  }
}

@customElement("riad-unlock")
export class Unlock extends Door {
  protected override render(): TemplateResult {
    const name = riad.session?.person.name ?? "";
    return html`<form class="door" @submit=${(event: SubmitEvent) => this.send(event)}>
      ${doorHead(t("unlock.title"), name ? t("unlock.lead_name", { name }) : t("unlock.lead"))}
      ${this.problemLine()}
      <input class="unseen" type="text" name="handle" autocomplete="username" tabindex="-1" aria-hidden="true" readonly .value=${riad.session?.person.handle ?? ""} />
      <label class="field"><span>${t("signin.password")}</span>
        <input name="password" type="password" autocomplete="current-password" required /></label>
      ${this.submit(t("unlock.act"))}
      ${this.older ? html`<button class="stern wide" type="button" @click=${() => this.open(true)}>${t("unlock.older")}</button>` : nothing}
      <button class="quiet wide" type="button" @click=${() => void riad.signOut()}>${t("menu.sign_out")}</button>
    </form>`;
  }

  protected override firstUpdated(): void {
    this.querySelector<HTMLInputElement>("input[name=password]")?.focus();
  }

  private send(event: SubmitEvent): void {
    event.preventDefault();
    this.open(false);
  }

  private open(older: boolean): void {
    const input = this.querySelector<HTMLInputElement>("input[name=password]");
    void this.attempt(() => riad.unlock(input?.value ?? "", older)).then(() => input?.select());
  }
}

const PRESETS = ["home", "team", "care"] as const;

@customElement("riad-setup")
export class Setup extends Door {
  @state() private handle = "";
  @state() private password = "";
  @state() private again = "";
  @state() private seen = false;

  protected override render(): TemplateResult {
    return html`<form class="door roomy" novalidate @submit=${(event: SubmitEvent) => this.send(event)}>
      ${doorHead(t("setup.title"), t("setup.lead"))}
      ${this.problemLine()}
      <fieldset><legend>${t("setup.start")}</legend>
        ${this.field("token", t("setup.token"), t("setup.token_help"), html`<input name="token" id="setup-token" class="mono" autocomplete="off" spellcheck="false" autocapitalize="none" required aria-describedby="setup-token-help" aria-invalid=${this.bad("token")} />`)}
        <label class="field"><span>${t("setup.language")}</span>
          <select name="locale" @change=${(event: Event) => this.pickLanguage(event)}>
            ${LANGUAGES.map((each) => html`<option value=${each.tag} ?selected=${each.tag === language()}>${each.name}</option>`)}
          </select></label>
      </fieldset>
      <fieldset><legend>${t("setup.kind")}</legend>
        <div class="choices">${PRESETS.map((preset) => this.choice("preset", preset, preset === "home", icon(preset === "home" ? "home" : preset === "team" ? "chat" : "people", 22)))}</div>
      </fieldset>
      <fieldset><legend>${t("setup.you")}</legend>
        <div class="pair">
          ${this.field("name", t("setup.name"), t("setup.name_help"), html`<input name="name" id="setup-name" autocomplete="name" required maxlength="80" aria-describedby="setup-name-help" aria-invalid=${this.bad("name")} />`)}
          ${this.field("handle", t("setup.handle"), t("setup.handle_help"), html`<input name="handle" id="setup-handle" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="31" aria-describedby="setup-handle-help"
            aria-invalid=${this.bad("handle")} @input=${(event: Event) => (this.handle = value(event).trim().toLowerCase())} />`)}
        </div>
      </fieldset>
      <fieldset><legend>${t("setup.password")}</legend>
        <div class="pair">
          ${this.field("password", t("signin.password"), "", html`<input name="password" id="setup-password" type=${this.seen ? "text" : "password"} autocomplete="new-password" required aria-describedby="password-rules"
            aria-invalid=${this.bad("password")} @input=${(event: Event) => (this.password = value(event))} />`)}
          ${this.field("again", t("setup.again"), "", html`<input name="again" id="setup-again" type=${this.seen ? "text" : "password"} autocomplete="new-password" required
            aria-describedby="password-rules" @input=${(event: Event) => (this.again = value(event))} />`)}
        </div>
        <ul class="rules" id="password-rules">${passwordRules(this.password, this.handle, this.again).map((rule) => html`<li class=${rule.met ? "met" : ""}>
          ${icon(rule.met ? "check" : "cross", 16)}<span>${t(`password.${rule.key}` as TextKey)}</span><span class="unseen">${rule.met ? t("password.met") : t("password.open")}</span></li>`)}</ul>
        <label class="tick"><input type="checkbox" .checked=${this.seen} @change=${() => (this.seen = !this.seen)} /><span>${t("setup.show_password")}</span></label>
      </fieldset>
      <fieldset><legend>${t("setup.vault")}</legend>
        <p class="hint">${t("setup.vault_help")}</p>
        <div class="choices two">${(["private", "open"] as const).map((kind) => this.choice("vault", kind, kind === "private", icon(kind === "private" ? "lock" : "home", 22)))}</div>
      </fieldset>
      ${this.submit(t("setup.act"))}
    </form>`;
  }

  protected override firstUpdated(): void {
    this.querySelector<HTMLInputElement>("input[name=token]")?.focus();
  }

  private bad(name: string): "true" | "false" {
    return this.fields[name] === undefined ? "false" : "true";
  }

  private field(name: string, label: string, help: string, input: TemplateResult): TemplateResult {
    const problem = this.fields[name];
    return html`<div class="field"><label for="setup-${name}">${label}</label>${input}
      ${help || problem ? html`<p class=${problem ? "hint wrong" : "hint"} id="setup-${name}-help">${problem ?? help}</p>` : nothing}</div>`;
  }

  private choice(group: string, each: string, chosen: boolean, picture: TemplateResult): TemplateResult {
    return html`<label class="choice"><input type="radio" name=${group} value=${each} ?checked=${chosen} />
      <span class="choice-body">${picture}<strong>${t(`setup.${group}.${each}` as TextKey)}</strong><span>${t(`setup.${group}.${each}.help` as TextKey)}</span></span></label>`;
  }

  private pickLanguage(event: Event): void {
    chooseLanguage(value(event));
    riad.changed();
  }

  private send(event: SubmitEvent): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    void this.attempt(async () => {
      const missing = this.missing(text);
      if (missing) throw missing;
      await riad.setUp({
        token: text("token"),
        preset: text("preset"),
        handle: this.handle,
        name: text("name"),
        locale: text("locale"),
        zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        vault: text("vault"),
        password: this.password,
      });
    });
  }

  /** What can be said before asking the server. */
  private missing(text: (name: string) => string): Problem | undefined {
    const fields = [
      ...(text("token") === "" ? [{ pointer: "/token", detail: t("setup.token_missing") }] : []),
      ...(text("name") === "" ? [{ pointer: "/name", detail: t("setup.name_missing") }] : []),
      ...(handleFits(this.handle) ? [] : [{ pointer: "/handle", detail: t("setup.handle_help") }]),
      ...(passwordRules(this.password, this.handle, this.again).every((rule) => rule.met) ? [] : [{ pointer: "/password", detail: t("setup.password_open") }]),
    ];
    return fields.length === 0 ? undefined : new Problem(422, { detail: t("setup.incomplete"), fields });
  }
}

function value(event: Event): string {
  return (event.currentTarget as HTMLInputElement).value;
}
