// Sends what is in the outbox, one act after the other, until each has its answer. What may pass by itself (no network,
// a busy or restarting server, a session to renew) is tried again; what the server refuses stops with its reason.

import type { Kept, Outbox } from "./outbox.ts";

export type Sent =
  | { is: "done"; turn?: string; act?: Kept["act"] }
  | { is: "answered"; reason: string; act: Kept["act"]; anew: boolean }
  | { is: "later"; afterMs?: number }
  | { is: "blocked" }
  | { is: "settled" }
  | { is: "refused"; reason: string };

export interface SenderParts {
  readonly outbox: Pick<Outbox, "next" | "change" | "remove">;
  /** Performs one act over HTTP. It never throws. */
  readonly perform: (kept: Kept, progress: (act: Kept["act"]) => void) => Promise<Sent>;
  readonly changed: () => void;
  readonly wait: (ms: number, wake: AbortSignal) => Promise<void>;
  /** Runs the work in one tab of the browser at a time. */
  readonly alone: (work: () => Promise<void>) => Promise<void>;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

export class Sender {
  private running = false;
  private again = false;
  private waking = new AbortController();

  constructor(private readonly parts: SenderParts) {}

  /** Looks at the outbox now: after an act was added, signing in, or when the network is back. */
  async wake(): Promise<void> {
    this.waking.abort();
    this.again = true;
    if (this.running) return;
    this.running = true;
    try {
      while (this.again) {
        this.again = false;
        await this.parts.alone(() => this.drain());
      }
    } finally {
      this.running = false;
    }
  }

  private async drain(): Promise<void> {
    let pause = FIRST_WAIT_MS;
    for (;;) {
      const next = this.parts.outbox.next();
      if (!next) return;
      this.parts.outbox.change(next.key, { state: "sending" });
      this.parts.changed();
      const sent = await this.parts.perform(next, (act) => this.parts.outbox.change(next.key, { act }));
      const goesOn = this.record(next, sent);
      this.parts.changed();
      if (goesOn === "stop") return;
      if (goesOn === "go") {
        pause = FIRST_WAIT_MS;
        continue;
      }
      this.waking = new AbortController();
      await this.parts.wait(sent.is === "later" && sent.afterMs !== undefined ? sent.afterMs : pause, this.waking.signal);
      pause = Math.min(pause * 2, LONGEST_WAIT_MS);
    }
  }

  private record(kept: Kept, sent: Sent): "go" | "wait" | "stop" {
    const { outbox } = this.parts;
    switch (sent.is) {
      case "done":
        // A message stays until its entry is seen, so that it does not vanish in between.
        if (kept.act.does === "say") outbox.change(kept.key, { state: "sent", turn: sent.turn, ...(sent.act ? { act: sent.act } : {}) });
        else if (kept.act.does === "answer" || kept.act.does === "answer_question") outbox.change(kept.key, { state: "sent" });
        else outbox.remove(kept.key);
        return "go";
      case "settled":
        outbox.remove(kept.key);
        return "go";
      case "answered":
        outbox.change(kept.key, { state: "answered", reason: sent.reason, act: sent.act });
        return "go";
      case "refused":
        outbox.change(kept.key, { state: "failed", reason: sent.reason });
        return "go";
      case "blocked":
        outbox.change(kept.key, { state: "waiting" });
        return "stop";
      case "later":
        outbox.change(kept.key, { state: "waiting" });
        return "wait";
    }
  }
}

/** Waits, or until it is woken. */
export function pause(ms: number, wake: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** One tab sends at a time where the browser can say so; elsewhere the keys keep acts from counting twice. */
export async function oneTab(work: () => Promise<void>): Promise<void> {
  if (navigator.locks) await navigator.locks.request("riad-outbox", work);
  else await work();
}
