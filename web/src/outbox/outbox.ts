// The list of acts that are not yet done, kept on the device: an act is written down before it is sent and leaves the
// list when its answer is here. Pure but for the storage it is given; sending is in sender.ts.

import type { ChoiceForm, Decision, PartAnswer } from "../wire.ts";

export type Act =
  | { does: "say"; conversation?: string; text: string; conversationKey?: string; choice?: ChoiceForm; insteadOf?: string; model?: string }
  | { does: "stop"; conversation: string; turn?: string; after?: string }
  | { does: "withdraw"; conversation: string; message: string }
  | { does: "answer"; conversation: string; item: string; digest: string; decision: Decision; words?: string }
  | { does: "answer_question"; conversation: string; item: string; digest: string; answers: QuestionAnswer[] };

/** What stands in the form of one part: its options are always there, be they none. */
export type QuestionAnswer = PartAnswer & { options: number[] };

export interface Kept {
  /** The idempotency key; of a message its id. */
  readonly key: string;
  readonly act: Act;
  readonly at: string;
  readonly state: "waiting" | "sending" | "sent" | "answered" | "failed";
  readonly reason?: string;
  readonly turn?: string;
}

/** The part of the browser's storage that is used. */
export interface Shelf {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export class Outbox {
  private readText = "[]";
  private readActs: readonly Kept[] = [];

  constructor(
    private readonly shelf: Shelf,
    private readonly name: string,
  ) {}

  /** All acts, oldest first. Another tab may have changed them, so the shelf is asked each time and read when it differs. */
  all(): readonly Kept[] {
    const text = this.shelf.getItem(this.name) ?? "[]";
    if (text !== this.readText) {
      this.readText = text;
      this.readActs = parse(text);
    }
    return this.readActs;
  }

  add(key: string, act: Act, at: string): void {
    if (this.all().some((each) => each.key === key)) return;
    this.write([...this.all(), { key, act, at, state: "waiting" }]);
  }

  change(key: string, by: Partial<Pick<Kept, "state" | "reason" | "turn" | "act">>): void {
    this.write(this.all().map((each) => (each.key === key ? { ...each, ...by } : each)));
  }

  remove(key: string): void {
    this.write(this.all().filter((each) => each.key !== key));
  }

  clear(): void {
    this.shelf.removeItem(this.name);
  }

  /** The next act that may be sent: in order, and none past one of the same conversation that has not arrived. */
  next(): Kept | undefined {
    const held = new Set<string>();
    for (const each of this.all()) {
      const place = each.act.conversation ?? each.act.does + each.key;
      const open = each.state === "waiting" || each.state === "sending";
      if (open && !held.has(place)) return each;
      if (open) held.add(place);
    }
    return undefined;
  }

  private write(kept: Kept[]): void {
    if (kept.length === 0) this.shelf.removeItem(this.name);
    else this.shelf.setItem(this.name, JSON.stringify(kept));
  }
}

function parse(text: string): readonly Kept[] {
  try {
    const kept: unknown = JSON.parse(text);
    return Array.isArray(kept) ? (kept as Kept[]) : [];
  } catch {
    return [];
  }
}
