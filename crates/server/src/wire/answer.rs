//! Small answers: what became of an act, and whether a setup is needed.

use serde::Serialize;

use super::entry::EntryView;
use super::session::PersonView;

/// Whether the instance still waits for its first account.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SetupNeeded {
    /// It does.
    pub needed: bool,
}

/// The first account.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SetupDone {
    /// Whose it is.
    pub person: PersonView,
}

/// Entries of a conversation, in order.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EntryPage {
    /// The entries after the one that was named.
    pub entries: Vec<EntryView>,
    /// The number of the last one.
    pub head: u64,
}

/// A message was recorded.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MessageTaken {
    /// As this entry.
    pub entry: u64,
    /// In this turn.
    pub turn: String,
}

/// An answer was recorded.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AnswerTaken {
    /// As this entry.
    pub entry: u64,
    /// In this conversation.
    pub conversation: String,
}
