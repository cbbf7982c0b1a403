//! Whether a prompt fits its window, and if not the smallest fold that makes it fit. Pure: counts and places in, a plan
//! out. It folds nothing itself; a fold is an entry ([`crate::compact`]).

mod budget;
mod counts;
mod cut;
mod segments;

use crate::compact::Demotion;
use crate::context::{Part, Place};

pub use budget::{Budget, Correction, LEAST_WINDOW};
pub use counts::{Counted, Counts, Measure};
pub use cut::{Cutting, cut, summary_tokens};
pub use segments::Segments;

/// Tokens that the one line of a demoted result may take.
const LINE: u32 = 64;

/// What is to be done with a prompt before it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// It fits: its tokens, and those that the reply may take.
    Fits {
        /// Tokens of the prompt.
        tokens: u32,
        /// Tokens that are left for the reply.
        left: u32,
    },
    /// Results, and messages that are too long, are to be shown shorter first.
    Demote(Demotion),
    /// What stands before this cut is to be summarised first.
    Summarise(Cutting),
    /// No fold makes it fit.
    Overflow {
        /// Tokens of the prompt with its reserve.
        needed: u32,
        /// Tokens of the window.
        window: u32,
    },
    /// The model is too small for this profile: below the least window, or its prefix takes more than half of it.
    TooSmall {
        /// Tokens of the prefix.
        prefix: u32,
        /// Tokens of the window.
        window: u32,
    },
}

/// Plans one sample (LOOP-78, 79). `places` are those of the items that were counted. `may_summarise` is false where
/// that was tried and cannot be had now.
pub fn plan(counts: &Counts, budget: &Budget, places: &[Place], may_summarise: bool) -> Plan {
    let (prefix, window, total) = (counts.prefix(), budget.window, counts.total());
    if window < LEAST_WINDOW || prefix > window / 2 {
        return Plan::TooSmall { prefix, window };
    }
    let room = budget.room(counts.measure);
    if total <= room {
        return Plan::Fits { tokens: total, left: budget.left(total, counts.measure) };
    }
    let fold = Folds::of(counts, places, room, may_summarise);
    fold.choose(total - room).unwrap_or(Plan::Overflow { needed: budget.needed(total, counts.measure), window })
}

/// An item that can be shown shorter, and the tokens that this saves.
#[derive(Debug, Clone, Copy)]
struct Gain {
    index: usize,
    tokens: u32,
}

/// All that could be folded, by kind, each in the order in which it is taken.
struct Folds<'a> {
    places: &'a [Place],
    /// Results of turns before this one, oldest first.
    old: Vec<Gain>,
    cutting: Option<Cutting>,
    /// Results of this turn before its last round, oldest first.
    rounds: Vec<Gain>,
    /// Messages that take much of the room, longest first.
    messages: Vec<Gain>,
    /// Results of the last round, longest first.
    last: Vec<Gain>,
    /// Tokens that a message keeps.
    message_tokens: u32,
    /// Tokens that are folded beyond need, so that not every round folds again.
    slack: u32,
}

impl<'a> Folds<'a> {
    fn of(counts: &Counts, places: &'a [Place], room: u32, may_summarise: bool) -> Self {
        let turn = places.last().map(|place| &place.turn);
        let last_round = last_round(places);
        let message_tokens = (room / 8).max(2 * LINE);
        let (mut old, mut rounds, mut messages, mut last) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (index, place) in places.iter().enumerate().filter(|(_, place)| !place.short) {
            let count = counts.items.get(index).copied().unwrap_or(0);
            let gain = |least: u32| (count > 2 * least).then(|| Gain { index, tokens: count - least });
            match &place.part {
                Part::Result(_) if Some(&place.turn) != turn => old.extend(gain(LINE)),
                Part::Result(_) if place.round < last_round => rounds.extend(gain(LINE)),
                Part::Result(_) => last.extend(gain(LINE)),
                Part::Message(_) => messages.extend(gain(message_tokens)),
                Part::Summary | Part::Reply => {}
            }
        }
        for longest_first in [&mut messages, &mut last] {
            longest_first.sort_by_key(|gain| std::cmp::Reverse(gain.tokens));
        }
        let cutting = if may_summarise { cut(counts, places, room).filter(|cutting| cutting.saves > 0) } else { None };
        Self { places, old, cutting, rounds, messages, last, message_tokens, slack: room / 10 }
    }

    /// The first kind that suffices alone, in the order of the specification; else several together, the cheap ones
    /// first: what is then still too long is planned again.
    fn choose(&self, excess: u32) -> Option<Plan> {
        if let Some(chosen) = self.enough(&self.old, excess) {
            return Some(self.demote(chosen));
        }
        if let Some(cutting) = self.cutting.as_ref().filter(|cutting| cutting.saves >= excess) {
            return Some(Plan::Summarise(cutting.clone()));
        }
        self.together(excess)
    }

    fn together(&self, excess: u32) -> Option<Plan> {
        let (kept_from, saved) = self.cutting.as_ref().map_or((0, 0), |cutting| (cutting.first_kept, cutting.saves));
        let kept_old: Vec<Gain> = self.old.iter().copied().filter(|gain| gain.index >= kept_from).collect();
        let mut left = excess.saturating_sub(saved);
        let mut chosen = Vec::new();
        for kind in [&kept_old, &self.rounds, &self.messages, &self.last] {
            if let Some(enough) = self.enough(kind, left) {
                chosen.extend(enough);
                return Some(self.demote(&chosen));
            }
            chosen.extend(kind.iter().copied());
            left = left.saturating_sub(kind.iter().map(|gain| gain.tokens).sum());
        }
        None
    }

    /// As many of these as save so many tokens, and a little more where there is more.
    fn enough<'g>(&self, gains: &'g [Gain], excess: u32) -> Option<&'g [Gain]> {
        let all: u32 = gains.iter().map(|gain| gain.tokens).sum();
        if all < excess || gains.is_empty() {
            return None;
        }
        let wanted = excess.saturating_add(self.slack);
        let mut saved = 0;
        let count = gains.iter().take_while(|gain| {
            let more = saved < wanted;
            saved += gain.tokens;
            more
        });
        Some(&gains[..count.count()])
    }

    fn demote(&self, gains: &[Gain]) -> Plan {
        let mut demotion = Demotion { message_tokens: self.message_tokens, ..Demotion::default() };
        for place in gains.iter().filter_map(|gain| self.places.get(gain.index)) {
            match &place.part {
                Part::Result(call) => demotion.calls.push(call.clone()),
                Part::Message(message) => demotion.messages.push(message.clone()),
                Part::Summary | Part::Reply => {}
            }
        }
        Plan::Demote(demotion)
    }
}

/// The last round of the last turn that has a reply.
fn last_round(places: &[Place]) -> usize {
    let turn = places.last().map(|place| &place.turn);
    let replies = places.iter().filter(|place| Some(&place.turn) == turn && place.part == Part::Reply);
    replies.map(|place| place.round).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
