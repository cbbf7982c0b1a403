//! Questions to a person as cards show them: host facts first, in full.

use domain::approval::{Approval, Kind};
use domain::facts::{Content, Facts};
use domain::question::Question;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::word::EffectClass;

/// A card for one exact call.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Approval", optional_fields))]
pub struct ApprovalCard {
    pub(crate) id: String,
    pub(crate) call: String,
    pub(crate) digest: String,
    pub(crate) tool: String,
    pub(crate) label: String,
    pub(crate) why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) intent: Option<String>,
    /// The profiles at work where it is asked, the outer one first; empty where the turn itself asks.
    pub(crate) path: Vec<String>,
    pub(crate) classes: Vec<EffectClass>,
    #[cfg_attr(test, ts(type = "unknown"))]
    pub(crate) arguments: Value,
    pub(crate) targets: Vec<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<Command>,
    pub(crate) leaves_machine: bool,
    pub(crate) undo: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<PreviewView>,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Target {
    pub(crate) path: String,
    pub(crate) class: EffectClass,
    pub(crate) exists: bool,
    pub(crate) bytes: u64,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Command {
    pub(crate) argv: Vec<String>,
    pub(crate) quiet: bool,
}

/// What would change.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Preview"))]
#[serde(rename_all = "snake_case")]
pub enum PreviewView {
    /// A change of text.
    Diff {
        /// The place.
        path: String,
        /// Unified diff, 3 lines of context.
        diff: String,
    },
    /// A program as its parts.
    Command {
        /// Program and arguments.
        argv: Vec<String>,
    },
}

/// A card that asks for words.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Question"))]
pub struct QuestionCard {
    pub(crate) id: String,
    pub(crate) call: String,
    pub(crate) digest: String,
    /// The profiles at work where it is asked, the outer one first; empty where the turn itself asks.
    pub(crate) path: Vec<String>,
    pub(crate) questions: Vec<QuestionPart>,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct QuestionPart {
    pub(crate) text: String,
    pub(crate) options: Vec<String>,
    /// Whether more than one option may be chosen.
    pub(crate) many: bool,
    /// Whether words of one's own are an answer.
    pub(crate) other: bool,
}

/// One of the two cards.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Card {
    /// Asks for a yes.
    Approval {
        /// About what.
        approval: Box<ApprovalCard>,
    },
    /// Asks for words.
    Question {
        /// About what.
        question: QuestionCard,
    },
}

/// All that waits for the person.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Inbox {
    /// Oldest first.
    pub items: Vec<InboxItem>,
}

/// A card with the conversation in which it was asked.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct InboxItem {
    /// By which it is answered.
    pub id: String,
    /// Where it was asked.
    pub conversation: String,
    /// The title of that.
    pub conversation_title: String,
    /// When.
    pub asked_at: String,
    /// The card.
    #[serde(flatten)]
    pub card: Card,
}

/// The card of a question.
pub fn card(approval: &Approval) -> Card {
    match approval.kind {
        Kind::Permission => Card::Approval { approval: Box::new(permission(approval)) },
        Kind::Question => Card::Question { question: question(approval) },
    }
}

fn question(approval: &Approval) -> QuestionCard {
    QuestionCard {
        id: approval.id.to_string(),
        call: approval.call.to_string(),
        digest: approval.digest.hex(),
        path: approval.path.clone(),
        questions: Question::asked(approval).into_iter().map(QuestionPart::from).collect(),
    }
}

fn permission(approval: &Approval) -> ApprovalCard {
    let facts = &approval.facts;
    ApprovalCard {
        id: approval.id.to_string(),
        call: approval.call.to_string(),
        digest: approval.digest.hex(),
        tool: approval.tool.to_string(),
        label: approval.label.clone(),
        why: approval.why.clone(),
        intent: approval.intent.clone(),
        path: approval.path.clone(),
        classes: classes(facts),
        arguments: approval.arguments.clone(),
        targets: targets(facts),
        command: facts.command.as_ref().map(|command| Command { argv: command.argv.clone(), quiet: command.quiet }),
        leaves_machine: facts.classes.contains(&domain::tool::EffectClass::Send),
        undo: facts.undo,
        preview: approval.preview.as_ref().map(PreviewView::from),
    }
}

/// The effect classes in order.
pub fn classes(facts: &Facts) -> Vec<EffectClass> {
    facts.classes.iter().copied().map(EffectClass::from).collect()
}

fn targets(facts: &Facts) -> Vec<Target> {
    let target = |path: &domain::facts::PathFact| Target {
        path: path.path.clone(),
        class: path.class.into(),
        exists: path.now != Content::Absent,
        bytes: path.bytes,
    };
    facts.paths.iter().map(target).collect()
}

impl From<Question> for QuestionPart {
    fn from(Question { text, options, many, other }: Question) -> Self {
        Self { text, options, many, other }
    }
}

impl From<&domain::facts::Preview> for PreviewView {
    fn from(preview: &domain::facts::Preview) -> Self {
        match preview {
            domain::facts::Preview::Diff { path, diff } => Self::Diff { path: path.clone(), diff: diff.clone() },
            domain::facts::Preview::Command { argv } => Self::Command { argv: argv.clone() },
        }
    }
}
