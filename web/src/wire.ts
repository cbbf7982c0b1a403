// The words of the HTTP interface and the event stream. The types are made from the server's own (`cargo xtask wire`);
// only names that this client needs besides stand here. Unknown fields and unknown kinds are ignored by those who read
// these values.

import type { Entry } from "./wire/generated.ts";

export type * from "./wire/generated.ts";

export type EntryOf<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

/** What an entry says, without its places. */
export type EntryBody = Without<Entry, "number" | "seq" | "at" | "conversation" | "turn">;

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
