// Who answers here: the model, how far what is said may travel, and the profile. Before anything leaves the machine that
// did not until now, the person says yes to it.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { live } from "lit/directives/live.js";
import { isFarther } from "../app/choices.ts";
import { riad } from "../app/riad.ts";
import { icon } from "../icons.ts";
import { t } from "../text.ts";
import type { Agent, AgentList, Choice, ChoiceForm, ModelInfo, Tier } from "../wire.ts";
import { follow } from "./frame.ts";
import { Part } from "./part.ts";

const TIERS: readonly Tier[] = ["device", "trusted", "any"];

export function modelTitle(name: string): string {
  const model = riad.model(name);
  return model?.title ?? name;
}

/** Where a model is, in words. */
function placeOf(model: ModelInfo): string {
  return model.tier === "device" ? t("pick.here") : (model.provider ?? t(`pick.at_${model.tier}`));
}

@customElement("riad-picker")
export class Picker extends Part {
  @property() conversation: string | undefined;
  @state() private agents: readonly Agent[] = [];
  @state() private problem = "";
  /** A model that is further away than the conversation may travel so far. */
  @state() private far: ModelInfo | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    void riad.choices.load(this.conversation);
    void riad.loadModels();
    riad.api.get<AgentList>("/agents").then(
      ({ items }) => (this.agents = items),
      () => undefined,
    );
  }

  protected override render(): TemplateResult {
    const choice = riad.choices.of(this.conversation);
    return html`<header><h2>${t("pick.title")}</h2><button type="button" class="quiet" aria-label=${t("close")} @click=${() => this.closest("dialog")?.close()}>${icon("close")}</button></header>
      ${this.problem ? html`<p class="problem" role="alert">${icon("warn", 18)}<span>${this.problem}</span></p>` : nothing}
      ${choice ? html`${this.models(choice)}${this.tiers(choice)}${this.profiles(choice)}` : html`<div class="skeleton late"><i></i><i></i></div>`}`;
  }

  private models(choice: Choice): TemplateResult {
    const models = riad.session?.models ?? [];
    return html`<fieldset class="who"><legend>${t("pick.model")}</legend>
      ${option("model", "", choice.model === undefined, t("pick.usual"), t("pick.usual_model", { name: modelTitle(models[0]?.name ?? "") }), "star", false, () => void this.choose({ model: "" }))}
      ${models.map((model) => this.modelRow(model, choice))}</fieldset>`;
  }

  private modelRow(model: ModelInfo, choice: Choice): TemplateResult {
    const beyond = isFarther(model.tier, choice.holds.most);
    const off = model.state === "failed" || model.state === "absent";
    const says = off ? (model.reason ?? "") : [placeOf(model), t("pick.window", { n: model.window }), model.resting ? t("pick.resting") : "", beyond ? t("pick.beyond") : ""].filter(Boolean).join(" · ");
    const pick = () => (isFarther(model.tier, choice.holds.tier) ? (this.far = model) : void this.choose({ model: model.name }));
    return html`${option("model", model.name, choice.model === model.name, model.title ?? model.name, says, model.tier === "device" ? "device" : "cloud", off || beyond, pick)}
      ${this.far?.name === model.name ? this.leaving(model) : nothing}`;
  }

  /** The one question of this page: whether what is said may go there. */
  private leaving(model: ModelInfo): TemplateResult {
    const name = model.title ?? model.name;
    return html`<div class="leaving" role="alertdialog" aria-label=${t("pick.leaves")}><p>${t("pick.leaves_to", { name, place: placeOf(model) })}</p>
      <p class="acts"><button type="button" class="small" @click=${() => this.stay()}>${t("cancel")}</button>
        <button type="button" class="act small" @click=${() => void this.choose({ model: model.name, tier: model.tier })}>${t("pick.leave", { name })}</button></p></div>`;
  }

  private stay(): void {
    this.far = undefined;
  }

  private tiers(choice: Choice): TemplateResult {
    const { tier, most } = choice.holds;
    return html`<fieldset class="who"><legend>${t("pick.tier")}</legend>
      ${TIERS.map((each) => option("tier", each, tier === each, t(`pick.tier_${each}`), isFarther(each, most) ? t("pick.beyond") : t(`pick.tier_${each}.text`), each === "device" ? "lock" : "cloud", isFarther(each, most), () => void this.choose({ tier: each })))}</fieldset>`;
  }

  private profiles(choice: Choice): TemplateResult {
    const missing = choice.holds.missing;
    return html`<fieldset class="who"><legend>${t("pick.profile")}</legend>
      ${missing === undefined ? nothing : html`<p class="hint">${t("pick.missing", { name: missing })}</p>`}
      ${this.agents.filter((agent) => agent.kind !== "system").map((agent) =>
        option("profile", agent.id, choice.holds.profile === agent.id, `${agent.icon ? `${agent.icon} ` : ""}${agent.title}`, agent.faults[0] ?? agent.description, "agent", agent.faults.length > 0, () => void this.choose({ profile: agent.id })),
      )}
      <p class="hint">${t("pick.next_turn")} <a href="/agents" @click=${(event: MouseEvent) => follow(event, () => riad.go({ page: "agents", what: "agents" }))}>${t("pick.write_own")}</a></p></fieldset>`;
  }

  private async choose(form: ChoiceForm): Promise<void> {
    this.far = undefined;
    this.problem = (await riad.choices.choose(this.conversation, form)) ?? "";
    // A refused choice is not what stands.
    if (this.problem) this.requestUpdate();
  }
}

function option(name: string, value: string, checked: boolean, title: string, says: string, sign: Parameters<typeof icon>[0], disabled: boolean, pick: () => void): TemplateResult {
  return html`<label class="who-row"><input type="radio" name=${name} value=${value} .checked=${live(checked)} ?disabled=${disabled} @change=${pick} />
    ${icon(sign, 20)}<span><strong>${title}</strong><span class="soft">${says}</span></span></label>`;
}
