// The state of the page and what people can do with it: session, lists, the stream, the outbox. It draws nothing;
// elements follow it and are told when it changed. One instance for a page.

import { dayAndClock } from "../format.ts";
import { Api, Problem, Unreachable, freshKey } from "../api.ts";
import { sendAct, titleFrom } from "../outbox/acts.ts";
import { Outbox, type Act, type Kept, type QuestionAnswer } from "../outbox/outbox.ts";
import { oneTab, pause, Sender, type Sent } from "../outbox/sender.ts";
import { Connection } from "../stream/connection.ts";
import { EMPTY, step, type StreamEvent, type StreamState, type StreamTask } from "../stream/reducer.ts";
import { t, type TextKey } from "../text.ts";
import type {
  BranchForm,
  ChangeForm,
  Conversation,
  ConversationPage,
  Decision,
  Entry,
  EntryPage,
  FooterRow,
  Frame,
  Inbox,
  InboxItem,
  LinePreview,
  ModelInfo,
  ModelList,
  Session,
  SetupForm,
  SetupNeeded,
  SignInForm,
  SwitchForm,
  UnlockForm,
} from "../wire.ts";
import { Choices } from "./choices.ts";
import { Drafts } from "./drafts.ts";
import { addressOf, routeOf, type Route } from "./router.ts";

export type Gate = "looking" | "setup" | "sign_in" | "unlock" | "open" | "unreachable";

export interface Note {
  readonly id: number;
  readonly text: string;
  readonly urgent: boolean;
}

type Listener = () => void;

export class Riad {
  readonly api = new Api();
  gate: Gate = "looking";
  session: Session | undefined;
  route: Route = routeOf(location);
  conversations: readonly Conversation[] = [];
  conversationsState: "loading" | "here" | "failed" = "loading";
  archived: readonly Conversation[] | undefined;
  inbox: readonly InboxItem[] = [];
  inboxState: "loading" | "here" | "failed" = "loading";
  stream: StreamState = EMPTY;
  threadProblem: string | undefined;
  /** There is no conversation at the address that is open. */
  threadGone = false;
  offline = false;
  notes: readonly Note[] = [];
  /** What became of an approval that could not be answered as shown, by its id. */
  readonly cardNotes = new Map<string, string>();
  /** Turns whose stop was asked for here. */
  readonly stopping = new Set<string>();
  drawerOpen = false;

  /** What is written and not sent, for each conversation. */
  readonly drafts = new Drafts(localStorage, () => this.session?.person.id ?? "nobody");

  /** Who answers where. */
  readonly choices = new Choices(this.api, () => this.changed(), (name) => this.model(name));

  private outbox: Outbox | undefined;
  private readonly sender: Sender;
  private readonly connection: Connection;
  private readonly listeners = new Set<Listener>();
  private readonly entryListeners = new Set<(entry: Entry) => void>();
  private told = false;
  private noteCount = 0;
  private listsDue: ReturnType<typeof setTimeout> | undefined;
  private inboxDue: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.api.onProblem = (problem) => this.judge(problem);
    this.api.renew = async () => void (await this.sessionStands());
    this.connection = new Connection({
      address: () => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/events`,
      opened: () => this.apply({ is: "opened" }),
      closed: () => this.apply({ is: "closed" }),
      frame: (frame) => this.receive(frame),
      offline: (offline) => this.set(() => (this.offline = offline)),
      mayOpen: () => this.sessionStands(),
    });
    this.sender = new Sender({
      // Whose outbox it is changes with the person.
      outbox: {
        next: () => this.outbox?.next(),
        change: (key, by) => this.outbox?.change(key, by),
        remove: (key) => this.outbox?.remove(key),
      },
      perform: (kept, progress) => this.perform(kept, progress),
      changed: () => this.changed(),
      wait: pause,
      alone: oneTab,
    });
    addEventListener("popstate", () => this.show(routeOf(location), "kept"));
    addEventListener("online", () => void this.sender.wake());
    addEventListener("storage", (event) => {
      if (event.key?.startsWith("riad.outbox.")) this.changed();
    });
  }

  // --- Being followed ---------------------------------------------------------------------------------------------

  follow(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  onEntry(listener: (entry: Entry) => void): () => void {
    this.entryListeners.add(listener);
    return () => this.entryListeners.delete(listener);
  }

  changed(): void {
    if (this.told) return;
    this.told = true;
    queueMicrotask(() => {
      this.told = false;
      for (const listener of this.listeners) listener();
    });
  }

  private set(change: () => void): void {
    change();
    this.changed();
  }

  note(text: string, urgent = false): void {
    const id = (this.noteCount += 1);
    this.set(() => (this.notes = [...this.notes.slice(-2), { id, text, urgent }]));
    setTimeout(() => this.dropNote(id), 8_000);
  }

  dropNote(id: number): void {
    this.set(() => (this.notes = this.notes.filter((note) => note.id !== id)));
  }

  // --- Coming in and going out ------------------------------------------------------------------------------------

  async begin(): Promise<void> {
    this.set(() => (this.gate = "looking"));
    try {
      const { needed } = await this.api.get<SetupNeeded>("/setup");
      if (needed) return this.set(() => (this.gate = "setup"));
      this.enter(await this.api.get<Session>("/session"));
    } catch (fault) {
      if (fault instanceof Unreachable) this.set(() => (this.gate = "unreachable"));
      else if (!(fault instanceof Problem) || (fault.status !== 401 && fault.status !== 423)) this.set(() => (this.gate = "unreachable"));
    }
  }

  async setUp(request: SetupForm): Promise<void> {
    await this.api.json("POST", "/setup", { body: request, key: freshKey(), quiet: true });
    await this.signIn(request.handle, request.password, true);
  }

  async signIn(handle: string, password: string, keep: boolean): Promise<void> {
    const body: SignInForm = { handle, password, keep };
    this.enter(await this.api.json<Session>("POST", "/sessions", { body, key: freshKey(), quiet: true }));
  }

  /** `older` accepts a vault file that is older than the one last seen. */
  async unlock(password: string, older = false): Promise<void> {
    const body: UnlockForm = older ? { password, accept_older: true } : { password };
    this.enter(await this.api.json<Session>("POST", "/session/unlock", { body, key: freshKey() }));
  }

  async lock(): Promise<void> {
    await this.api.json("POST", "/session/lock", { key: freshKey() });
    this.forget();
    this.set(() => (this.gate = "unlock"));
  }

  async signOut(): Promise<void> {
    await this.api.json("DELETE", "/session", {});
    this.outbox?.clear();
    this.drafts.clear();
    this.forget();
    this.connection.stop();
    this.outbox = undefined;
    this.session = undefined;
    history.replaceState(null, "", "/");
    this.route = routeOf(location);
    this.set(() => (this.gate = "sign_in"));
  }

  private enter(session: Session): void {
    const other = this.session !== undefined && this.session.person.id !== session.person.id;
    if (other) this.forget();
    this.session = session;
    this.api.csrf = session.csrf;
    if (session.vault === "locked") return this.set(() => (this.gate = "unlock"));
    this.outbox = new Outbox(localStorage, `riad.outbox.${session.person.id}`);
    this.set(() => (this.gate = "open"));
    this.watch();
    this.connection.start();
    this.reload();
    void this.sender.wake();
  }

  /** Drops all content that is in memory; drafts and the outbox stay on the device. */
  private forget(): void {
    this.stream = { ...EMPTY, epoch: undefined };
    this.conversations = [];
    this.conversationsState = "loading";
    this.archived = undefined;
    this.inbox = [];
    this.inboxState = "loading";
    this.cardNotes.clear();
    this.stopping.clear();
    this.choices.forget();
  }

  private judge(problem: Problem): void {
    if (problem.status === 401 && this.gate !== "sign_in") this.set(() => (this.gate = "sign_in"));
    if (problem.status === 423 && this.gate !== "sign_in") this.set(() => (this.gate = "unlock"));
  }

  private async sessionStands(): Promise<"yes" | "no" | "later"> {
    try {
      const session = await this.api.get<Session>("/session");
      this.session = session;
      this.api.csrf = session.csrf;
      if (session.vault === "open") return "yes";
      this.set(() => (this.gate = "unlock"));
      return "no";
    } catch (fault) {
      return fault instanceof Problem && (fault.status === 401 || fault.status === 423) ? "no" : "later";
    }
  }

  // --- Pages ------------------------------------------------------------------------------------------------------

  go(route: Route): void {
    this.show(route, "push");
  }

  private show(route: Route, history_: "push" | "replace" | "kept"): void {
    if (history_ === "push") history.pushState(null, "", addressOf(route));
    if (history_ === "replace") history.replaceState(null, "", addressOf(route));
    this.route = route;
    this.drawerOpen = false;
    this.threadProblem = undefined;
    this.threadGone = false;
    this.watch();
    this.changed();
  }

  get openConversation(): string | undefined {
    return this.route.page === "chat" ? this.route.conversation : undefined;
  }

  conversation(id: string | undefined): Conversation | undefined {
    return this.conversations.find((each) => each.id === id) ?? this.archived?.find((each) => each.id === id);
  }

  private watch(): void {
    if (this.gate !== "open") return;
    const open = this.openConversation;
    this.apply({ is: "watch", conversations: open === undefined ? [] : [open] });
    if (this.route.page === "chat") void this.choices.load(open);
    if (open !== undefined) void this.loadThread(open, this.stream.threads.get(open)?.upto ?? 0);
  }

  model(name: string): ModelInfo | undefined {
    return this.session?.models.find((each) => each.name === name);
  }

  async loadModels(): Promise<void> {
    const list = await this.api.get<ModelList>("/models").catch(() => undefined);
    if (this.session && list) this.session = { ...this.session, models: list.models };
    this.changed();
  }

  // --- Lists ------------------------------------------------------------------------------------------------------

  reload(): void {
    void this.loadConversations();
    void this.loadInbox();
    const open = this.openConversation;
    if (open !== undefined) void this.loadThread(open, this.stream.threads.get(open)?.upto ?? 0);
  }

  async loadConversations(): Promise<void> {
    try {
      const all: Conversation[] = [];
      let cursor: string | undefined;
      do {
        const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const page = await this.api.get<ConversationPage>(`/conversations?limit=200${query}`);
        all.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      this.conversations = all.filter((each) => !each.archived).sort(latestFirst);
      this.conversationsState = "here";
    } catch {
      if (this.conversationsState === "loading") this.conversationsState = "failed";
    }
    this.changed();
  }

  async loadArchived(): Promise<void> {
    const page = await this.api.get<ConversationPage>("/conversations?limit=200&archived=true");
    this.set(() => (this.archived = page.items.filter((each) => each.archived).sort(latestFirst)));
  }

  async loadInbox(): Promise<void> {
    try {
      this.inbox = (await this.api.get<Inbox>("/inbox")).items;
      this.inboxState = "here";
      this.tidyAnswers();
    } catch {
      if (this.inboxState === "loading") this.inboxState = "failed";
    }
    this.changed();
  }

  private async loadThread(conversation: string, since: number): Promise<void> {
    try {
      const past = await this.api.get<EntryPage>(`/conversations/${encodeURIComponent(conversation)}/entries?since=${since}`);
      this.threadProblem = undefined;
      this.threadGone = false;
      this.apply({ is: "loaded", conversation, since, entries: past.entries, head: past.head });
      this.tidySaid();
    } catch (fault) {
      if (this.openConversation !== conversation || this.stream.threads.get(conversation)?.loaded) return;
      if (fault instanceof Problem && fault.status === 404) return this.set(() => (this.threadGone = true));
      this.set(() => (this.threadProblem = fault instanceof Problem ? fault.sentence : t("problem.unreachable")));
    }
  }

  async rename(id: string, title: string): Promise<void> {
    await this.patch(id, { title });
  }

  async archive(id: string, archived: boolean): Promise<void> {
    await this.patch(id, { archived });
    if (archived && this.openConversation === id) this.go({ page: "chat" });
    if (this.archived) await this.loadArchived();
  }

  private async patch(id: string, body: ChangeForm): Promise<void> {
    const path = `/conversations/${encodeURIComponent(id)}`;
    const { etag } = await this.api.tagged<Conversation>(path);
    await this.api.json("PATCH", path, { body, etag });
    await this.loadConversations();
  }

  // --- The stream -------------------------------------------------------------------------------------------------

  private receive(frame: Frame): void {
    this.apply({ is: "frame", frame, now: performance.now() });
    if (frame.kind === "live") {
      this.connection.good();
      void this.sender.wake();
    }
  }

  private apply(event: StreamEvent): void {
    const { state, tasks } = step(this.stream, event);
    this.stream = state;
    for (const task of tasks) this.doTask(task);
    this.changed();
  }

  private doTask(task: StreamTask): void {
    switch (task.do) {
      case "send":
        return this.connection.send(task.frame);
      case "reopen":
        return this.connection.reopen();
      case "fetch":
        return void this.loadThread(task.conversation, task.since);
      case "reload":
        return this.reload();
      case "hint":
        return this.hinted(task.resource);
      case "noticed":
        this.noticed(task.entry);
        return this.entryListeners.forEach((listener) => listener(task.entry));
      case "stirred":
        return this.stirred(task.conversation, task.kind);
    }
  }

  private hinted(resource: string): void {
    if (resource.startsWith("conversation")) this.soon("lists");
    if (resource === "choice") void this.choices.load(this.openConversation);
    if (resource.startsWith("inbox")) this.soon("inbox");
    if (resource.startsWith("model") || resource.startsWith("session")) void this.sessionStands().then(() => this.changed());
  }

  private stirred(conversation: string, kind: string): void {
    if (["asked", "asked_question", "answered", "stopped", "ended", "returned"].includes(kind)) this.soon("inbox");
    if (["said", "asked", "asked_question", "answered", "ended"].includes(kind)) this.soon("lists");
    const known = this.conversations.find((each) => each.id === conversation);
    const activity = kind === "ended" ? "quiet" : kind === "said" ? "running" : known?.activity;
    if (known && activity && activity !== known.activity) {
      this.conversations = this.conversations.map((each) => (each === known ? { ...known, activity } : each));
    }
  }

  private soon(what: "lists" | "inbox"): void {
    if (what === "lists") {
      clearTimeout(this.listsDue);
      this.listsDue = setTimeout(() => void this.loadConversations(), 120);
    } else {
      clearTimeout(this.inboxDue);
      this.inboxDue = setTimeout(() => void this.loadInbox(), 60);
    }
  }

  private noticed(entry: Entry): void {
    if (entry.kind === "said") this.outbox?.remove(entry.message_id);
    if (entry.kind === "ended") this.stopping.delete(entry.turn);
    if (entry.kind === "answered") {
      for (const kept of this.kept()) if (kept.act.does === "answer" && kept.act.item === entry.approval) this.outbox?.remove(kept.key);
    }
  }

  // --- Acting -----------------------------------------------------------------------------------------------------

  kept(): readonly Kept[] {
    return this.outbox?.all() ?? [];
  }

  keptOf(conversation: string | undefined): Kept[] {
    return this.kept().filter((each) => each.act.conversation === conversation);
  }

  answering(item: string): Kept | undefined {
    return this.kept().find((each) => (each.act.does === "answer" || each.act.does === "answer_question") && each.act.item === item);
  }

  /** False when it could not be written down here. */
  say(conversation: string | undefined, text: string): boolean {
    const key = freshKey();
    this.dropTold(conversation);
    if (conversation !== undefined) return this.act(key, { does: "say", conversation, text });
    const choice = this.choices.take();
    return this.act(key, { does: "say", text, conversationKey: freshKey(), ...(choice === undefined ? {} : { choice }) });
  }

  /** What Riad answered to a command goes when the next thing is said: a turn would stand above it. */
  private dropTold(conversation: string | undefined): void {
    for (const kept of this.keptOf(conversation)) if (kept.state === "answered") this.outbox?.remove(kept.key);
  }

  /** Says something in the place of a message, on a new line. False when it could not be written down here. */
  sayInstead(conversation: string, insteadOf: string, text: string, model?: string): boolean {
    return this.act(freshKey(), { does: "say", conversation, text, insteadOf, ...(model === undefined ? {} : { model }) });
  }

  /** What would stand behind a new line in the place of a message, or behind an entry. */
  async standingBehind(conversation: string, place: { instead_of: string } | { after: number }): Promise<readonly FooterRow[]> {
    const query = new URLSearchParams(Object.entries(place).map(([name, value]) => [name, String(value)]));
    const preview = await this.api.get<LinePreview>(`/conversations/${encodeURIComponent(conversation)}/lines/preview?${query}`);
    return preview.effects;
  }

  async branch(conversation: string, after: number): Promise<void> {
    const body: BranchForm = { after };
    await this.api.json("POST", `/conversations/${encodeURIComponent(conversation)}/lines`, { body, key: freshKey() });
  }

  async switchLine(conversation: string, line: number): Promise<void> {
    const body: SwitchForm = { line };
    await this.api.json("POST", `/conversations/${encodeURIComponent(conversation)}/line`, { body, key: freshKey() });
  }

  stop(conversation: string, turn: string | undefined): void {
    if (turn !== undefined) this.stopping.add(turn);
    const said = this.keptOf(conversation).findLast((each) => each.act.does === "say");
    const after = turn === undefined ? said?.key : undefined;
    // A message that has not left the device yet is taken back instead.
    if (turn === undefined && said && said.state === "waiting") return this.discard(said.key);
    this.act(freshKey(), { does: "stop", conversation, ...(turn === undefined ? {} : { turn }), ...(after === undefined ? {} : { after }) });
  }

  withdraw(conversation: string, message: string): void {
    this.act(freshKey(), { does: "withdraw", conversation, message });
  }

  answer(item: { id: string; digest: string; conversation: string }, decision: Decision, words?: string): void {
    this.cardNotes.delete(item.id);
    const said = words?.trim();
    this.act(freshKey(), {
      does: "answer",
      conversation: item.conversation,
      item: item.id,
      digest: item.digest,
      decision,
      ...(said ? { words: said } : {}),
    });
  }

  answerQuestion(item: { id: string; digest: string; conversation: string }, answers: QuestionAnswer[]): void {
    this.act(freshKey(), { does: "answer_question", conversation: item.conversation, item: item.id, digest: item.digest, answers });
  }

  retry(key: string): void {
    this.outbox?.change(key, { state: "waiting", reason: undefined });
    this.changed();
    void this.sender.wake();
  }

  discard(key: string): void {
    this.outbox?.remove(key);
    this.changed();
  }

  private act(key: string, act: Act): boolean {
    try {
      this.outbox?.add(key, act, new Date().toISOString());
    } catch {
      this.note(t("outbox.full"), true);
      return false;
    }
    this.changed();
    void this.sender.wake();
    return true;
  }

  /** Answers that have arrived leave once their item is gone from the inbox. */
  private tidyAnswers(): void {
    const waiting = new Set(this.inbox.map((item) => item.id));
    for (const kept of this.kept()) {
      const { act } = kept;
      if (kept.state === "sent" && (act.does === "answer" || act.does === "answer_question") && !waiting.has(act.item)) {
        this.outbox?.remove(kept.key);
      }
    }
  }

  /** Messages whose entry is here leave the outbox, also when it was fetched and not streamed. */
  private tidySaid(): void {
    for (const kept of this.kept()) {
      if (kept.act.does !== "say" || kept.act.conversation === undefined) continue;
      const thread = this.stream.threads.get(kept.act.conversation);
      if (thread?.entries.some((entry) => entry.kind === "said" && entry.message_id === kept.key)) this.outbox?.remove(kept.key);
    }
    this.changed();
  }

  private async perform(kept: Kept, progress: (act: Act) => void): Promise<Sent> {
    if (this.gate !== "open") return { is: "blocked" };
    const sent = await sendAct(kept, {
      api: this.api,
      start: (act) => this.startConversation(act, progress),
      turnOf: (act) => this.turnToStop(act),
    });
    if (sent.is === "stale") return this.answerRefused(sent.problem, sent.item);
    if (sent.is === "settled" && kept.act.does === "withdraw") this.note(t("steer.too_late"));
    if (sent.is === "answered" && sent.anew) {
      this.go({ page: "chat" });
      return { is: "settled" };
    }
    return sent;
  }

  private async startConversation(act: Extract<Act, { does: "say" }>, progress: (act: Act) => void): Promise<string> {
    const started = await this.api.json<Conversation>("POST", "/conversations", { body: { title: titleFrom(act.text), ...(act.choice === undefined ? {} : { choice: act.choice }) }, key: act.conversationKey ?? freshKey() });
    progress({ ...act, conversation: started.id });
    this.conversations = [started, ...this.conversations.filter((each) => each.id !== started.id)];
    // Nothing was said in it yet, so there is no past to wait for.
    this.apply({ is: "loaded", conversation: started.id, since: 0, entries: [], head: 0 });
    if (this.route.page === "chat" && this.route.conversation === undefined) this.show({ page: "chat", conversation: started.id }, "replace");
    return started.id;
  }

  private turnToStop(act: Extract<Act, { does: "stop" }>): string | undefined {
    const turn = act.turn ?? this.kept().find((each) => each.key === act.after)?.turn ?? this.latestTurn(act.conversation);
    if (turn !== undefined) this.stopping.add(turn);
    return turn;
  }

  private latestTurn(conversation: string): string | undefined {
    return this.stream.threads.get(conversation)?.entries.at(-1)?.turn;
  }

  /** The card is drawn anew from what the server says now, with a line that tells why. */
  private answerRefused(fault: Problem, item: string): Sent {
    const { who, what, when } = fault.body;
    const word = what === undefined ? "" : t(`answered.${what}` as TextKey);
    const known = fault.code === "already_answered" && who !== undefined;
    const told = known ? t("approval.already", { who, what: word, when: when === undefined ? "" : dayAndClock(when) }) : fault.sentence;
    this.cardNotes.set(item, fault.code === "digest_differs" ? t("approval.changed") : told);
    void this.loadInbox();
    return { is: "settled" };
  }
}

function latestFirst(a: Conversation, b: Conversation): number {
  return b.updated_at.localeCompare(a.updated_at);
}

export const riad = new Riad();