//! What a turn is told of its surroundings when it decides: what was said before it, the frames of its delegates, and what
//! the other frames of the tree have used of the common purse.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Turn;
use super::purse::Used;
use crate::context::Item;
use crate::gate::Tally;
use crate::id::{CallId, EntryNumber, FrameId};
use crate::result::ToolResult;
use crate::scratchpad::Scratchpad;
use crate::tool::{EffectClass, ToolName};

/// The surroundings of a turn.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// What was said before, as the model reads it.
    pub(crate) history: &'a [Arc<Item>],
    /// The last entry.
    pub(crate) head: EntryNumber,
    /// What the other frames of the tree have used.
    pub(crate) others: &'a Others,
    /// The frames that its calls have opened, by call.
    pub(crate) frames: &'a BTreeMap<CallId, FrameState>,
    /// That of the conversation.
    pub(crate) scratchpad: &'a Scratchpad,
}

/// What other frames have used.
#[derive(Debug, Clone, Default)]
pub(crate) struct Others {
    /// Of the purse.
    pub(crate) used: Used,
    /// Of what may be made unasked.
    pub(crate) tally: Tally,
    /// Questions that wait for the person.
    pub(crate) cards: usize,
    /// How often each tool was used.
    pub(crate) uses: BTreeMap<ToolName, usize>,
    /// Delegates that work in the background of the conversation.
    pub(crate) background: usize,
}

/// Where a frame stands, as its caller sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FrameState {
    /// Something can be done in it now.
    Moving(FrameId),
    /// It waits for the person.
    Resting,
    /// It is over, and this is the result of the call that opened it.
    Over(ToolResult),
}

impl Others {
    /// Takes in another turn of the tree.
    pub(crate) fn add(&mut self, turn: &Turn) {
        self.used = self.used.and(&turn.used());
        for state in turn.calls() {
            if let Some(started) = state.started.as_ref().and(state.screened.as_ref()) {
                *self.uses.entry(state.call.tool.clone()).or_default() += 1;
                let made = started.facts.paths.iter().filter(|path| path.class == EffectClass::Create);
                self.tally = made.fold(self.tally, |tally, path| tally.and_file(path.bytes));
            }
            self.cards += usize::from(state.pending().is_some());
        }
    }
}
