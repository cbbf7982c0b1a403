//! Reads text for markers and holds back what may still become one (LOOP-22). When a marker is taken out, reading goes on
//! as if it had never stood there, so that halves left standing are found as well (LOOP-23); such a marker is never obeyed.
//! It knows no dialect, and says only what it found.

use super::automaton::{Automaton, State};
use super::form::Marker;
use super::lines::Lines;

/// A scanner of one channel.
#[derive(Debug, Clone)]
pub(super) struct Scanner {
    automaton: &'static Automaton,
    /// Text that is not decided yet.
    held: String,
    /// One for each place in `held`, its start and its end included.
    places: Vec<Place>,
    /// Places in `held` where a marker was taken out, rising.
    seams: Vec<usize>,
    given: Lines,
}

/// How the text stands at one place.
#[derive(Debug, Clone, Copy)]
struct Place {
    state: State,
    /// Where the text begins that is undecided here: the end of the text that begins a marker, and, since that marker may
    /// be taken out, the end of what stands before it, and so on.
    undecided: usize,
}

/// A marker that was taken out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// Which.
    pub(super) marker: Marker,
    /// It was made of halves that another marker had parted.
    pub(super) across: bool,
}

impl Scanner {
    pub(super) fn new(automaton: &'static Automaton) -> Scanner {
        let first = Place { state: 0, undecided: 0 };
        Scanner { automaton, held: String::new(), places: vec![first], seams: Vec::new(), given: Lines::new() }
    }

    /// Reads on until a marker that counts is whole, or to the end. Gives the length that was read.
    pub(super) fn read(
        &mut self,
        text: &str,
        mut counts: impl FnMut(&Marker, Lines) -> bool,
    ) -> (usize, Option<Found>) {
        let mut copied = 0;
        for (index, byte) in text.bytes().enumerate() {
            let state = self.step(byte);
            let mut whole = self.automaton.whole(state).peekable();
            if whole.peek().is_none() {
                continue;
            }
            self.held.push_str(&text[copied..=index]);
            copied = index + 1;
            let found = whole.find(|marker| self.ends_with(marker) && counts(marker, self.lines_before(marker)));
            if let Some(marker) = found.copied() {
                return (copied, Some(self.take_out(marker)));
            }
        }
        self.held.push_str(&text[copied..]);
        (text.len(), None)
    }

    /// Puts text back that was taken out as a marker and is none. Nothing is found in it.
    pub(super) fn put_back(&mut self, text: &str) {
        for byte in text.bytes() {
            self.step(byte);
        }
        self.held.push_str(text);
    }

    /// Gives what can no longer become a part of a marker.
    pub(super) fn decided(&mut self) -> String {
        let end = self.end().undecided;
        if end == 0 {
            return String::new();
        }
        let rest = self.held.split_off(end);
        self.places.drain(..end);
        for place in &mut self.places {
            // A place within what is held begins no earlier than that: else the end would not be decided there.
            place.undecided = place.undecided.saturating_sub(end);
        }
        self.seams.retain_mut(|seam| {
            let stays = *seam > end;
            *seam = seam.saturating_sub(end);
            stays
        });
        self.give(rest)
    }

    /// Gives all that is held: what it waited for never comes.
    pub(super) fn rest(&mut self) -> String {
        self.places = vec![Place { state: 0, undecided: 0 }];
        self.seams.clear();
        self.give(String::new())
    }

    /// Nothing but blanks is held back: no halves that a frame could part.
    pub(super) fn is_blank(&self) -> bool {
        self.held.chars().all(char::is_whitespace)
    }

    /// Nothing is held back.
    pub(super) fn is_clear(&self) -> bool {
        self.held.is_empty()
    }

    /// A frame or a channel has ended here: what follows stands as if on a line of its own.
    pub(super) fn begin_line(&mut self) {
        if self.held.is_empty() {
            self.given.at_start = true;
        }
    }

    fn give(&mut self, rest: String) -> String {
        let given = std::mem::replace(&mut self.held, rest);
        self.given.read(&given);
        given
    }

    fn step(&mut self, byte: u8) -> State {
        let state = self.automaton.step(self.end().state, byte);
        let from = self.places.len() - self.automaton.depth(state);
        let undecided = if from == self.places.len() { from } else { self.places[from].undecided };
        self.places.push(Place { state, undecided });
        state
    }

    fn end(&self) -> Place {
        *self.places.last().expect("the place before the first byte is never removed")
    }

    fn ends_with(&self, marker: &Marker) -> bool {
        let from = self.held.len().checked_sub(marker.text.len());
        from.and_then(|from| self.held.get(from..)).is_some_and(|end| marker.is_spelled_by(end))
    }

    fn lines_before(&self, marker: &Marker) -> Lines {
        let mut lines = self.given;
        lines.read(&self.held[..self.held.len() - marker.text.len()]);
        lines
    }

    fn take_out(&mut self, marker: Marker) -> Found {
        let end = self.held.len() - marker.text.len();
        let across = self.seams.last().is_some_and(|seam| *seam > end);
        self.held.truncate(end);
        self.places.truncate(end + 1);
        self.seams.retain(|seam| *seam < end);
        self.seams.push(end);
        Found { marker, across }
    }
}
