// The words of the HTTP interface and the event stream, as the server writes them. Only types; nothing here is
// computed. Unknown fields and unknown kinds are ignored by those who read these values.

export type EffectClass = "read" | "create" | "modify" | "delete" | "send" | "spend" | "execute";

export interface Person {
  id: string;
  handle: string;
  name: string;
  role: string;
  locale: string;
  zone: string;
}

export interface ModelInfo {
  name: string;
  tier: "device" | "trusted" | "any";
  window: number;
  state: "ready" | "loading" | "absent" | "failed";
  reason?: string;
}

export interface Session {
  person: Person;
  vault: "locked" | "open";
  csrf: string;
  models: ModelInfo[];
}

export interface SetupRequest {
  token: string;
  preset: "home" | "team" | "care";
  handle: string;
  name: string;
  locale: string;
  zone: string;
  vault: "private" | "open";
  password: string;
}

export interface Conversation {
  id: string;
  title: string;
  created_at: string;
  updated_at: string;
  archived: boolean;
  head: number;
  activity: "quiet" | "running" | "resting";
  turn?: string;
  waiting: number;
}

export interface Preview {
  diff?: { path: string; diff: string };
  command?: { argv: string[] };
}

export interface Target {
  path: string;
  class: EffectClass;
  exists: boolean;
  bytes: number;
}

export interface Approval {
  id: string;
  call: string;
  digest: string;
  tool: string;
  label: string;
  why: string;
  intent?: string;
  classes: EffectClass[];
  arguments: unknown;
  targets: Target[];
  command?: { argv: string[]; quiet: boolean };
  leaves_machine: boolean;
  undo: boolean;
  preview?: Preview;
}

export interface QuestionPart {
  text: string;
  options: string[];
  many: boolean;
  other: boolean;
}

export interface Question {
  id: string;
  call: string;
  digest: string;
  questions: QuestionPart[];
}

export interface InboxItem {
  id: string;
  kind: "approval" | "question";
  conversation: string;
  conversation_title: string;
  asked_at: string;
  approval?: Approval;
  question?: Question;
}

export type Decision = "approve" | "refuse" | "refuse_and_stop";

/** What an entry says of an answer: a decision, or that a question was answered. */
export type Answered = Decision | "told";

export interface Usage {
  prompt?: number | null;
  reused?: number | null;
  prefilled?: number | null;
  decoded?: number | null;
  reasoning?: number | null;
  first_token_ms?: number | null;
  total_ms?: number | null;
  backend?: string | null;
}

export interface WrittenCall {
  id: string;
  tool: string;
  arguments: string;
}

export interface FooterRow {
  call: string;
  tool: string;
  classes: EffectClass[];
  target: string;
  state: "done" | "failed" | "unknown";
  undo: boolean;
  started_at: string;
  ended_at?: string;
}

interface EntryBase {
  number: number;
  /** Its place in the vault; only the stream says it. */
  seq?: number;
  at: string;
  conversation: string;
  turn: string;
}

export type Status = "done" | "failed" | "refused" | "cancelled" | "interrupted";

export type EntryBody =
  | { kind: "said"; message_id: string; text: string; aside?: boolean }
  | { kind: "withdrawn"; message_id: string }
  | {
      kind: "replied";
      reply_id: string;
      text: string;
      reasoning: string;
      calls: WrittenCall[];
      stop: string;
      model: string;
      usage: Usage;
      /** The last entry that its prompt knew of. */
      seen?: number;
    }
  | { kind: "faltered"; reason: string; attempt_again: boolean }
  | { kind: "rejected"; call: string; reason: string }
  | {
      kind: "screened";
      call: string;
      label: string;
      classes: EffectClass[];
      arguments: unknown;
      blocked?: string;
      preview?: Preview;
    }
  | { kind: "asked"; approval: Approval }
  | { kind: "asked_question"; question: Question }
  | { kind: "answered"; approval: string; decision: Answered; words?: string; surface: string }
  | { kind: "started"; call: string; cleared_by: "class" | "rule" | "approval"; rule?: string }
  | { kind: "returned"; call: string; status: Status; text: string; made?: string[] }
  | { kind: "resumed" }
  | { kind: "stopped" }
  | { kind: "ended"; outcome: string; sentence: string; next_step: string; footer: FooterRow[] };

export type Entry = EntryBase & EntryBody;
export type EntryOf<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

export interface EntryHeader {
  conversation: string;
  number: number;
  kind: string;
  at: string;
}

export type Channel = "text" | "reasoning" | "arguments" | "output";

export type Frame =
  | { kind: "entry"; seq: number; entry: Entry | { header: EntryHeader } }
  | {
      kind: "delta";
      conversation: string;
      reply_id?: string;
      call_id?: string;
      channel: Channel;
      offset: number;
      text: string;
    }
  | { kind: "withdrawn"; conversation: string; reply_id: string; reason: string }
  | { kind: "hint"; resource: string; id?: string; etag?: string }
  | { kind: "snapshot"; conversation: string; reply_id: string; text: string; reasoning: string }
  | { kind: "live"; epoch: string; seq: number }
  | { kind: "reset"; epoch: string; seq: number }
  | { kind: "ping" };

export type ClientFrame =
  | { open: { epoch?: string; seq: number; watch: string[] } }
  | { watch: string[] }
  | { snapshot: { reply_id: string } }
  | { pong: Record<string, never> };

export interface RoundUsage extends Usage {
  round: number;
  model: string;
}

export interface ConversationUsage {
  rounds: RoundUsage[];
  totals: { prompt?: number; decoded?: number };
  window: number;
  next_prompt?: number;
}

export interface FileEntry {
  name: string;
  kind: "file" | "folder" | "link" | "special";
  size: number;
  changed_at: string;
}

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id?: string;
  fields?: { pointer: string; detail: string }[];
  retry_after?: number;
  next_step?: string;
  who?: string;
  what?: string;
  when?: string;
  /** Of a vault that stays shut: its file is older than the one last seen, and can be opened all the same. */
  older?: boolean;
}
