//! tools: the built-in tools, one file each: files, notes, commands, questions. They say what a call would do and do
//! what was cleared; they do not decide whether it may, and they start no process themselves.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::sync::Arc;

use harness::ports::{Journal, Tool};

pub mod ask;
mod delegate;
pub mod erase;
pub mod explain;
mod file_edit;
mod file_find;
mod file_list;
mod file_read;
mod file_search;
mod file_write;
pub mod files;
mod places;
mod reading;
mod recall;
mod scratchpad;
mod shell;

pub use places::Places;
pub use shell::CommandRunner;

/// The tool that reads what a conversation shows shorter, over the journal of one person.
pub fn recall(journal: Arc<dyn Journal>) -> Arc<dyn Tool> {
    erase::erase(recall::Tool(journal))
}

/// The tools by which a profile runs another one and shares notes with it. They are offered only where there is one that
/// can be run.
pub fn of_frames() -> Vec<Arc<dyn Tool>> {
    vec![erase::erase(delegate::Tool), erase::erase(scratchpad::Read), erase::erase(scratchpad::Write)]
}

/// All other tools that one person's turns have.
pub fn all(places: &Places, runner: &CommandRunner) -> Vec<Arc<dyn Tool>> {
    vec![
        erase::erase(ask::Tool),
        erase::erase(file_edit::Tool(places.clone())),
        erase::erase(file_find::Tool(places.clone())),
        erase::erase(file_list::Tool(places.clone())),
        erase::erase(file_read::Tool(places.clone())),
        erase::erase(file_search::Tool(places.clone())),
        erase::erase(file_write::Tool(places.clone())),
        erase::erase(shell::Tool { places: places.clone(), runner: runner.clone() }),
    ]
}
