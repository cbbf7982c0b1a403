// Small pieces that the head of every page has.

import { html, type TemplateResult } from "lit";
import { riad } from "../app/riad.ts";
import { icon } from "../icons.ts";
import { t } from "../text.ts";

/** Opens the list of conversations where it is no column of its own. */
export function menuButton(): TemplateResult {
  return html`<button type="button" class="quiet menu-button" aria-label=${t("nav.open")} aria-expanded=${riad.drawerOpen} @click=${openDrawer}>${icon("menu")}</button>`;
}

function openDrawer(): void {
  riad.drawerOpen = true;
  riad.changed();
}

export function failed(text: string, retry: () => void): TemplateResult {
  return html`<div class="empty" role="alert">${icon("warn", 28)}<p>${text}</p>
    <button type="button" @click=${retry}>${icon("again", 18)}${t("retry")}</button></div>`;
}

/** A link of the application: it goes there without loading anew, and can be opened in a tab of its own. */
export function follow(event: MouseEvent, go: () => void): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go();
}
