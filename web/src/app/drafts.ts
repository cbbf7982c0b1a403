// What somebody has written and not sent: kept on the device, for each person and conversation.

import type { Shelf } from "../outbox/outbox.ts";

export class Drafts {
  constructor(
    private readonly shelf: Shelf & Storage,
    private readonly person: () => string,
  ) {}

  of(conversation: string | undefined): string {
    return this.shelf.getItem(this.name(conversation)) ?? "";
  }

  keep(conversation: string | undefined, text: string): void {
    try {
      if (text === "") this.shelf.removeItem(this.name(conversation));
      else this.shelf.setItem(this.name(conversation), text);
    } catch {
      // A full storage costs the draft its safety copy, not the person the text.
    }
  }

  clear(): void {
    const mine = this.name("");
    for (const name of Object.keys(this.shelf)) if (name.startsWith(mine)) this.shelf.removeItem(name);
  }

  private name(conversation = "new"): string {
    return `riad.draft.${this.person()}.${conversation}`;
  }
}
