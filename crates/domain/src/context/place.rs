//! Where a piece of the projection stands in its conversation, so that a fold can name what it replaces.

use crate::id::{CallId, MessageId, TurnId};

/// Where an item stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its turn.
    pub turn: TurnId,
    /// Its round in the turn, counted from 1; 0 is the opening.
    pub round: usize,
    /// What it is.
    pub part: Part,
    /// Whether a fold has already shortened it.
    pub short: bool,
}

/// What an item is, with the name by which its original is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The summary of what was said before.
    Summary,
    /// A message of a person.
    Message(MessageId),
    /// A reply of a model.
    Reply,
    /// The result of a call.
    Result(CallId),
}

impl Place {
    /// A place that no fold has touched.
    pub fn new(turn: TurnId, round: usize, part: Part) -> Self {
        Self { turn, round, part, short: false }
    }
}
