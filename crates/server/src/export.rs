//! A conversation as a file that its person takes away: Markdown, JSON lines or one page of HTML. What stands in it is
//! drawn from entries; nothing here reads or decides anything.

mod html;
mod json;
mod markdown;
mod part;

use domain::entry::Entry;
use domain::id::ConversationId;
use domain::time::Timestamp;
use serde::Deserialize;

use part::parts;

/// The forms a conversation can be taken away in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Text with marks, for people and editors.
    #[default]
    Markdown,
    /// One entry a line, for programs.
    Jsonl,
    /// One page without scripts.
    Html,
}

/// What is wanted beside what was said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The reasoning of models.
    pub reasoning: bool,
    /// What calls returned.
    pub results: bool,
}

/// What is written.
pub struct Source<'a> {
    /// Its name in the list.
    pub title: &'a str,
    /// Its id.
    pub conversation: &'a ConversationId,
    /// The entries of one line, oldest first.
    pub entries: &'a [Entry],
    /// When it is written.
    pub now: Timestamp,
}

impl Form {
    /// The kind of the file, as HTTP names it.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Jsonl => "application/x-ndjson",
            Self::Html => "text/html; charset=utf-8",
        }
    }

    /// The end of the file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Jsonl => "jsonl",
            Self::Html => "html",
        }
    }

    /// The text of the file.
    pub fn write(self, source: &Source<'_>, wanted: Wanted) -> String {
        match self {
            Self::Markdown => markdown::write(source, &parts(source.entries, wanted)),
            Self::Html => html::write(source, &parts(source.entries, wanted)),
            Self::Jsonl => json::write(source, wanted),
        }
    }
}

#[cfg(test)]
mod tests;
