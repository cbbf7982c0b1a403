//! `recall`: what was said or came back earlier in this conversation and is shown shorter now. It reads the journal
//! through its port and nothing else; a summary or a shortened view names the ids.

use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::entry::{Body, Entry};
use domain::facts::{Appraisal, Facts};
use domain::id::EntryNumber;
use domain::tool::{EffectClass, Replay};
use harness::ports::{Journal, Ran, Scope};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::erase::TypedTool;

/// Letters of one numbered line; a longer line of the text is several.
const LINE_LETTERS: usize = 400;
/// Lines that are shown when no number is given, and letters of an answer.
const LINES: usize = 120;
const LETTERS: usize = 8_000;
/// Lines that a search shows.
const FOUND: usize = 30;

/// Read again what was said or returned earlier in this conversation and is shown shorter or only summarised now. Give
/// the id that stands there, then lines or words to look for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recall {
    /// The id of a result or of a message.
    #[schemars(length(min = 1, max = 200))]
    id: String,
    /// The first line, counted from 1.
    #[serde(default)]
    from: Option<usize>,
    /// How many lines.
    #[serde(default)]
    lines: Option<usize>,
    /// Show only lines that hold these words.
    #[serde(default)]
    search: Option<String>,
}

/// The tool.
pub(crate) struct Tool(pub(crate) Arc<dyn Journal>);

#[async_trait]
impl TypedTool for Tool {
    type Input = Recall;
    const NAME: &'static str = "recall";
    const REPLAY: Replay = Replay::Again;
    const PARALLEL: bool = true;

    async fn appraise(&self, input: Recall, _: &Scope) -> Result<Appraisal, String> {
        let id: String = input.id.chars().filter(|letter| !letter.is_control()).take(80).collect();
        Ok(Appraisal { facts: Facts::of(EffectClass::Read), label: format!("Recall {id}"), preview: None })
    }

    async fn run(&self, input: Recall, _: &ClearedCall, scope: &Scope) -> Ran {
        let entries = match self.0.load(&scope.conversation, EntryNumber::default()).await {
            Ok(entries) => entries,
            Err(fault) => return Ran::failed(format!("The conversation could not be read: {fault}. Try again.")),
        };
        match original(&entries, &input.id) {
            Some(text) => Ran::done(show(text, &input)),
            None => Ran::failed(format!(
                "Nothing in this conversation has the id {}. Use an id that stands at a shortened text.",
                input.id
            )),
        }
    }
}

/// The whole text of a result or of a message.
fn original<'a>(entries: &'a [Entry], id: &str) -> Option<&'a str> {
    entries.iter().find_map(|entry| {
        if let Body::Returned(result) = &entry.body {
            return (result.call.as_str() == id).then_some(result.text.as_str());
        }
        let Body::Said(message) = &entry.body else { return None };
        (message.id.as_str() == id).then_some(message.text.as_str())
    })
}

fn show(text: &str, input: &Recall) -> String {
    let lines = wrapped(text);
    match input.search.as_deref().map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => search(&lines, words),
        None => range(&lines, input.from.unwrap_or(1).max(1), input.lines.unwrap_or(LINES).max(1)),
    }
}

/// The lines of a text; one that is too long to be shown at once is several.
fn wrapped(text: &str) -> Vec<String> {
    let pieces = |line: &str| -> Vec<String> {
        let letters: Vec<char> = line.chars().collect();
        letters.chunks(LINE_LETTERS).map(|piece| piece.iter().collect()).collect()
    };
    text.lines().flat_map(|line| if line.is_empty() { vec![String::new()] } else { pieces(line) }).collect()
}

fn range(lines: &[String], from: usize, count: usize) -> String {
    if from > lines.len() {
        return format!("There are only {} lines.", lines.len());
    }
    let mut shown = String::new();
    let mut next = from;
    for line in &lines[from - 1..lines.len().min((from - 1).saturating_add(count))] {
        if shown.chars().count() + line.chars().count() > LETTERS {
            break;
        }
        number(&mut shown, next, line);
        next += 1;
    }
    let end = if next > lines.len() { "that is the end".to_owned() } else { format!("go on from {next}") };
    format!("{shown}[lines {from} to {} of {}; {end}]", next - 1, lines.len())
}

fn search(lines: &[String], words: &str) -> String {
    let wanted = words.to_lowercase();
    let found = lines.iter().enumerate().filter(|(_, line)| line.to_lowercase().contains(&wanted));
    let found: Vec<_> = found.collect();
    let mut shown = String::new();
    for (index, line) in found.iter().take(FOUND) {
        if shown.chars().count() + line.chars().count() > LETTERS {
            break;
        }
        number(&mut shown, index + 1, line);
    }
    format!("{shown}[{} of {} lines hold {words:?}]", found.len(), lines.len())
}

fn number(shown: &mut String, number: usize, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(shown, "{number}\t{line}");
}

#[cfg(test)]
mod tests;
