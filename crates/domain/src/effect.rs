//! The only things the world is ever asked for.

use crate::approval::Approval;
use crate::call::{ClearedCall, ValidCall};
use crate::compact::Why;
use crate::context::Prompt;
use crate::entry::Body;
use crate::footer::SideEffect;
use crate::id::FrameId;
use crate::outcome::Outcome;

/// One thing that the loop must do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Write decisions down; there is nothing to do outside.
    Note(Vec<Body>),
    /// Ask the model.
    Sample(Request),
    /// Let the hooks and the tools look at all calls of a round.
    Screen(Vec<ValidCall>),
    /// Put questions to the person.
    Ask(Vec<Approval>),
    /// Run calls: several reads side by side, or one call alone.
    Run(Vec<ClearedCall>),
    /// Let other profiles work on tasks in frames of their own.
    Delegate(Delegating),
    /// Fold the projection although no prompt needs it now.
    Compact(Why),
    /// Wait for a person; nothing is held meanwhile.
    Rest,
    /// Record that the turn is over.
    End {
        /// How it ended.
        outcome: Outcome,
        /// All that it did to the world.
        footer: Vec<SideEffect>,
    },
}

/// The delegates of a frame that have something to do, in source order.
#[derive(Debug, Clone, PartialEq)]
pub struct Delegating {
    /// The calls whose frames are to be opened.
    pub open: Vec<ClearedCall>,
    /// The frames that can go on.
    pub go_on: Vec<FrameId>,
}

/// What a sample is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The name of the model that is to answer.
    pub model: String,
    /// The prompt.
    pub prompt: Prompt,
    /// Milliseconds to wait first, after a sample that failed.
    pub wait_ms: u64,
}
