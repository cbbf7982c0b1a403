// What all elements share: they draw into the page itself, so that one style sheet, one tab order and one find hold
// for all, and they follow the state of the page.

import { LitElement } from "lit";
import { riad } from "../app/riad.ts";

export class Part extends LitElement {
  private unfollow: (() => void) | undefined;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.unfollow = riad.follow(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.unfollow?.();
  }
}
