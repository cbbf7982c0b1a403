//! Compaction: what a fold is, as it is recorded. Only what is recorded is true in the projection; originals stay.

mod record;
mod standing;
mod summary;
mod task;

use serde::{Deserialize, Serialize};

use crate::context::{Part, Place};
use crate::digest::Digest;
use crate::id::{CallId, MessageId, TurnId};
use crate::plan::{Correction, Measure};

pub use standing::{Refused, Standing};
pub use summary::{Done, Summary, Words};
pub use task::{HALVINGS, PIECES, Piece, Task, time_ms};

/// A fold of the projection, or that none was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compacted {
    /// Why it was tried.
    pub why: Why,
    /// What it is.
    pub fold: Fold,
    /// Tokens of the prompt before it.
    pub before: u32,
    /// Tokens of the prompt after it.
    pub after: u32,
    /// How they are known.
    pub measure: Measure,
    /// The model whose tokens these are.
    pub model: String,
    /// What a prompt that was refused as too long says of that model's counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
}

/// Why a fold is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The next prompt would not fit.
    Needed,
    /// The turn is over and the prompt is large.
    Large,
    /// The person asked for it.
    Asked,
}

/// What changes in the projection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    /// Results become one line each, messages that are too long head and tail.
    Demoted(Demotion),
    /// What stands before the cut becomes a summary.
    Summarised {
        /// Where.
        cut: Cut,
        /// The summary.
        summary: Box<Summary>,
        /// The hash of the prefix that the summariser was given.
        prefix: Digest,
        /// How many pieces it was made from.
        pieces: u32,
    },
    /// Nothing.
    Unchanged(Unchanged),
}

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unchanged {
    /// There is nothing before the turns that are kept.
    Nothing,
    /// With the summary it would not have been a fifth smaller.
    NotSmaller,
    /// The summariser failed.
    Failed(String),
}

impl Unchanged {
    /// What happened, for the person.
    pub fn sentence(&self) -> String {
        match self {
            Self::Nothing => "There is nothing to summarise yet.".to_owned(),
            Self::NotSmaller => "Not smaller: with a summary the conversation would take as much room.".to_owned(),
            Self::Failed(reason) => format!("The summary could not be made: {reason}. The conversation stays whole."),
        }
    }
}

/// A place at which a summary ends: before a turn, or behind some rounds of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The first turn that is not summarised whole.
    pub turn: TurnId,
    /// Rounds of it that are; its messages stay.
    #[serde(default)]
    pub rounds: usize,
}

impl Cut {
    /// Whether an item at this place of the turn that is cut goes.
    pub(crate) fn takes(&self, place: &Place) -> bool {
        let in_rounds = place.turn == self.turn && (1..=self.rounds).contains(&place.round);
        in_rounds && !matches!(place.part, Part::Message(_) | Part::Summary)
    }
}

/// What is shown shorter from now on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demotion {
    /// Results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallId>,
    /// Messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<MessageId>,
    /// Tokens that a message keeps.
    pub message_tokens: u32,
}

impl Demotion {
    pub(crate) fn names(&self, part: &Part) -> bool {
        match part {
            Part::Result(call) => self.calls.contains(call),
            Part::Message(message) => self.messages.contains(message),
            Part::Summary | Part::Reply => false,
        }
    }
}

impl Compacted {
    /// What happened, for the person, in one line.
    pub fn sentence(&self) -> String {
        let tokens = || format!("{} tokens instead of {}", self.after, self.before);
        match &self.fold {
            Fold::Demoted(demotion) => {
                let count = demotion.calls.len() + demotion.messages.len();
                format!("Shown shorter to the model from here on: {count} earlier texts ({}).", tokens())
            }
            Fold::Summarised { .. } => format!("Summarised for the model: what stands above ({}).", tokens()),
            Fold::Unchanged(why) => why.sentence(),
        }
    }
}

/// Whether a fold is worth it: what is kept with its summary is a fifth smaller (LOOP-85).
pub fn is_smaller(before: u32, after: u32) -> bool {
    u64::from(after) * 5 <= u64::from(before) * 4
}

#[cfg(test)]
mod tests;
