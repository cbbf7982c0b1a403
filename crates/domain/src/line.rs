//! Lines of a conversation. Where a message is written anew, a reply asked for again or a branch made, a new line starts
//! behind an entry: what stands up to there is shared, what was said after it stays on the line it was said on. This is
//! the bookkeeping of which entry belongs where; it knows nothing of what entries say.

use serde::{Deserialize, Serialize};

use crate::id::EntryNumber;

/// A line, named after the entry that started it; the line that every conversation begins with is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineId(pub EntryNumber);

/// Entries that follow each other, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub first: EntryNumber,
    /// The last.
    pub last: EntryNumber,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its name.
    pub id: LineId,
    /// The line it left; `None` for the first.
    pub from: Option<LineId>,
    /// The last entry that it shares with that line.
    pub after: EntryNumber,
    /// The entries that were recorded on it.
    own: Vec<Span>,
}

/// All lines of a conversation, and the one that is being written on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    lines: Vec<Line>,
    active: LineId,
}

impl Default for Lines {
    fn default() -> Self {
        let (id, after) = (LineId::default(), EntryNumber::default());
        Self { lines: vec![Line { id, from: None, after, own: Vec::new() }], active: id }
    }
}

impl Lines {
    /// The line that is being written on.
    pub fn active(&self) -> LineId {
        self.active
    }

    /// All lines, in the order in which they were started.
    pub fn all(&self) -> &[Line] {
        &self.lines
    }

    /// The line of that name.
    pub fn line(&self, id: LineId) -> Option<&Line> {
        self.lines.iter().find(|line| line.id == id)
    }

    /// An entry was recorded on the line that is being written on.
    pub(crate) fn recorded(&mut self, number: EntryNumber) {
        let active = self.active;
        let Some(line) = self.lines.iter_mut().find(|line| line.id == active) else { return };
        match line.own.last_mut() {
            Some(span) if span.last.next() == number => span.last = number,
            Some(_) | None => line.own.push(Span { first: number, last: number }),
        }
    }

    /// The entry `number` starts a line behind `after`, and from now on that line is written on.
    pub(crate) fn fork(&mut self, number: EntryNumber, after: EntryNumber) {
        let id = LineId(number);
        self.lines.push(Line { id, from: Some(self.active), after, own: Vec::new() });
        self.active = id;
    }

    /// Goes to a line that there is; to one that there is not, nothing happens and it says so.
    pub(crate) fn switch(&mut self, line: LineId) -> bool {
        let known = self.line(line).is_some();
        if known {
            self.active = line;
        }
        known
    }

    /// The entries of a line from the first of the conversation on, in order: what it shares, then its own. Empty for a
    /// line that there is not.
    pub fn path(&self, id: LineId) -> Vec<Span> {
        let mut path = Vec::new();
        let mut next = self.line(id).map(|line| (line, EntryNumber(u64::MAX)));
        while let Some((line, until)) = next {
            let shared = line.own.iter().filter(|span| span.first <= until);
            path.extend(shared.rev().map(|span| Span { last: span.last.min(until), ..*span }));
            next = line.from.and_then(|from| self.line(from)).map(|from| (from, until.min(line.after)));
        }
        path.reverse();
        path
    }

    /// Whether an entry belongs to a line.
    pub fn holds(&self, line: LineId, number: EntryNumber) -> bool {
        self.path(line).iter().any(|span| span.first <= number && number <= span.last)
    }
}

#[cfg(test)]
mod tests;
