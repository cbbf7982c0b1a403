//! Questions to a person as cards show them: host facts first, in full.

use domain::approval::{Approval, Kind};
use domain::facts::{Content, Facts, Preview};
use domain::question::Question;
use domain::tool::EffectClass;
use serde::Serialize;
use serde_json::Value;

/// A card for one exact call.
#[derive(Debug, Serialize)]
pub struct ApprovalCard {
    id: String,
    call: String,
    digest: String,
    tool: String,
    label: String,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<String>,
    classes: Vec<EffectClass>,
    arguments: Value,
    targets: Vec<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    leaves_machine: bool,
    undo: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Preview>,
}

#[derive(Debug, Serialize)]
struct Target {
    path: String,
    class: EffectClass,
    exists: bool,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Command {
    argv: Vec<String>,
    quiet: bool,
}

/// A card that asks for words.
#[derive(Debug, Serialize)]
pub struct QuestionCard {
    id: String,
    call: String,
    digest: String,
    questions: Vec<Question>,
}

/// One of the two cards.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Card {
    /// Asks for a yes.
    Approval(Box<ApprovalCard>),
    /// Asks for words.
    Question(QuestionCard),
}

/// The card of a question.
pub fn card(approval: &Approval) -> Card {
    match approval.kind {
        Kind::Permission => Card::Approval(Box::new(permission(approval))),
        Kind::Question => Card::Question(QuestionCard {
            id: approval.id.to_string(),
            call: approval.call.to_string(),
            digest: approval.digest.hex(),
            questions: Question::asked(approval),
        }),
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
        classes: classes(facts),
        arguments: approval.arguments.clone(),
        targets: targets(facts),
        command: facts.command.as_ref().map(|command| Command { argv: command.argv.clone(), quiet: command.quiet }),
        leaves_machine: facts.classes.contains(&EffectClass::Send),
        undo: facts.undo,
        preview: approval.preview.clone(),
    }
}

/// The effect classes in order.
pub fn classes(facts: &Facts) -> Vec<EffectClass> {
    facts.classes.iter().copied().collect()
}

fn targets(facts: &Facts) -> Vec<Target> {
    let target = |path: &domain::facts::PathFact| Target {
        path: path.path.clone(),
        class: path.class,
        exists: path.now != Content::Absent,
        bytes: path.bytes,
    };
    facts.paths.iter().map(target).collect()
}
