//! Where a summary may end: at a turn border, or inside a turn that is very large at a round border (LOOP-82).

use super::Counts;
use crate::compact::Cut;
use crate::context::{Part, Place};

/// A cut and what it would save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cutting {
    /// Where.
    pub cut: Cut,
    /// The first item that is kept, if it is a turn border.
    pub first_kept: usize,
    /// Tokens of what goes.
    pub gone: u32,
    /// Tokens that it saves, less those that are set aside for the summary.
    pub saves: u32,
}

/// The most tokens of the words of a summary: a tenth of the room.
pub fn summary_tokens(room: u32) -> u32 {
    (room / 10).clamp(128, 1_500)
}

/// Tokens that are set aside for a summary with what the host adds to it.
fn set_aside(room: u32) -> u32 {
    summary_tokens(room) * 3 / 2
}

/// The cut that keeps most of those that make the prompt fit; if none does, the one that saves most. `None` if nothing
/// stands before any cut.
pub fn cut(counts: &Counts, places: &[Place], room: u32) -> Option<Cutting> {
    let turns = Turns::of(counts, places, room);
    let candidates = turns.candidates();
    let fits = |cutting: &&Cutting| turns.fixed.saturating_add(turns.kept(cutting)) <= room;
    let fitting = candidates.iter().find(fits).cloned();
    fitting.or_else(|| candidates.into_iter().max_by_key(|cutting| cutting.saves))
}

struct Turns<'a> {
    counts: &'a Counts,
    places: &'a [Place],
    room: u32,
    /// The first item of each turn, oldest first.
    starts: Vec<usize>,
    all: u32,
    /// Tokens that any cut leaves: the prefix and what is set aside for the summary.
    fixed: u32,
}

impl<'a> Turns<'a> {
    fn of(counts: &'a Counts, places: &'a [Place], room: u32) -> Self {
        let begins = |index: &usize| {
            let place = &places[*index];
            place.part != Part::Summary && (*index == 0 || places[*index - 1].turn != place.turn)
        };
        let starts = (0..places.len()).filter(begins).collect();
        let all = counts.items.iter().fold(0, |sum: u32, item| sum.saturating_add(*item));
        let fixed = counts.prefix().saturating_add(set_aside(room));
        Self { counts, places, room, starts, all, fixed }
    }

    fn from(&self, index: usize) -> u32 {
        self.counts.items.iter().skip(index).fold(0, |sum, item| sum.saturating_add(*item))
    }

    fn kept(&self, cutting: &Cutting) -> u32 {
        self.all.saturating_sub(cutting.gone)
    }

    /// The newest two turns or three tenths of the room, whichever is more; then less. Only where two do not fit: the
    /// newest alone, then rounds of it.
    fn candidates(&self) -> Vec<Cutting> {
        let Some(newest) = self.starts.last().copied() else { return Vec::new() };
        let two = self.starts[self.starts.len().saturating_sub(2)];
        let share = self.starts.iter().copied().find(|start| self.from(*start) <= self.room / 10 * 3);
        let share = share.unwrap_or(newest);
        let mut borders = vec![two.min(share), two.max(share)];
        let two_fit = self.fixed.saturating_add(self.from(two)) <= self.room;
        if !two_fit {
            borders.push(newest);
        }
        borders.dedup();
        let mut candidates: Vec<Cutting> = borders.into_iter().filter_map(|start| self.at_turn(start)).collect();
        if !two_fit && self.from(newest) > self.room / 2 {
            candidates.extend(self.at_rounds(newest));
        }
        candidates
    }

    fn at_turn(&self, start: usize) -> Option<Cutting> {
        let cut = Cut { turn: self.places[start].turn.clone(), rounds: 0 };
        self.cutting(cut, start, self.all.saturating_sub(self.from(start)))
    }

    /// Cuts behind each round but the last, the one that keeps most first.
    fn at_rounds(&self, newest: usize) -> Vec<Cutting> {
        let turn = &self.places[newest].turn;
        let last = super::last_round(self.places);
        let cuts = (1..last).filter_map(|rounds| {
            let cut = Cut { turn: turn.clone(), rounds };
            let taken = self.places.iter().zip(&self.counts.items).filter(|(place, _)| cut.takes(place));
            let gone = taken.fold(self.all.saturating_sub(self.from(newest)), |sum, (_, count)| sum + count);
            self.cutting(cut, newest, gone)
        });
        cuts.collect()
    }

    fn cutting(&self, cut: Cut, first_kept: usize, gone: u32) -> Option<Cutting> {
        (gone > 0).then(|| Cutting { cut, first_kept, gone, saves: gone.saturating_sub(set_aside(self.room)) })
    }
}
