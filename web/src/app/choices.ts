// Who answers where, as the server says it, and what is chosen for a conversation that begins with the next message. It
// decides nothing: what a choice may be, the server says.

import { Problem, type Api } from "../api.ts";
import { t } from "../text.ts";
import type { Choice, ChoiceForm, ModelInfo, Tier } from "../wire.ts";

const TIERS: readonly Tier[] = ["device", "trusted", "any"];

/** Whether a place is further away than another. */
export function isFarther(tier: Tier, than: Tier): boolean {
  return TIERS.indexOf(tier) > TIERS.indexOf(than);
}

export class Choices {
  private readonly known = new Map<string, Choice>();
  private coming: ChoiceForm = {};

  constructor(
    private readonly api: Pick<Api, "get" | "json">,
    private readonly changed: () => void,
    private readonly model: (name: string) => ModelInfo | undefined,
  ) {}

  /** What holds for the next message, if it is known yet. */
  of(conversation: string | undefined): Choice | undefined {
    const known = this.known.get(conversation ?? "");
    return conversation === undefined && known ? withComing(known, this.coming, this.model) : known;
  }

  /** What is to be chosen for the conversation that begins now; it is chosen once. */
  take(): ChoiceForm | undefined {
    const { coming } = this;
    this.coming = {};
    return Object.keys(coming).length === 0 ? undefined : coming;
  }

  async load(conversation: string | undefined): Promise<void> {
    try {
      this.known.set(conversation ?? "", await this.api.get<Choice>(place(conversation)));
    } catch {
      // Without it the composer says what the session knows.
      return;
    }
    this.changed();
  }

  /** The reason, if it cannot be. */
  async choose(conversation: string | undefined, form: ChoiceForm): Promise<string | undefined> {
    if (conversation === undefined) {
      this.coming = { ...this.coming, ...form };
      this.changed();
      return undefined;
    }
    try {
      this.known.set(conversation, await this.api.json<Choice>("PATCH", place(conversation), { body: form }));
      this.changed();
      return undefined;
    } catch (fault) {
      return fault instanceof Problem ? fault.sentence : t("problem.unreachable");
    }
  }

  forget(): void {
    this.known.clear();
    this.coming = {};
  }
}

/** What would hold if this were chosen; an empty word takes a choice back. */
export function withComing(usual: Choice, form: ChoiceForm, model: (name: string) => ModelInfo | undefined): Choice {
  const chosen = (word: string | undefined, before: string | undefined) => (word === undefined ? before : word || undefined);
  const tier = (chosen(form.tier, usual.tier) ?? usual.holds.tier) as Tier;
  const name = form.model || usual.holds.model;
  const holds = { ...usual.holds, tier, model: name, model_tier: model(name)?.tier ?? usual.holds.model_tier };
  if (form.profile) Object.assign(holds, { profile: form.profile, profile_title: form.profile.replace(/^.*\//, "") });
  return { ...usual, model: chosen(form.model, undefined), profile: chosen(form.profile, undefined), ...(form.tier ? { tier } : {}), holds };
}

function place(conversation: string | undefined): string {
  return conversation === undefined ? "/choice" : `/conversations/${encodeURIComponent(conversation)}/choice`;
}
