//! Lines of a conversation: which there are, which is written on, and what stands whatever line is gone on with.

use domain::footer::SideEffect;
use domain::id::EntryNumber;
use domain::line::{Line, Lines};
use serde::Serialize;

use super::entry::{FooterRow, row};

/// All lines of a conversation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LinesView {
    /// The one that is written on.
    pub active: u64,
    /// In the order in which they were started.
    pub lines: Vec<LineView>,
}

/// One line.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Line", optional_fields))]
pub struct LineView {
    /// Its name: the entry that started it, 0 for the first line.
    pub line: u64,
    /// The line that it left; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The last entry that it shares with that one.
    pub after: u64,
    /// Its entries from the first of the conversation on, as pairs of first and last.
    pub spans: Vec<(u64, u64)>,
}

/// What a new line would leave behind.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LinePreview {
    /// The last entry that it would share.
    pub after: u64,
    /// What was done behind that entry: it stands whatever line is gone on with.
    pub effects: Vec<FooterRow>,
}

/// A line is gone on with.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LineTaken {
    /// Its name.
    pub line: u64,
}

impl From<&Lines> for LinesView {
    fn from(lines: &Lines) -> Self {
        let lines_of = lines.all().iter().map(|line| view(line, lines)).collect();
        Self { active: lines.active().0.0, lines: lines_of }
    }
}

fn view(line: &Line, lines: &Lines) -> LineView {
    let spans = lines.path(line.id).iter().map(|span| (span.first.0, span.last.0)).collect();
    LineView { line: line.id.0.0, from: line.from.map(|from| from.0.0), after: line.after.0, spans }
}

impl LinePreview {
    /// Behind an entry.
    pub fn new(after: EntryNumber, effects: &[&SideEffect]) -> Self {
        Self { after: after.0, effects: effects.iter().map(|effect| row(effect)).collect() }
    }
}
