//! The fold of a conversation: messages, questions, drafts.

use serde_json::json;

use super::{Activity, Conversation, QuestionState};
use crate::approval::{Answer, Approval, Decision, Kind};
use crate::call::Clearance;
use crate::compact::{Compacted, Cut, Fold, Summary, Why};
use crate::context::Item;
use crate::digest::Digest;
use crate::entry::{Body, Entry, Screened};
use crate::facts::Facts;
use crate::id::{ApprovalId, CallId, ConversationId, EntryNumber, MessageId, ReplyId, TurnId};
use crate::line::LineId;
use crate::message::{Message, Wanted};
use crate::model::{Reply, Sampled, StopReason, Usage};
use crate::outcome::Outcome;
use crate::plan::Measure;
use crate::result::{Status, ToolResult};
use crate::time::Timestamp;
use crate::tool::{EffectClass, ToolName};
use crate::turn::Turn;

/// A conversation to which facts are added one by one.
struct Log(Conversation);

impl Log {
    fn new() -> Self {
        Self(Conversation::new(ConversationId::new("c")))
    }

    fn add(&mut self, body: Body) -> &mut Self {
        let draft = self.0.draft(Timestamp(0), body);
        self.0.apply(&draft.at_number(self.0.head().next()));
        self
    }

    fn said(&mut self, id: &str) -> &mut Self {
        self.add(Body::Said(message(id)))
    }

    fn ended(&mut self) -> &mut Self {
        self.add(Body::Ended { outcome: Outcome::Answered, footer: Vec::new() })
    }

    fn live(&self) -> Option<&str> {
        self.0.live().map(|turn| turn.id().as_str())
    }
}

fn message(id: &str) -> Message {
    Message { id: MessageId::new(id), text: id.to_owned(), aside: None, short: None, wanted: Wanted::default() }
}

fn reply(seen: u64, call: Option<&str>) -> Body {
    let call = call.map(|id| crate::call::ToolCall {
        id: CallId::new(id),
        tool: ToolName::new("write"),
        arguments: "{}".to_owned(),
        fault: None,
        wire_id: None,
        recovered: false,
    });
    let (text, calls, stop) = ("Well.".to_owned(), call.into_iter().collect(), StopReason::Natural);
    let (reasoning, model, usage) = (String::new(), "m".to_owned(), Usage::default());
    let sampled = Sampled { text, reasoning, calls, stop, usage, model, signed: None };
    let (id, prefix) = (ReplyId::new("r"), Digest::of_bytes(b""));
    Body::Replied(Box::new(Reply {
        id,
        seen: EntryNumber(seen),
        prefix,
        forbidden: false,
        continues: false,
        counted: None,
        sampled,
    }))
}

const SHOWN: &[u8] = b"what was shown";

fn screened(call: &str) -> Body {
    Body::Screened(Box::new(Screened {
        call: CallId::new(call),
        arguments: json!({}),
        facts: Facts::of(EffectClass::Send),
        digest: Digest::of_bytes(SHOWN),
        label: "label".to_owned(),
        preview: None,
        hooks: Vec::new(),
        blocked: None,
        repairs: Vec::new(),
    }))
}

fn asked(call: &str) -> Body {
    Body::Asked(Box::new(Approval {
        id: ApprovalId::new("a"),
        call: CallId::new(call),
        digest: Digest::of_bytes(SHOWN),
        kind: Kind::Permission,
        tool: ToolName::new("write"),
        label: "label".to_owned(),
        facts: Facts::of(EffectClass::Send),
        arguments: json!({}),
        preview: None,
        why: "why".to_owned(),
        intent: None,
        path: Vec::new(),
    }))
}

fn answered(digest: &[u8], decision: Decision) -> Body {
    let (approval, digest) = (ApprovalId::new("a"), Digest::of_bytes(digest));
    Body::Answered(Answer { approval, digest, decision, surface: "test".to_owned(), key: None })
}

fn started(call: &str) -> Body {
    let (digest, clearance, key) = (Digest::of_bytes(SHOWN), Clearance::Class, "k".to_owned());
    Body::Started { call: CallId::new(call), digest, clearance, key }
}

fn summarised(cut: Cut) -> Body {
    let summary = Box::new(Summary::default());
    let fold = Fold::Summarised { cut, summary, prefix: Digest::of_bytes(b""), pieces: 1 };
    let (before, after, measure, model) = (9, 3, Measure::Exact, "m".to_owned());
    Body::Compacted(Box::new(Compacted { why: Why::Asked, fold, before, after, measure, model, correction: None }))
}

fn in_question() -> Log {
    let mut log = Log::new();
    log.said("m1").add(reply(1, Some("c1"))).add(screened("c1")).add(asked("c1"));
    log
}

#[test]
fn a_message_opens_a_turn_of_its_name_and_a_second_one_waits() {
    let mut log = Log::new();
    assert_eq!(log.live(), None);
    log.said("m1").said("m2").said("m1");
    assert_eq!(log.live(), Some("m1"));
    let waiting: Vec<_> =
        log.0.live().into_iter().flat_map(Turn::waiting).map(|message| message.text.as_str()).collect();
    assert_eq!(waiting, ["m2"], "the same message again waits for nothing");
    assert_eq!(log.0.entry_of(&MessageId::new("m1")), Some(EntryNumber(1)));
}

#[test]
fn what_was_never_read_opens_the_next_turn() {
    let mut log = Log::new();
    log.said("m1").said("m2").said("m3").add(reply(2, None)).ended();
    assert_eq!(log.live(), Some("m3"), "m2 was seen by the reply, m3 was not");
    log.ended();
    assert_eq!(log.live(), None);
    assert_eq!(log.0.history().len(), 4);
}

#[test]
fn a_message_that_was_taken_back_opens_nothing() {
    let mut log = Log::new();
    log.said("m1").said("m2").add(Body::Withdrawn(MessageId::new("m2"))).add(reply(1, None)).ended();
    assert_eq!(log.live(), None);
    log.said("m2");
    assert_eq!(log.live(), None, "its id stays used");
}

#[test]
fn a_question_is_pending_then_answered_then_gone() {
    let mut log = in_question();
    let id = ApprovalId::new("a");
    assert_eq!(log.0.pending().len(), 1);
    assert!(matches!(log.0.question(&id), Some(QuestionState::Pending(_))));
    assert_eq!(log.0.question(&ApprovalId::new("other")), None);

    log.add(answered(b"something else", Decision::Approve));
    assert!(matches!(log.0.question(&id), Some(QuestionState::Pending(_))), "it was about something else");
    log.add(answered(SHOWN, Decision::Refuse(None))).add(answered(SHOWN, Decision::Approve));
    let Some(QuestionState::Answered(given)) = log.0.question(&id) else { panic!("it was answered") };
    assert_eq!(given.answer.decision, Decision::Refuse(None), "the first answer stands");
    assert!(log.0.pending().is_empty());
}

#[test]
fn an_answer_that_does_not_fit_the_question_is_none() {
    let mut log = in_question();
    log.add(answered(SHOWN, Decision::Told("words".to_owned())));
    assert_eq!(log.0.pending().len(), 1);
    let state = log.0.question(&ApprovalId::new("a"));
    assert!(matches!(state, Some(QuestionState::Pending(_))), "{state:?}");
}

#[test]
fn a_question_of_a_stopped_or_ended_turn_is_gone() {
    let mut log = in_question();
    log.add(Body::Stopped);
    assert!(log.0.pending().is_empty());
    assert!(matches!(log.0.question(&ApprovalId::new("a")), Some(QuestionState::Gone(_))));
    log.ended();
    assert!(matches!(log.0.question(&ApprovalId::new("a")), Some(QuestionState::Gone(_))));
}

#[test]
fn entries_at_or_before_the_head_change_nothing() {
    let mut log = in_question();
    let head = log.0.head();
    let turn = TurnId::new("m1");
    let frame = crate::id::FrameId::outer();
    let stop = Entry { number: head, version: 1, at: Timestamp(0), turn, frame, body: Body::Stopped };
    log.0.apply(&stop);
    assert_eq!(log.0.pending().len(), 1);
}

#[test]
fn a_draft_names_the_turn_it_belongs_to() {
    let mut log = Log::new();
    assert_eq!(log.0.draft(Timestamp(0), Body::Said(message("m1"))).turn, TurnId::new("m1"));
    log.said("m1");
    assert_eq!(log.0.draft(Timestamp(0), Body::Said(message("m2"))).turn, TurnId::new("m1"));
}

#[test]
fn a_conversation_without_a_turn_is_quiet() {
    let setting = crate::turn::tests::setting();
    let mut log = Log::new();
    assert_eq!(log.0.activity(&setting), Activity::Quiet);
    log.said("m1");
    assert_eq!(log.0.activity(&setting), Activity::Running);
    log.add(reply(1, None)).ended();
    assert_eq!(log.0.activity(&setting), Activity::Quiet);
}

fn texts(log: &Log) -> Vec<String> {
    let texts = log.0.history().iter().map(|item| match item.as_ref() {
        Item::Person { text, .. } | Item::Model { text, .. } | Item::Result { text, .. } | Item::Summary { text } => {
            text.clone()
        }
    });
    texts.collect()
}

/// Two turns: `m1` is entries 1 to 3, `m2` is entries 4 to 6.
fn two_turns() -> Log {
    let mut log = Log::new();
    for message in ["m1", "m2"] {
        log.said(message);
        let seen = log.0.head().0;
        log.add(reply(seen, None)).ended();
    }
    log
}

#[test]
fn a_new_line_knows_what_stands_before_it_and_nothing_later() {
    let mut log = two_turns();
    let before = log.0.before(&MessageId::new("m2")).unwrap();
    assert_eq!(before, EntryNumber(3));
    log.add(Body::Forked { after: before });
    assert_eq!(texts(&log), ["m1", "Well."]);
    log.said("m2b").ended();
    assert_eq!(texts(&log), ["m1", "Well.", "m2b"]);
}

#[test]
fn a_line_that_is_gone_back_to_is_as_it_was_left() {
    let mut log = two_turns();
    let left = texts(&log);
    log.add(Body::Forked { after: EntryNumber(3) }).said("m2b").ended();
    let other = texts(&log);
    log.add(Body::Switched { line: LineId::default() });
    assert_eq!(texts(&log), left);
    log.add(Body::Switched { line: LineId(EntryNumber(7)) });
    assert_eq!(texts(&log), other);
}

#[test]
fn while_a_turn_runs_no_line_starts() {
    let mut log = two_turns();
    log.said("m3").add(Body::Forked { after: EntryNumber(3) });
    assert_eq!((log.live(), log.0.lines().all().len()), (Some("m3"), 1));
    assert_eq!(texts(&log), ["m1", "Well.", "m2", "Well."]);
}

#[test]
fn a_line_that_starts_before_a_fold_has_the_originals() {
    let mut log = two_turns();
    let cut = Cut { turn: TurnId::new("m2"), rounds: 0 };
    log.add(summarised(cut));
    assert_eq!(texts(&log).len(), 3, "a summary, then the second turn");
    log.add(Body::Forked { after: EntryNumber(3) });
    assert_eq!(texts(&log), ["m1", "Well."]);
    log.add(Body::Switched { line: LineId::default() });
    assert_eq!(texts(&log).len(), 3);
}

#[test]
fn what_was_done_on_another_line_is_known_until_a_message_tells_it() {
    let mut log = Log::new();
    log.said("m1").add(reply(1, Some("c1"))).add(screened("c1")).add(started("c1"));
    log.add(Body::Returned(ToolResult::new(CallId::new("c1"), Status::Done, "done"))).ended();
    assert!(log.0.done_elsewhere().is_empty());
    assert_eq!(log.0.effects_behind(EntryNumber(0)).len(), 1);
    log.add(Body::Forked { after: EntryNumber(0) });
    assert_eq!(log.0.done_elsewhere().len(), 1);
    log.said("m1b").ended();
    assert!(log.0.done_elsewhere().is_empty(), "it was told with the message");
    log.add(Body::Forked { after: EntryNumber(0) });
    assert_eq!(log.0.done_elsewhere().len(), 1, "a line before that message was not told");
}

#[test]
fn beside_another_line_all_effects_of_a_long_one_are_known() {
    let mut log = Log::new();
    log.said("m").add(Body::Forked { after: EntryNumber(0) }).ended().add(Body::Forked { after: EntryNumber(0) });
    for turn in 0..1_200 {
        let (message, call) = (format!("m{turn}"), format!("c{turn}"));
        log.said(&message);
        let seen = log.0.head().0;
        log.add(reply(seen, Some(&call))).add(screened(&call)).add(started(&call));
        log.add(Body::Returned(ToolResult::new(CallId::new(&*call), Status::Done, "done"))).ended();
    }
    assert_eq!(log.0.effects_behind(EntryNumber(0)).len(), 1_200);
    log.add(Body::Switched { line: LineId::default() });
    assert_eq!(log.0.done_elsewhere().len(), 1_200);
}
