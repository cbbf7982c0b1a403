//! What a model may ask a person, and the answer as the model reads it. Not here: which questions are fit to be asked
//! (`ask_person` checks them), and how a card draws them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::approval::{Approval, Decision};
use crate::limits::ANSWER_CHARS;

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Question {
    /// The question, up to 500 characters.
    #[schemars(length(min = 1, max = 500))]
    pub text: String,
    /// Up to 6 answers to choose from, each up to 80 characters.
    #[serde(default)]
    #[schemars(length(max = 6))]
    pub options: Vec<String>,
    /// Whether more than one option may be chosen.
    #[serde(default)]
    pub many: bool,
    /// Whether the person may answer in words of their own; needed if there are no options.
    #[serde(default = "yes")]
    pub other: bool,
}

fn yes() -> bool {
    true
}

/// What a person gave to one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The places of the chosen options, from 0.
    pub options: Vec<usize>,
    /// Words of their own, as they were typed.
    pub words: Option<String>,
}

/// What a person gave to all questions of a call, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers(pub Vec<Choice>);

/// Why an answer is not taken. The person reads it, and nothing was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AnswerFault {
    /// A question has no answer.
    #[error("Choose an option or write an answer.")]
    Missing,
    /// More answers than questions.
    #[error("There are more answers than questions. Answer each question once.")]
    Surplus,
    /// Several options where one may be chosen.
    #[error("Choose one option.")]
    OnlyOne,
    /// No option has this place.
    #[error("There is no such option.")]
    NoSuchOption,
    /// An option was chosen more than once.
    #[error("An option was chosen twice. Choose each once.")]
    Twice,
    /// Own words where only options are offered.
    #[error("This question takes no words. Choose an option.")]
    NoWords,
    /// Too many characters, or one that no text holds.
    #[error("At most {ANSWER_CHARS} characters fit beside an answer. Write less, or send a message.")]
    Words,
}

impl Question {
    /// The questions of a call that asks for words; text that is none gives no questions.
    pub fn asked(approval: &Approval) -> Vec<Self> {
        let written = approval.arguments.get("questions").cloned().unwrap_or_default();
        serde_json::from_value(written).unwrap_or_default()
    }

    /// The answer to this question in one line: the chosen options by their text, then words of the person's own.
    fn told(&self, given: &Choice) -> Result<String, AnswerFault> {
        if given.options.len() > 1 && !self.many {
            return Err(AnswerFault::OnlyOne);
        }
        let mut said = Vec::new();
        for (index, place) in given.options.iter().enumerate() {
            if given.options[..index].contains(place) {
                return Err(AnswerFault::Twice);
            }
            said.push(self.options.get(*place).ok_or(AnswerFault::NoSuchOption)?.clone());
        }
        let words = given.words.as_deref().map(own_words).transpose()?.flatten();
        if words.is_some() && !self.other && !self.options.is_empty() {
            return Err(AnswerFault::NoWords);
        }
        said.extend(words);
        if said.is_empty() { Err(AnswerFault::Missing) } else { Ok(said.join(", ")) }
    }
}

impl Answers {
    /// The answer as the model reads it: one line a question, each behind its question if there are several.
    pub fn told(&self, questions: &[Question]) -> Result<Decision, AnswerFault> {
        if self.0.len() > questions.len() {
            return Err(AnswerFault::Surplus);
        }
        let mut lines = Vec::new();
        for (index, question) in questions.iter().enumerate() {
            let line = question.told(self.0.get(index).ok_or(AnswerFault::Missing)?)?;
            lines.push(if questions.len() > 1 { format!("{}: {line}", question.text) } else { line });
        }
        Ok(Decision::Told(lines.join("\n")))
    }
}

/// Words that a person typed beside an answer, without blanks around them; nothing if none are left.
pub fn own_words(typed: &str) -> Result<Option<String>, AnswerFault> {
    if typed.chars().count() > ANSWER_CHARS || typed.contains('\0') {
        return Err(AnswerFault::Words);
    }
    let words = typed.trim();
    Ok((!words.is_empty()).then(|| words.to_owned()))
}

#[cfg(test)]
mod tests;
