//! The projection: a pure function from entries to what a model reads. It grows only at its end, but for a recorded fold.

pub mod estimate;
mod items;
mod place;
mod prefix;
mod thread;
pub mod view;

use std::borrow::Cow;
use std::sync::Arc;

use crate::id::EntryNumber;

pub(crate) use items::replayable;
pub use items::{Item, MadeCall};
pub use place::{Part, Place};
pub use prefix::Prefix;
pub use thread::Thread;

/// What a model is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// The part that stays.
    pub prefix: Arc<Prefix>,
    /// The conversation, oldest first.
    pub items: Vec<Arc<Item>>,
    /// The last entry that it knows of.
    pub seen: EntryNumber,
    /// Whether the last item is a reply that was left open: the sample goes on with it from its last token. Only asked
    /// of models that say they can.
    pub open: bool,
    /// Whether calls may be made in the reply.
    pub calls: CallPolicy,
    /// The most tokens of the reply.
    pub max_tokens: u32,
    /// How often this sample is varied, 0 for the first time: another seed and a higher temperature.
    pub variation: u32,
}

impl Prompt {
    /// The system text, with the summary behind it where the conversation begins with one. For wires and templates
    /// that know only one system text.
    pub fn system(&self) -> Cow<'_, str> {
        match self.summary() {
            Some(text) if self.prefix.system.is_empty() => Cow::Borrowed(text),
            Some(text) => Cow::Owned(format!("{}\n\n{text}", self.prefix.system)),
            None => Cow::Borrowed(&self.prefix.system),
        }
    }

    /// The summary with which the conversation begins, if it begins with one.
    pub fn summary(&self) -> Option<&str> {
        match self.items.first().map(AsRef::as_ref) {
            Some(Item::Summary { text }) => Some(text),
            Some(Item::Person { .. } | Item::Model { .. } | Item::Result { .. }) | None => None,
        }
    }

    /// The conversation without the summary that [`Prompt::system`] holds.
    pub fn turns(&self) -> &[Arc<Item>] {
        match self.items.split_first() {
            Some((first, rest)) if matches!(**first, Item::Summary { .. }) => rest,
            Some(_) | None => &self.items,
        }
    }
}

/// Whether a reply may hold calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPolicy {
    /// The model decides.
    Free,
    /// None; the tool block stays as it is.
    Forbidden,
    /// The reply goes on with a call. Only asked of models that reported how likely one was.
    Forced,
}

#[cfg(test)]
mod tests;
