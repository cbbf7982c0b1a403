//! A question to the person as the terminal shows it, and what is typed in answer. The answer is bound to the digest of
//! the card that was shown.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::terminal;
use crate::wire::approval::{ApprovalCard, PreviewView, QuestionCard, QuestionPart, Target};

/// What is typed so soon after a card appears was not meant for it (UI-44).
const SETTLE: Duration = Duration::from_millis(500);

/// One card.
#[derive(Debug, Clone)]
pub(super) struct Card {
    /// The item in the inbox.
    pub(super) id: String,
    /// The call that it is about.
    pub(super) call: String,
    digest: String,
    body: Body,
}

#[derive(Debug, Clone)]
enum Body {
    Approval(Box<ApprovalCard>),
    Questions(Vec<QuestionPart>),
}

impl Card {
    /// The card that asks for a yes.
    pub(super) fn approval(card: &ApprovalCard) -> Self {
        let ApprovalCard { id, call, digest, .. } = card.clone();
        Self { id, call, digest, body: Body::Approval(Box::new(card.clone())) }
    }

    /// The card that asks for words.
    pub(super) fn question(card: &QuestionCard) -> Self {
        let QuestionCard { id, call, digest, questions, .. } = card.clone();
        Self { id, call, digest, body: Body::Questions(questions) }
    }

    /// `approval` or `question`.
    pub(super) fn kind(&self) -> &'static str {
        match self.body {
            Body::Approval(_) => "approval",
            Body::Questions(_) => "question",
        }
    }

    /// What it is about, on one line.
    pub(super) fn label(&self) -> String {
        let label = match &self.body {
            Body::Approval(card) => Some(card.label.as_str()),
            Body::Questions(parts) => parts.first().map(|part| part.text.as_str()),
        };
        terminal::exact(label.unwrap_or_default())
    }

    /// All of it: host facts first, then every argument uncut, the change, and last what the model says of it, quoted.
    /// Each line that is not Riad's own stands behind a bar.
    pub(super) fn text(&self) -> String {
        let mut text = format!("\n== Riad asks ({} {}) ==\n", self.kind(), terminal::exact(&self.id));
        match &self.body {
            Body::Approval(card) => approval(&mut text, card, &self.digest),
            Body::Questions(_) => text.push_str("The assistant asks you:\n"),
        }
        text
    }
}

fn approval(text: &mut String, card: &ApprovalCard, digest: &str) {
    let mut row = |name: &str, value: &str| {
        writeln!(text, "{name:<10} {}", terminal::exact(value)).expect("writing to a string cannot fail");
    };
    row("what", &card.label);
    row("tool", &card.tool);
    row("effect", &card.classes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    row("why asked", &card.why);
    for target in &card.targets {
        row("place", &place(target));
    }
    row("network", if card.leaves_machine { "SOMETHING LEAVES THIS MACHINE" } else { "nothing leaves this machine" });
    row("undo", if card.undo { "can be taken back" } else { "CANNOT be taken back by itself" });
    row("digest", digest);
    if let Some(command) = &card.command {
        text.push_str("command, one word a line:\n");
        command.argv.iter().for_each(|word| quoted(text, &format!("{word:?}")));
    }
    text.push_str("arguments:\n");
    json(text, &card.arguments);
    match &card.preview {
        Some(PreviewView::Diff { diff, .. }) => {
            text.push_str("change:\n");
            quoted(text, diff);
        }
        Some(PreviewView::Command { .. }) | None => {}
    }
    if let Some(intent) = card.intent.as_deref().filter(|intent| !intent.is_empty()) {
        text.push_str("the assistant says of it:\n");
        quoted(text, intent);
    }
}

fn place(target: &Target) -> String {
    let there = if target.exists { "is there" } else { "not there yet" };
    format!("{} ({}, {there}, {} bytes)", target.path, target.class, target.bytes)
}

/// Foreign text, each line behind a bar, so that none looks like a line of ours.
pub(super) fn quoted(text: &mut String, foreign: &str) {
    for line in foreign.split('\n') {
        writeln!(text, "  | {}", terminal::exact(line)).expect("writing to a string cannot fail");
    }
}

/// JSON over several lines. Its own blanks before a line are not foreign: inside a text no line ends.
fn json(text: &mut String, value: &Value) {
    for line in format!("{value:#}").lines() {
        let inner = line.trim_start_matches(' ');
        let indent = " ".repeat(line.len() - inner.len());
        writeln!(text, "  | {indent}{}", terminal::exact(inner)).expect("writing to a string cannot fail");
    }
}

/// A card that was shown and waits for what is typed.
pub(super) struct Asking {
    /// The card.
    pub(super) card: Card,
    shown: Instant,
    given: Vec<Value>,
}

/// What comes of a typed line.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// Not understood, or too soon: says so.
    Again(&'static str),
    /// The next part of the question.
    More,
    /// The answer to send.
    Send(Value),
}

impl Asking {
    /// The card appears now.
    pub(super) fn show(card: Card) -> Self {
        Self { card, shown: Instant::now(), given: Vec::new() }
    }

    /// What to type.
    pub(super) fn prompt(&self) -> String {
        match &self.card.body {
            Body::Approval(_) => "approve, refuse [why], or stop? ".to_owned(),
            Body::Questions(parts) => {
                let mut text = String::new();
                if let Some(part) = parts.get(self.given.len()) {
                    question(&mut text, part, self.given.len() + 1, parts.len());
                }
                text
            }
        }
    }

    /// Takes a typed line.
    pub(super) fn take(&mut self, line: &str) -> Step {
        if self.shown.elapsed() < SETTLE {
            return Step::Again("That came too soon after the card. Read it, then answer.");
        }
        match &self.card.body {
            Body::Approval(_) => self.decide(line),
            Body::Questions(parts) => match parts.get(self.given.len()).cloned() {
                Some(part) => self.fill(&part, parts.len(), line),
                None => self.decide(line),
            },
        }
    }

    fn decide(&self, line: &str) -> Step {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let decision = match word.to_ascii_lowercase().as_str() {
            "approve" | "yes" if rest.is_empty() => "approve",
            "refuse" | "no" => "refuse",
            "stop" if rest.is_empty() => "refuse_and_stop",
            _ => return Step::Again("Type approve (or yes), refuse (or no) with or without your reason, or stop."),
        };
        let mut body = json!({ "digest": self.card.digest, "decision": decision, "surface": "cli" });
        if !rest.trim().is_empty() {
            body["words"] = rest.trim().into();
        }
        Step::Send(body)
    }

    fn fill(&mut self, part: &QuestionPart, parts: usize, line: &str) -> Step {
        let Some(answer) = part_answer(part, line.trim()) else {
            return Step::Again(
                "Type the number of an option (several with commas where that is offered), or words where they are offered.",
            );
        };
        self.given.push(answer);
        if self.given.len() < parts {
            return Step::More;
        }
        Step::Send(json!({ "digest": self.card.digest, "answers": self.given, "surface": "cli" }))
    }
}

fn question(text: &mut String, part: &QuestionPart, number: usize, of: usize) {
    if of > 1 {
        writeln!(text, "{number} of {of}").expect("writing to a string cannot fail");
    }
    quoted(text, &part.text);
    for (index, option) in part.options.iter().enumerate() {
        writeln!(text, "  {}: {}", index + 1, terminal::exact(option)).expect("writing to a string cannot fail");
    }
    text.push_str(match (part.options.is_empty(), part.many, part.other) {
        (true, _, _) => "your answer: ",
        (false, false, false) => "number: ",
        (false, true, false) => "numbers, with commas: ",
        (false, false, true) => "number, or your own words: ",
        (false, true, true) => "numbers with commas, or your own words: ",
    });
}

/// The answer to one part; nothing where it does not fit.
fn part_answer(part: &QuestionPart, line: &str) -> Option<Value> {
    let options = part.options.len();
    let numbers: Option<Vec<usize>> = line.split(',').map(|number| number.trim().parse().ok()).collect();
    let fit = |numbers: &Vec<usize>| numbers.iter().all(|number| (1..=options).contains(number));
    match numbers.filter(|_| options > 0) {
        Some(numbers) if fit(&numbers) && (numbers.len() == 1 || part.many) => {
            let chosen: Vec<usize> = numbers.iter().map(|number| number - 1).collect();
            Some(json!({ "options": chosen }))
        }
        Some(_) | None => ((options == 0 || part.other) && !line.is_empty()).then(|| json!({ "words": line })),
    }
}

#[cfg(test)]
mod tests;
