// Made from crates/server/src/wire by `cargo xtask wire`. Do not edit.

/** Whether a turn runs in a conversation, or rests until a person answers. */
export type Activity = "quiet" | "running" | "resting";

/** A profile in a list. */
export type Agent = {
  /** With its scope, for example `me/helper`. */
  id: string,
  /** Whether it can be changed. */
  own: boolean, title: string, description: string, icon?: string, kind: Kind, version: number,
  /** Why it cannot be used, one a line. */
  faults: Array<string>, };

/** All profiles. */
export type AgentList = {
  /** The bundled ones first. */
  items: Array<Agent>, };

export type Answer = { approval: string, decision: Answered, words?: string, surface: string, };

/** An answer to what was asked: a decision on a call, or options and words for each part of a question. */
export type AnswerForm = {
  /** Of what was shown. */
  digest: string, decision?: Decision, words?: string,
  /** Places of chosen options, from 0, of a question with one part. */
  options?: Array<number>, answers?: Array<PartAnswer>, surface?: Surface, };

/** An answer was recorded. */
export type AnswerTaken = {
  /** As this entry. */
  entry: number,
  /** In this conversation. */
  conversation: string, };

/** What was answered: a decision, or words to a question. */
export type Answered = "approve" | "told" | "refuse" | "refuse_and_stop";

/** A card for one exact call. */
export type Approval = { id: string, call: string, digest: string, tool: string, label: string, why: string, intent?: string,
  /** The profiles at work where it is asked, the outer one first; empty where the turn itself asks. */
  path: Array<string>, classes: Array<EffectClass>, arguments: unknown, targets: Array<Target>, command?: Command, leaves_machine: boolean, undo: boolean, preview?: Preview, };

export type BranchForm = {
  /** The new line shares all turns that are over at this entry. */
  after: number, };

/** An entry for those who watch its conversation, a header for others and where it is large. */
export type Carried = Entry
  | {
  /** The header. */
  header: EntryHeader, };

export type ChangeForm = { title?: string, archived?: boolean, };

/** What a piece of a stream belongs to. */
export type Channel = "text" | "reasoning" | "arguments" | "output";

/** What was chosen for a conversation, or for all of which nothing else is chosen. What is absent was not. */
export type Choice = { model?: string, profile?: string, tier?: Tier,
  /** What holds by it. */
  holds: Holds, };

/** What is to be chosen; what is absent stays, and an empty word takes the choice back. */
export type ChoiceForm = { model?: string, profile?: string,
  /** `device`, `trusted` or `any`. */
  tier?: string, };

export type ClearedBy = "class" | "rule" | "approval";

/** What only a client can do. */
export type ClientAct = "new";

/** What a client sends. */
export type ClientFrame = { "open": {
  /** The epoch it knows; absent for a client that knows nothing. */
  epoch?: string,
  /** The last number it has. */
  seq: number,
  /** The conversations it shows. */
  watch: Array<string>, } }
  | { "watch": Array<string> }
  | { "snapshot": {
  /** The reply. */
  reply_id: string, } }
  | { "pong": unknown };

export type Command = { argv: Array<string>, quiet: boolean, };

/** What Riad itself answers to a command. It is no entry: it is shown once and kept nowhere. */
export type CommandAnswer = {
  /** Which command, without its slash. */
  command: string,
  /** One or two sentences. */
  says: string,
  /** More, one a line. */
  rows: Array<CommandRow>,
  /** What is left to the client. */
  act?: ClientAct, };

/** All commands from files. */
export type CommandList = {
  /** The bundled ones first. */
  items: Array<SlashCommand>, };

/** One line of a list. */
export type CommandRow = {
  /** What it is about. */
  name: string,
  /** What is said of it. */
  says: string, };

/** A marker at the place of a fold: what the model reads of what stands above it. */
export type Compacted = { what: Folded, sentence: string,
  /** The record that stands for what is above, where there is one. */
  summary?: string, tokens_before: number, tokens_after: number, };

/** One conversation. */
export type Conversation = { id: string, title: string, created_at: string, updated_at: string, archived: boolean, head: number, activity: Activity, turn?: string, waiting: number, };

/** A page of the list. */
export type ConversationPage = {
  /** Its lines, newest first. */
  items: Array<Conversation>,
  /** Where the next page begins; absent on the last one. */
  next_cursor?: string, };

/** Of a conversation. */
export type ConversationUsage = {
  /** In their order. */
  rounds: Array<RoundUsage>,
  /** Sums. */
  totals: UsageTotals,
  /** Samples that gave no reply. What a model took for them is not known. */
  failed: number,
  /** Tokens that prompt and reply share. */
  window: number,
  /** The prompt that would be next. */
  next: PromptUsage, };

export type CreateForm = { title?: string,
  /** What is chosen for it from the first message on. */
  choice?: ChoiceForm, };

export type Decision = "approve" | "refuse" | "refuse_and_stop";

/** A piece with its place, in bytes. */
export type Delta = {
  /** Where. */
  conversation: string,
  /** The reply it belongs to, or */
  reply_id?: string,
  /** the call. */
  call_id?: string,
  /** Its channel. */
  channel: Channel,
  /** Bytes of the channel before it. */
  offset: number,
  /** The piece. */
  text: string, };

/** What a person has written and not sent. */
export type DraftForm = {
  /** As it stands. */
  text: string, };

/** What a call does to the world. */
export type EffectClass = "read" | "create" | "modify" | "delete" | "send" | "spend" | "execute";

/** What is known of a side effect. */
export type EffectState = "done" | "failed" | "unknown";

/** One entry with its places. */
export type Entry = { number: number,
  /** Absent where the place in the vault is not known: in a page of a conversation's entries. */
  seq?: number, at: string, conversation: string, turn: string,
  /** The call whose delegate recorded it; absent for what the turn itself did. */
  frame?: string, } & ({ "kind": "said", message_id: string, text: string,
  /** What was typed, where that was a command from a file; `text` is what it stands for. */
  short?: string, }
  | { "kind": "withdrawn", message_id: string, }
  | { "kind": "replied" } & Replied
  | { "kind": "faltered", model: string, reason: string, attempt_again: boolean, }
  | { "kind": "held", sentence: string, next_step: string, }
  | { "kind": "rejected", call: string, reason: string, }
  | { "kind": "screened" } & Screened
  | { "kind": "asked", approval: Approval, }
  | { "kind": "asked_question", question: Question, }
  | { "kind": "answered" } & Answer
  | { "kind": "started", call: string, cleared_by: ClearedBy, rule?: string, }
  | { "kind": "returned", call: string, status: Status, text: string, made: Array<string>, }
  | { "kind": "resumed", }
  | { "kind": "stopped", }
  | { "kind": "ended", outcome: Outcome, sentence: string, next_step: string, footer: Array<FooterRow>, }
  | { "kind": "compacted" } & Compacted
  | { "kind": "compaction_asked", }
  | { "kind": "forked", after: number, }
  | { "kind": "switched", line: number, }
  | { "kind": "opened", profile: string,
  /** The profiles at work, the outer one first. */
  path: Array<string>, model: string, task: string, background: boolean, }
  | { "kind": "newer", });

/** What those who do not watch hear of an entry. */
export type EntryHeader = { conversation: string, number: number, kind: string, at: string, };

/** Entries of a conversation, in order. */
export type EntryPage = {
  /** The entries after the one that was named. */
  entries: Array<Entry>,
  /** The number of the last one. */
  head: number, };

/** One line. */
export type FileEntry = { name: string, kind: FileKind, size: number, changed_at: string, };

export type FileKind = "file" | "folder" | "link" | "special";

export type Folded = "demoted" | "summarised" | "unchanged";

/** One side effect as it stands at the end of its turn. */
export type FooterRow = { call: string, tool: string, classes: Array<EffectClass>, target: string, state: EffectState, undo: boolean, started_at: string, ended_at?: string, };

/** What the server sends. */
export type Frame = { "kind": "entry",
  /** Its place in the vault. */
  seq: number,
  /** Whole, or as a header. */
  entry: Carried, }
  | { "kind": "delta" } & Delta
  | { "kind": "withdrawn",
  /** Where. */
  conversation: string,
  /** The reply. */
  reply_id: string,
  /** Why, for the person. */
  reason: string, }
  | { "kind": "hint" } & Hint
  | { "kind": "snapshot",
  /** Where. */
  conversation: string,
  /** The reply. */
  reply_id: string,
  /** Its text. */
  text: string,
  /** Its reasoning. */
  reasoning: string, }
  | { "kind": "live",
  /** Which history the numbers belong to. */
  epoch: string,
  /** The last number. */
  seq: number, }
  | { "kind": "reset",
  /** Which history the numbers belong to. */
  epoch: string,
  /** The last number. */
  seq: number, }
  | { "kind": "ping", };

/** A resource that changed. */
export type Hint = {
  /** `conversations` or `inbox`; a page looks at whichever it knows. */
  resource: string,
  /** Which one. */
  id?: string, };

/** A place where all the words are. */
export type Hit = { conversation: string, title: string, archived: boolean,
  /** The number of the entry in its conversation. */
  entry: number, speaker: Speaker, at: string, excerpt: Array<Piece>, };

/** A page of hits. */
export type HitPage = {
  /** The hits, newest first. */
  items: Array<Hit>,
  /** Where the next page begins; absent on the last one. */
  next_cursor?: string, };

/** What holds for the next message. */
export type Holds = { model: string,
  /** Where that model is. */
  model_tier: Tier,
  /** Those that stand in for it, in order. */
  fallbacks: Array<string>, profile: string, profile_title: string, tier: Tier,
  /** The most that can be chosen. */
  most: Tier,
  /** The profile that was chosen and is not there any more. */
  missing?: string, };

/** All that waits for the person. */
export type Inbox = {
  /** Oldest first. */
  items: Array<InboxItem>, };

/** A card with the conversation in which it was asked. */
export type InboxItem = {
  /** By which it is answered. */
  id: string,
  /** Where it was asked. */
  conversation: string,
  /** The title of that. */
  conversation_title: string,
  /** When. */
  asked_at: string, } & ({ "kind": "approval",
  /** About what. */
  approval: Approval, }
  | { "kind": "question",
  /** About what. */
  question: Question, });

/** What a profile is for. */
export type Kind = "chat" | "task" | "system";

/** One line. */
export type Line = {
  /** Its name: the entry that started it, 0 for the first line. */
  line: number,
  /** The line that it left; absent for the first. */
  from?: number,
  /** The last entry that it shares with that one. */
  after: number,
  /** Its entries from the first of the conversation on, as pairs of first and last. */
  spans: Array<[number, number]>, };

/** What a new line would leave behind. */
export type LinePreview = {
  /** The last entry that it would share. */
  after: number,
  /** What was done behind that entry: it stands whatever line is gone on with. */
  effects: Array<FooterRow>, };

/** A line is gone on with. */
export type LineTaken = {
  /** Its name. */
  line: number, };

/** All lines of a conversation. */
export type LinesView = {
  /** The one that is written on. */
  active: number,
  /** In the order in which they were started. */
  lines: Array<Line>, };

/** A folder with what is in it. */
export type Listing = {
  /** Where. */
  path: string,
  /** Its lines. */
  entries: Array<FileEntry>, };

/** A message was recorded. */
export type MessageTaken = {
  /** As this entry. */
  entry: number,
  /** In this turn. */
  turn: string, };

/** A model as people see it. */
export type ModelInfo = {
  /** The name by which it is chosen. */
  name: string,
  /** The name that people read, where it is another one. */
  title?: string,
  /** Whose it is, where it is not on this machine. */
  provider?: string, tier: Tier, window: number, state: ModelState, reason?: string,
  /** Whether it answers where nobody chose. */
  usual: boolean,
  /** Whether it failed several times in a row and is left alone for a while. */
  resting: boolean, };

/** All models. */
export type ModelList = {
  /** The usual one first. */
  models: Array<ModelInfo>, };

/** Whether a model can answer. */
export type ModelState = "ready" | "loading" | "absent" | "failed";

/** How a turn came out. */
export type Outcome = "answered" | "mute" | "round_limit" | "time_limit" | "budget_spent" | "loop_broken" | "overflow" | "stopped" | "model_unavailable" | "failed";

/** The text of a profile or of a command. */
export type OwnTextView = { id: string, own: boolean, version: number, text: string, };

export type PartAnswer = { options?: Array<number>, words?: string, };

/** An account as its person sees it. */
export type Person = { id: string, handle: string, name: string, role: string, locale: string, zone: string, };

/** A stretch of an excerpt. */
export type Piece = { text: string,
  /** Whether it is one of the words. */
  hit: boolean, };

/** What would change. */
export type Preview = { "diff": {
  /** The place. */
  path: string,
  /** Unified diff, 3 lines of context. */
  diff: string, } }
  | { "command": {
  /** Program and arguments. */
  argv: Array<string>, } };

/** What is written of a problem. */
export type ProblemBody = {
  /** `urn:riad:problem:` and the code. */
  type: string,
  /** What the code means. */
  title: string,
  /** Of the answer. */
  status: number,
  /** What happened, for the person. */
  detail: string,
  /** From a closed list; none changes its meaning. */
  code: ProblemCode,
  /** To look for in the log. */
  request_id: string,
  /** Every bad field. */
  fields?: Array<ProblemField>,
  /** Seconds to wait. */
  retry_after?: number,
  /** What to do. */
  next_step?: string,
  /** Of a question that was answered already: who did, */
  who?: string,
  /** with what */
  what?: Answered,
  /** and when. */
  when?: string,
  /** Of a vault that stays shut: its file is older than the one last seen, and can be opened all the same. */
  older?: boolean, };

/** All codes there are. A code never changes its meaning. */
export type ProblemCode = "bad_json" | "wrong_protocol" | "not_signed_in" | "sign_in_wrong" | "password_wrong" | "not_allowed" | "foreign_origin" | "csrf_wrong" | "not_json" | "setup_token_wrong" | "setup_token_void" | "not_found" | "method_not_allowed" | "already_set_up" | "digest_differs" | "already_answered" | "already_read" | "still_working" | "read_only" | "turn_running" | "too_many_waiting" | "vault_fault" | "expired" | "stale" | "too_large" | "wrong_host" | "invalid" | "key_missing" | "key_reused" | "vault_locked" | "precondition_required" | "throttled" | "too_many_requests" | "internal" | "busy" | "not_ready" | "no_space";

/** One bad field. */
export type ProblemField = {
  /** Its JSON pointer. */
  pointer: string,
  /** What is wrong with it. */
  detail: string, };

/** A prompt that is not sent yet. */
export type PromptUsage = {
  /** What would answer. */
  model: string,
  /** Whether that is on this machine. */
  here: boolean,
  /** Tokens by what they are. */
  segments: SegmentRows,
  /** All of them. */
  total: number,
  /** The total is an estimate. */
  estimated: boolean,
  /** Of the total, what the model need not read again. */
  cached?: number,
  /** Tokens that prompt and reply share. */
  window: number,
  /** Of the window, what is kept for the reply. */
  reserve: number,
  /** Something is made shorter first, because this is too long. */
  folds: boolean, };

/** A card that asks for words. */
export type Question = { id: string, call: string, digest: string,
  /** The profiles at work where it is asked, the outer one first; empty where the turn itself asks. */
  path: Array<string>, questions: Array<QuestionPart>, };

export type QuestionPart = { text: string, options: Array<string>,
  /** Whether more than one option may be chosen. */
  many: boolean,
  /** Whether words of one's own are an answer. */
  other: boolean, };

/** A text that is to go. */
export type RemoveForm = {
  /** The version that was seen. */
  seen: number, };

export type Replied = { reply_id: string, seen: number, text: string, reasoning: string, calls: Array<WrittenCall>, stop: StopReason, model: string, usage: Usage, };

/** One reply among those of a conversation. */
export type RoundUsage = {
  /** From 1. */
  round: number,
  /** What answered. */
  model: string,
  /** Tokens of its prompt as they were counted before it was sent; what the model reports stands in `prompt`. */
  counted?: number,
  /** The same by segment. */
  segments?: SegmentRows,
  /** Tokens of the prompt. */
  prompt?: number, reused?: number, prefilled?: number, decoded?: number, reasoning?: number, first_token_ms?: number, total_ms?: number, backend?: string, };

export type SayForm = { text: string,
  /** A message that was read: it is said anew, or with the same text answered anew, on a new line. */
  instead_of?: string,
  /** The model that is to answer this message, whatever is chosen for the conversation. */
  model?: string, };

export type Screened = { call: string, label: string, classes: Array<EffectClass>, arguments: unknown, blocked?: string, preview?: Preview, };

/** Tokens by what they are. They add up to those of the prompt. */
export type SegmentRows = { system: number, tools: number, summary: number, history: number,
  /** What the person says in the turn that runs, or would begin. */
  message: number,
  /** What opens the prompt and the reply. */
  around: number,
  /** The rows are estimates. Their sum can be exact all the same. */
  estimated: boolean, };

/** A session as its own browser sees it. */
export type Session = { person: Person, vault: VaultState, csrf: string, models: Array<ModelInfo>, };

/** The first account. */
export type SetupDone = {
  /** Whose it is. */
  person: Person, };

/** The first account. The terminal collects the same, but for the token. */
export type SetupForm = { token: string,
  /** `home`, `team` or `care`. */
  preset: string, handle: string, name: string, locale: string, zone: string,
  /** `private` or `open`. */
  vault: string, password: string, };

/** Whether the instance still waits for its first account. */
export type SetupNeeded = {
  /** It does. */
  needed: boolean, };

export type SignInForm = { handle: string, password: string, keep?: boolean, };

/** A command in a list. */
export type SlashCommand = {
  /** With its scope, for example `me/weekly`. */
  id: string,
  /** Without its slash. */
  name: string,
  /** Whether it can be changed. */
  own: boolean, description: string, argument_hint?: string, version: number,
  /** Whether the person's own one of the same name stands before it. */
  hidden: boolean, };

/** Who spoke. */
export type Speaker = "person" | "model";

/** How a call ended. */
export type Status = "done" | "failed" | "refused" | "cancelled" | "interrupted";

export type StopForm = { turn: string, };

/** Why a reply ended. */
export type StopReason = "natural" | "calls" | "length" | "stop_marker" | "context_full" | "filtered" | "cancelled" | "cut";

export type Surface = "web" | "cli";

export type SwitchForm = { line: number, };

export type Target = { path: string, class: EffectClass, exists: boolean, bytes: number, };

/** A text that is to stand. */
export type TextForm = { text: string,
  /** The version that it replaces, 0 for none. */
  seen: number, };

/** How far what is said to a model travels. */
export type Tier = "device" | "trusted" | "any";

export type UnlockForm = { password: string,
  /** Of a vault file that is older than the one last seen: open it all the same. */
  accept_older?: boolean, };

/** Of one reply. */
export type Usage = {
  /** Tokens of the prompt. */
  prompt?: number, reused?: number, prefilled?: number, decoded?: number, reasoning?: number, first_token_ms?: number, total_ms?: number, backend?: string, };

/** Sums over all rounds of which the number is known. */
export type UsageTotals = {
  /** Tokens of prompts. */
  prompt?: number,
  /** Tokens of replies. */
  decoded?: number, };

/** Whether the session's person has unlocked the vault. */
export type VaultState = "locked" | "open";

export type WrittenCall = { id: string, tool: string, arguments: string, };
