//! Entries as pages fold them. Kinds that a client does not know are ignored by it.

use std::fmt;

use domain::approval::{Answer, Decision};
use domain::call::Clearance;
use domain::compact::{Compacted, Fold};
use domain::delegate::Mode;
use domain::entry::{Body, Entry, Screened};
use domain::footer::SideEffect;
use domain::id::ConversationId;
use domain::model::{Reply, SampleFault};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::approval::{ApprovalCard, Card, PreviewView, QuestionCard, card, classes};
use super::usage::UsageView;
use super::word::{EffectClass, EffectState, Outcome, Status, StopReason};

/// One entry with its places.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Entry", optional_fields))]
pub struct EntryView {
    pub(crate) number: u64,
    /// Absent where the place in the vault is not known: in a page of a conversation's entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seq: Option<u64>,
    pub(crate) at: String,
    pub(crate) conversation: String,
    pub(crate) turn: String,
    /// The call whose delegate recorded it; absent for what the turn itself did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) frame: Option<String>,
    #[serde(flatten, deserialize_with = "known_or_newer")]
    pub(crate) fact: Fact,
}

#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Fact {
    Said {
        message_id: String,
        text: String,
        /// What was typed, where that was a command from a file; `text` is what it stands for.
        #[serde(skip_serializing_if = "Option::is_none")]
        short: Option<String>,
    },
    Withdrawn {
        message_id: String,
    },
    Replied(Replied),
    Faltered {
        model: String,
        reason: String,
        attempt_again: bool,
    },
    Held {
        sentence: String,
        next_step: String,
    },
    Rejected {
        call: String,
        reason: String,
    },
    Screened(Box<ScreenedView>),
    Asked {
        approval: Box<ApprovalCard>,
    },
    AskedQuestion {
        question: QuestionCard,
    },
    Answered(AnswerView),
    Started {
        call: String,
        cleared_by: ClearedBy,
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
    },
    Returned {
        call: String,
        status: Status,
        text: String,
        made: Vec<String>,
    },
    Resumed {},
    Stopped {},
    Ended {
        outcome: Outcome,
        sentence: String,
        next_step: String,
        footer: Vec<FooterRow>,
    },
    Compacted(CompactedView),
    CompactionAsked {},
    Forked {
        after: u64,
    },
    Switched {
        line: u64,
    },
    /// A delegate begins to work for the call that the entry's `frame` names.
    Opened {
        profile: String,
        /// The profiles at work, the outer one first.
        path: Vec<String>,
        model: String,
        task: String,
        background: bool,
    },
    Newer {},
}

/// A marker at the place of a fold: what the model reads of what stands above it.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Compacted", optional_fields))]
pub(crate) struct CompactedView {
    what: Folded,
    sentence: String,
    /// The record that stands for what is above, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    tokens_before: u32,
    tokens_after: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Folded {
    Demoted,
    Summarised,
    Unchanged,
}

#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Replied {
    pub(crate) reply_id: String,
    pub(crate) seen: u64,
    pub(crate) text: String,
    pub(crate) reasoning: String,
    pub(crate) calls: Vec<CallView>,
    pub(crate) stop: StopReason,
    pub(crate) model: String,
    pub(crate) usage: UsageView,
}

#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "WrittenCall"))]
pub(crate) struct CallView {
    id: String,
    tool: String,
    arguments: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Screened", optional_fields))]
pub(crate) struct ScreenedView {
    pub(crate) call: String,
    pub(crate) label: String,
    pub(crate) classes: Vec<EffectClass>,
    #[cfg_attr(test, ts(type = "unknown"))]
    pub(crate) arguments: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) blocked: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<PreviewView>,
}

/// What was answered: a decision, or words to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// Yes, this call.
    Approve,
    /// Words to a question.
    Told,
    /// No.
    Refuse,
    /// No, and stop.
    RefuseAndStop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClearedBy {
    Class,
    Rule,
    Approval,
}

#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Answer", optional_fields))]
pub(crate) struct AnswerView {
    pub(crate) approval: String,
    pub(crate) decision: Answered,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) words: Option<String>,
    pub(crate) surface: String,
}

/// One side effect as it stands at the end of its turn.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct FooterRow {
    pub(crate) call: String,
    pub(crate) tool: String,
    pub(crate) classes: Vec<EffectClass>,
    pub(crate) target: String,
    pub(crate) state: EffectState,
    pub(crate) undo: bool,
    pub(crate) started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<String>,
}

/// A kind of fact, or a word in one, that this release does not know makes a newer one of it. Its entry has its place.
fn known_or_newer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Fact, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Read {
        Known(Box<Fact>),
        Newer {},
    }
    Ok(match Read::deserialize(deserializer)? {
        Read::Known(fact) => *fact,
        Read::Newer {} => Fact::Newer {},
    })
}

impl EntryView {
    /// The view of an entry.
    pub fn new(conversation: &ConversationId, seq: Option<u64>, entry: &Entry) -> Self {
        Self {
            number: entry.number.0,
            seq,
            at: entry.at.rfc3339(),
            conversation: conversation.to_string(),
            turn: entry.turn.to_string(),
            frame: entry.frame.call().map(str::to_owned),
            fact: fact(&entry.body),
        }
    }
}

/// The word of an entry's kind: that of its fact, but for questions, which are drawn unlike approvals.
pub fn kind(body: &Body) -> &'static str {
    let is_question = matches!(body, Body::Asked(approval) if approval.kind == domain::approval::Kind::Question);
    if is_question { "asked_question" } else { body.kind() }
}

fn fact(body: &Body) -> Fact {
    match body {
        Body::Said(message) => {
            Fact::Said { message_id: message.id.to_string(), text: message.text.clone(), short: message.short.clone() }
        }
        Body::Withdrawn(message) => Fact::Withdrawn { message_id: message.to_string() },
        Body::Replied(reply) => Fact::Replied(replied(reply)),
        Body::Faltered(one) => {
            let (model, reason) = (one.model.clone(), fault_text(&one.fault));
            Fact::Faltered { model, reason, attempt_again: one.fault.is_passing() }
        }
        Body::Held(held) => Fact::Held { sentence: held.sentence(), next_step: held.next_step().to_owned() },
        Body::Rejected { call, reason } => Fact::Rejected { call: call.to_string(), reason: reason.text() },
        Body::Screened(screened) => Fact::Screened(Box::new(screened_view(screened))),
        Body::Asked(approval) => match card(approval) {
            Card::Approval { approval } => Fact::Asked { approval },
            Card::Question { question } => Fact::AskedQuestion { question },
        },
        Body::Answered(answer) => Fact::Answered(answered(answer)),
        Body::Started { call, clearance, .. } => {
            let (cleared_by, rule) = cleared_by(clearance);
            Fact::Started { call: call.to_string(), cleared_by, rule }
        }
        Body::Returned(result) => Fact::Returned {
            call: result.call.to_string(),
            status: result.status.into(),
            text: result.text.clone(),
            made: result.made.clone(),
        },
        Body::Resumed => Fact::Resumed {},
        Body::Stopped => Fact::Stopped {},
        Body::Ended { outcome, footer } => ended(outcome, footer),
        Body::Compacted(compacted) => Fact::Compacted(compacted_view(compacted)),
        Body::CompactionAsked => Fact::CompactionAsked {},
        Body::Forked { after } => Fact::Forked { after: after.0 },
        Body::Switched { line } => Fact::Switched { line: line.0.0 },
        Body::Opened(opened) => Fact::Opened {
            profile: opened.profile.clone(),
            path: opened.path.clone(),
            model: opened.model.clone(),
            task: opened.task.clone(),
            background: opened.mode == Mode::Background,
        },
        Body::Newer(_) => Fact::Newer {},
    }
}

fn compacted_view(compacted: &Compacted) -> CompactedView {
    let (what, summary) = match &compacted.fold {
        Fold::Demoted(_) => (Folded::Demoted, None),
        Fold::Summarised { summary, .. } => (Folded::Summarised, Some(summary.text())),
        Fold::Unchanged(_) => (Folded::Unchanged, None),
    };
    let (tokens_before, tokens_after) = (compacted.before, compacted.after);
    CompactedView { what, sentence: compacted.sentence(), summary, tokens_before, tokens_after }
}

fn replied(reply: &Reply) -> Replied {
    let said = &reply.sampled;
    let view = |call: &domain::call::ToolCall| CallView {
        id: call.id.to_string(),
        tool: call.tool.to_string(),
        arguments: call.arguments.clone(),
    };
    Replied {
        reply_id: reply.id.to_string(),
        seen: reply.seen.0,
        text: said.text.clone(),
        reasoning: said.reasoning.clone(),
        calls: said.calls.iter().map(view).collect(),
        stop: said.stop.into(),
        model: said.model.clone(),
        usage: UsageView::from(&said.usage),
    }
}

fn screened_view(screened: &Screened) -> ScreenedView {
    ScreenedView {
        call: screened.call.to_string(),
        label: screened.label.clone(),
        classes: classes(&screened.facts),
        arguments: screened.arguments.clone(),
        blocked: screened.blocked.clone(),
        preview: screened.preview.as_ref().map(PreviewView::from),
    }
}

fn answered(answer: &Answer) -> AnswerView {
    let (decision, words) = decision(&answer.decision);
    AnswerView { approval: answer.approval.to_string(), decision, words, surface: answer.surface.clone() }
}

/// The word of a decision, and the person's words beside it.
pub fn decision(decision: &Decision) -> (Answered, Option<String>) {
    match decision {
        Decision::Approve => (Answered::Approve, None),
        Decision::Told(words) => (Answered::Told, Some(words.clone())),
        Decision::Refuse(words) => (Answered::Refuse, words.clone()),
        Decision::RefuseAndStop => (Answered::RefuseAndStop, None),
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Serde writes the word of a variant.
        self.serialize(f)
    }
}

fn cleared_by(clearance: &Clearance) -> (ClearedBy, Option<String>) {
    match clearance {
        Clearance::Class => (ClearedBy::Class, None),
        Clearance::Rule(rule) => (ClearedBy::Rule, Some(rule.to_string())),
        Clearance::Approval(_) => (ClearedBy::Approval, None),
    }
}

/// The same words as at the end of a turn, which says why no model answered.
fn fault_text(fault: &SampleFault) -> String {
    format!("The model did not answer: {}.", domain::outcome::why(fault))
}

fn ended(outcome: &domain::outcome::Outcome, footer: &[SideEffect]) -> Fact {
    Fact::Ended {
        outcome: outcome.into(),
        sentence: outcome.sentence(),
        next_step: outcome.next_step().to_owned(),
        footer: footer.iter().map(row).collect(),
    }
}

/// The row of a side effect.
pub(super) fn row(effect: &SideEffect) -> FooterRow {
    FooterRow {
        call: effect.call.to_string(),
        tool: effect.tool.to_string(),
        classes: effect.classes.iter().copied().map(EffectClass::from).collect(),
        target: effect.target.clone(),
        state: effect.state.into(),
        undo: effect.undo,
        started_at: effect.started.rfc3339(),
        ended_at: effect.ended.map(domain::time::Timestamp::rfc3339),
    }
}
