// How the effect classes of calls look and are called.

import { html, type TemplateResult } from "lit";
import { icon, type IconName } from "../icons.ts";
import { t, type TextKey } from "../text.ts";
import type { EffectClass } from "../wire.ts";

const ORDER: readonly EffectClass[] = ["execute", "spend", "send", "delete", "modify", "create", "read"];
const ICONS: Readonly<Record<EffectClass, IconName>> = {
  read: "read",
  create: "create",
  modify: "modify",
  delete: "delete",
  send: "outgoing",
  spend: "spend",
  execute: "execute",
};

/** The strictest first. */
export function byStrictness(classes: readonly EffectClass[]): EffectClass[] {
  return ORDER.filter((each) => classes.includes(each));
}

export function classIcon(classes: readonly EffectClass[], size = 18): TemplateResult {
  const strictest = byStrictness(classes)[0];
  return icon(strictest ? ICONS[strictest] : "question", size);
}

export function classMarks(classes: readonly EffectClass[]): TemplateResult {
  return html`${byStrictness(classes).map((each) => html`<span class="class ${each}">${t(`class.${each}` as TextKey)}</span>`)}`;
}
