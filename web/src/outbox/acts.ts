// How each kind of act is sent, and what its refusal means for the outbox.

import { Problem, type Api } from "../api.ts";
import type { Act, Kept } from "./outbox.ts";
import type { Sent } from "./sender.ts";
import type { AnswerForm, CommandAnswer, MessageTaken, SayForm, StopForm } from "../wire.ts";

type Said = Extract<Act, { does: "say" }>;
type Stop = Extract<Act, { does: "stop" }>;

export interface ActParts {
  readonly api: Api;
  /** Begins the conversation of a first message. */
  readonly start: (act: Said) => Promise<string>;
  /** The turn that a stop means, as soon as it is known. */
  readonly turnOf: (act: Stop) => string | undefined;
}

/** The question behind an answer is over or another one by now. */
export interface Stale {
  readonly is: "stale";
  readonly item: string;
  readonly problem: Problem;
}

export async function sendAct(kept: Kept, parts: ActParts): Promise<Sent | Stale> {
  try {
    return await send(kept, parts);
  } catch (fault) {
    return becauseOf(fault, kept.act);
  }
}

async function send({ key, act }: Kept, { api, start, turnOf }: ActParts): Promise<Sent> {
  switch (act.does) {
    case "say": {
      const conversation = act.conversation ?? (await start(act));
      const body: SayForm = {
        text: act.text,
        ...(act.insteadOf === undefined ? {} : { instead_of: act.insteadOf }),
        ...(act.model === undefined ? {} : { model: act.model }),
      };
      const said = await api.json<MessageTaken | CommandAnswer>("POST", `${place(conversation)}/messages`, { body, key });
      if ("command" in said) return { is: "answered", reason: told(said), act: { ...act, conversation }, anew: said.act === "new" };
      return { is: "done", turn: said.turn, act: { ...act, conversation } };
    }
    case "stop": {
      const turn = turnOf(act);
      if (turn === undefined) return { is: "settled" };
      const body: StopForm = { turn };
      await api.json("POST", `${place(act.conversation)}/stop`, { body, key });
      return { is: "done" };
    }
    case "withdraw":
      await api.json("DELETE", `${place(act.conversation)}/messages/${encodeURIComponent(act.message)}`, {});
      return { is: "done" };
    case "answer": {
      const { digest, decision, words } = act;
      const body: AnswerForm = { digest, decision, surface: "web", words };
      await api.json("POST", answerOf(act.item), { body, key });
      return { is: "done" };
    }
    case "answer_question": {
      const only = act.answers.length === 1 ? act.answers[0] : undefined;
      const { digest, answers } = act;
      const body: AnswerForm = only ? { digest, options: only.options, words: only.words } : { digest, answers };
      await api.json("POST", answerOf(act.item), { body, key });
      return { is: "done" };
    }
  }
}

/** What Riad itself answers to a command, line by line. */
function told(answer: CommandAnswer): string {
  return [answer.says, ...answer.rows.map((row) => `${row.name}: ${row.says}`)].join("\n");
}

function place(conversation: string): string {
  return `/conversations/${encodeURIComponent(conversation)}`;
}

function answerOf(item: string): string {
  return `/inbox/${encodeURIComponent(item)}/answer`;
}

function becauseOf(fault: unknown, act: Act): Sent | Stale {
  if (!(fault instanceof Problem)) return { is: "later" };
  if (fault.status === 401 || fault.status === 423) return { is: "blocked" };
  if (fault.status === 507) return { is: "refused", reason: fault.sentence };
  if (fault.status === 429 || fault.status === 503 || fault.code === "still_working") {
    return { is: "later", afterMs: (fault.body.retry_after ?? 1) * 1000 };
  }
  if (fault.status >= 500) return { is: "later" };
  switch (act.does) {
    case "answer":
    case "answer_question":
      return { is: "stale", item: act.item, problem: fault };
    case "stop":
    case "withdraw":
      // Too late is no failure: the turn is over, or the message was read.
      return { is: "settled" };
    case "say":
      return { is: "refused", reason: fault.sentence };
  }
}

const TITLE_LETTERS = 60;

/** The first words of a message, as the name of a conversation until somebody gives a better one. */
export function titleFrom(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, " ").replace(/\s+/g, " ").trim();
  const letters = [...line];
  return letters.length <= TITLE_LETTERS ? line : `${letters.slice(0, TITLE_LETTERS).join("").replace(/\s+\S*$/, "")}…`;
}
