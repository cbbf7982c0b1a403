//! Small answers: what became of an act, and whether a setup is needed.

use serde::{Deserialize, Serialize};

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
#[derive(Debug, Deserialize, Serialize)]
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

/// What Riad itself answers to a command. It is no entry: it is shown once and kept nowhere.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct CommandAnswer {
    /// Which command, without its slash.
    pub command: &'static str,
    /// One or two sentences.
    pub says: String,
    /// More, one a line.
    pub rows: Vec<CommandRow>,
    /// What is left to the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub act: Option<ClientAct>,
}

/// One line of a list.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CommandRow {
    /// What it is about.
    pub name: String,
    /// What is said of it.
    pub says: String,
}

/// What only a client can do.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ClientAct {
    /// Show a new, empty conversation.
    New,
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
