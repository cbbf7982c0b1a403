//! Entries as pages fold them. Kinds that a client does not know are ignored by it.

use domain::approval::{Answer, Decision};
use domain::call::Clearance;
use domain::entry::{Body, Entry, Screened};
use domain::facts::Preview;
use domain::footer::{EffectState, SideEffect};
use domain::id::ConversationId;
use domain::model::{Reply, SampleFault, StopReason, Usage};
use domain::outcome::Outcome;
use domain::result::Status;
use domain::tool::EffectClass;
use serde::Serialize;
use serde_json::Value;

use super::approval::{ApprovalCard, Card, QuestionCard, card, classes};

/// One entry with its places.
#[derive(Debug, Serialize)]
pub struct EntryView {
    number: u64,
    /// Absent where the place in the vault is not known: in a page of a conversation's entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    at: String,
    conversation: String,
    turn: String,
    #[serde(flatten)]
    fact: Fact,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Fact {
    Said {
        message_id: String,
        text: String,
    },
    Withdrawn {
        message_id: String,
    },
    Replied(Replied),
    Faltered {
        reason: String,
        attempt_again: bool,
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
    Answered(Answered),
    Started {
        call: String,
        cleared_by: &'static str,
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
        outcome: &'static str,
        sentence: String,
        next_step: &'static str,
        footer: Vec<FooterRow>,
    },
    Newer {},
}

#[derive(Debug, Serialize)]
struct Replied {
    reply_id: String,
    seen: u64,
    text: String,
    reasoning: String,
    calls: Vec<CallView>,
    stop: StopReason,
    model: String,
    usage: Usage,
}

#[derive(Debug, Serialize)]
struct CallView {
    id: String,
    tool: String,
    arguments: String,
}

#[derive(Debug, Serialize)]
struct ScreenedView {
    call: String,
    label: String,
    classes: Vec<EffectClass>,
    arguments: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Preview>,
}

#[derive(Debug, Serialize)]
struct Answered {
    approval: String,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<String>,
    surface: String,
}

#[derive(Debug, Serialize)]
struct FooterRow {
    call: String,
    tool: String,
    classes: Vec<EffectClass>,
    target: String,
    state: EffectState,
    undo: bool,
    started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
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
        Body::Said(message) => Fact::Said { message_id: message.id.to_string(), text: message.text.clone() },
        Body::Withdrawn(message) => Fact::Withdrawn { message_id: message.to_string() },
        Body::Replied(reply) => Fact::Replied(replied(reply)),
        Body::Faltered(one) => {
            Fact::Faltered { reason: fault_text(&one.fault), attempt_again: one.fault.is_passing() }
        },
        Body::Rejected { call, reason } => Fact::Rejected { call: call.to_string(), reason: reason.text() },
        Body::Screened(screened) => Fact::Screened(Box::new(screened_view(screened))),
        Body::Asked(approval) => match card(approval) {
            Card::Approval(approval) => Fact::Asked { approval },
            Card::Question(question) => Fact::AskedQuestion { question },
        },
        Body::Answered(answer) => Fact::Answered(answered(answer)),
        Body::Started { call, clearance, .. } => {
            let (cleared_by, rule) = cleared_by(clearance);
            Fact::Started { call: call.to_string(), cleared_by, rule }
        }
        Body::Returned(result) => Fact::Returned {
            call: result.call.to_string(),
            status: result.status,
            text: result.text.clone(),
            made: result.made.clone(),
        },
        Body::Resumed => Fact::Resumed {},
        Body::Stopped => Fact::Stopped {},
        Body::Ended { outcome, footer } => ended(outcome, footer),
        Body::Newer(_) => Fact::Newer {},
    }
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
        stop: said.stop,
        model: said.model.clone(),
        usage: said.usage.clone(),
    }
}

fn screened_view(screened: &Screened) -> ScreenedView {
    ScreenedView {
        call: screened.call.to_string(),
        label: screened.label.clone(),
        classes: classes(&screened.facts),
        arguments: screened.arguments.clone(),
        blocked: screened.blocked.clone(),
        preview: screened.preview.clone(),
    }
}

fn answered(answer: &Answer) -> Answered {
    let (decision, words) = decision(&answer.decision);
    Answered { approval: answer.approval.to_string(), decision, words, surface: answer.surface.clone() }
}

/// The word of a decision, and the person's words beside it.
pub fn decision(decision: &Decision) -> (&'static str, Option<String>) {
    match decision {
        Decision::Approve => ("approve", None),
        Decision::Told(words) => ("told", Some(words.clone())),
        Decision::Refuse(words) => ("refuse", words.clone()),
        Decision::RefuseAndStop => ("refuse_and_stop", None),
    }
}

fn cleared_by(clearance: &Clearance) -> (&'static str, Option<String>) {
    match clearance {
        Clearance::Class => ("class", None),
        Clearance::Rule(rule) => ("rule", Some(rule.to_string())),
        Clearance::Approval(_) => ("approval", None),
    }
}

/// The same words as at the end of a turn, which says why no model answered.
fn fault_text(fault: &SampleFault) -> String {
    Outcome::ModelUnavailable(fault.clone()).sentence()
}

fn ended(outcome: &Outcome, footer: &[SideEffect]) -> Fact {
    Fact::Ended {
        outcome: outcome_word(outcome),
        sentence: outcome.sentence(),
        next_step: outcome.next_step(),
        footer: footer.iter().map(row).collect(),
    }
}

/// The word of an outcome.
pub fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Answered => "answered",
        Outcome::Mute => "mute",
        Outcome::RoundLimit => "round_limit",
        Outcome::Overflow { .. } => "overflow",
        Outcome::Stopped => "stopped",
        Outcome::ModelUnavailable(_) => "model_unavailable",
        Outcome::Failed(_) => "failed",
    }
}

fn row(effect: &SideEffect) -> FooterRow {
    FooterRow {
        call: effect.call.to_string(),
        tool: effect.tool.to_string(),
        classes: effect.classes.iter().copied().collect(),
        target: effect.target.clone(),
        state: effect.state,
        undo: effect.undo,
        started_at: effect.started.rfc3339(),
        ended_at: effect.ended.map(domain::time::Timestamp::rfc3339),
    }
}
