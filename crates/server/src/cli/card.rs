//! A question to the person as the terminal shows it, and what is typed in answer. The answer is bound to the digest of
//! the card that was shown.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::terminal;

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
    Approval(Value),
    Questions(Vec<Value>),
}

impl Card {
    /// The card of an entry that asks.
    pub(super) fn of(entry: &Value) -> Option<Self> {
        let (card, is_approval) = match entry["kind"].as_str()? {
            "asked" => (&entry["approval"], true),
            "asked_question" => (&entry["question"], false),
            _ => return None,
        };
        let text = |name: &str| card[name].as_str().map(str::to_owned);
        let questions = || card["questions"].as_array().cloned().unwrap_or_default();
        let body = if is_approval { Body::Approval(card.clone()) } else { Body::Questions(questions()) };
        Some(Self { id: text("id")?, call: text("call").unwrap_or_default(), digest: text("digest")?, body })
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
            Body::Approval(card) => card["label"].as_str(),
            Body::Questions(parts) => parts.first().and_then(|part| part["text"].as_str()),
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

fn approval(text: &mut String, card: &Value, digest: &str) {
    let mut row = |name: &str, value: &str| {
        writeln!(text, "{name:<10} {}", terminal::exact(value)).expect("writing to a string cannot fail");
    };
    row("what", card["label"].as_str().unwrap_or_default());
    row("tool", card["tool"].as_str().unwrap_or_default());
    row("effect", &words(&card["classes"]).join(", "));
    row("why asked", card["why"].as_str().unwrap_or_default());
    for target in card["targets"].as_array().into_iter().flatten() {
        row("place", &place(target));
    }
    let leaves = card["leaves_machine"] == true;
    row("network", if leaves { "SOMETHING LEAVES THIS MACHINE" } else { "nothing leaves this machine" });
    row("undo", if card["undo"] == true { "can be taken back" } else { "CANNOT be taken back by itself" });
    row("digest", digest);
    if let Some(argv) = card["command"]["argv"].as_array() {
        text.push_str("command, one word a line:\n");
        argv.iter().for_each(|word| quoted(text, &format!("{:?}", word.as_str().unwrap_or_default())));
    }
    text.push_str("arguments:\n");
    json(text, &card["arguments"]);
    if let Some(diff) = card["preview"]["diff"]["diff"].as_str() {
        text.push_str("change:\n");
        quoted(text, diff);
    }
    if let Some(intent) = card["intent"].as_str().filter(|intent| !intent.is_empty()) {
        text.push_str("the assistant says of it:\n");
        quoted(text, intent);
    }
}

fn place(target: &Value) -> String {
    let there = if target["exists"] == true { "is there" } else { "not there yet" };
    let bytes = target["bytes"].as_u64().unwrap_or_default();
    let class = target["class"].as_str().unwrap_or_default();
    format!("{} ({class}, {there}, {bytes} bytes)", target["path"].as_str().unwrap_or_default())
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
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

    fn fill(&mut self, part: &Value, parts: usize, line: &str) -> Step {
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

fn question(text: &mut String, part: &Value, number: usize, of: usize) {
    if of > 1 {
        writeln!(text, "{number} of {of}").expect("writing to a string cannot fail");
    }
    quoted(text, part["text"].as_str().unwrap_or_default());
    let options = words(&part["options"]);
    for (index, option) in options.iter().enumerate() {
        writeln!(text, "  {}: {}", index + 1, terminal::exact(option)).expect("writing to a string cannot fail");
    }
    let own = options.is_empty() || part["other"] == true;
    text.push_str(match (options.is_empty(), part["many"] == true, own) {
        (true, _, _) => "your answer: ",
        (false, false, false) => "number: ",
        (false, true, false) => "numbers, with commas: ",
        (false, false, true) => "number, or your own words: ",
        (false, true, true) => "numbers with commas, or your own words: ",
    });
}

/// The answer to one part; nothing where it does not fit.
fn part_answer(part: &Value, line: &str) -> Option<Value> {
    let options = words(&part["options"]).len();
    let numbers: Option<Vec<usize>> = line.split(',').map(|number| number.trim().parse().ok()).collect();
    let fit = |numbers: &Vec<usize>| numbers.iter().all(|number| (1..=options).contains(number));
    match numbers.filter(|_| options > 0) {
        Some(numbers) if fit(&numbers) && (numbers.len() == 1 || part["many"] == true) => {
            let chosen: Vec<usize> = numbers.iter().map(|number| number - 1).collect();
            Some(json!({ "options": chosen }))
        }
        _ if (options == 0 || part["other"] == true) && !line.is_empty() => Some(json!({ "words": line })),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
