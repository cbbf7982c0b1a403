// Holds the one connection of the event stream: opens it, notices when it is dead, opens it again. What the frames mean
// is in reducer.ts.

import type { ClientFrame, Frame } from "../wire.ts";

export interface ConnectionParts {
  readonly address: () => string;
  readonly opened: () => void;
  readonly closed: () => void;
  readonly frame: (frame: Frame) => void;
  /** Two seconds without a living connection, or living again. */
  readonly offline: (offline: boolean) => void;
  /** Asked before each try, since a refused upgrade has no status: whether the session still stands. */
  readonly mayOpen: () => Promise<"yes" | "no" | "later">;
}

const OFFLINE_AFTER_MS = 2_000;
const DEAD_AFTER_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Closed by the server because the session is over (4401) or the vault locked (4423). */
const CLOSED_DOORS = [4401, 4423];
/** Closed because a ninth stream of this person was opened. */
const TOO_MANY = 4008;

/** The wait before try number `tries` (from 0), with `chance` between 0 and 1. */
export function waitBefore(tries: number, chance: number): number {
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
  return Math.max(FIRST_WAIT_MS, most * (0.5 + chance / 2));
}

export class Connection {
  private socket: WebSocket | undefined;
  private tries = 0;
  private wanted = false;
  private opening = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private doubt: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly parts: ConnectionParts) {
    addEventListener("online", () => this.hurry());
    addEventListener("offline", () => this.lost());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.hurry();
    });
  }

  start(): void {
    this.wanted = true;
    this.tries = 0;
    void this.open();
  }

  stop(): void {
    this.wanted = false;
    clearTimeout(this.retry);
    clearTimeout(this.doubt);
    this.drop();
  }

  send(frame: ClientFrame): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  /** Gives the connection up and opens another at once. */
  reopen(): void {
    this.drop();
    this.parts.closed();
    void this.open();
  }

  /** The stream has caught up: the connection is good. */
  good(): void {
    this.tries = 0;
    this.settle();
  }

  private hurry(): void {
    if (!this.wanted || this.socket?.readyState === WebSocket.OPEN) return;
    this.tries = 0;
    void this.open();
  }

  private async open(): Promise<void> {
    clearTimeout(this.retry);
    if (!this.wanted || this.opening) return;
    this.opening = true;
    this.doubt ??= setTimeout(() => this.parts.offline(true), OFFLINE_AFTER_MS);
    const may = this.tries === 0 ? "yes" : await this.parts.mayOpen();
    this.opening = false;
    if (!this.wanted) return;
    if (may === "no") return this.settle();
    if (may === "later") return this.later();
    this.drop();
    const socket = new WebSocket(this.parts.address(), "riad.v1");
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (socket !== this.socket) return;
      this.listen();
      this.parts.opened();
    });
    socket.addEventListener("message", (message) => {
      if (socket === this.socket) this.heard(message.data);
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket !== this.socket) return;
      // Too many streams of one person: what nobody looks at waits until somebody does.
      if (code === TOO_MANY && document.visibilityState === "hidden") this.drop();
      else this.lost(CLOSED_DOORS.includes(code));
    });
  }

  private heard(data: unknown): void {
    this.listen();
    const frame = parse(data);
    if (frame) this.parts.frame(frame);
  }

  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.lost(), DEAD_AFTER_MS);
  }

  /** With `door` the server said why: the session is looked at before anything else is tried. */
  private lost(door = false): void {
    this.drop();
    this.parts.closed();
    if (!this.wanted) return;
    this.doubt ??= setTimeout(() => this.parts.offline(true), OFFLINE_AFTER_MS);
    if (door) {
      this.tries = Math.max(this.tries, 1);
      void this.open();
    } else {
      this.later();
    }
  }

  /** A door is closed: that is no lost connection, and the door says what to do. */
  private settle(): void {
    clearTimeout(this.doubt);
    this.doubt = undefined;
    this.parts.offline(false);
  }

  private later(): void {
    clearTimeout(this.retry);
    this.retry = setTimeout(() => void this.open(), waitBefore(this.tries, Math.random()));
    this.tries += 1;
  }

  private drop(): void {
    clearTimeout(this.silence);
    const socket = this.socket;
    this.socket = undefined;
    socket?.close();
  }
}

function parse(data: unknown): Frame | undefined {
  try {
    return JSON.parse(String(data)) as Frame;
  } catch {
    return undefined;
  }
}
