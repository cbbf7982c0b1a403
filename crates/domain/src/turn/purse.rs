//! The purse of a turn: rounds, calls, tokens and time, and whether it goes in circles. What is spent stays spent. All
//! frames of a turn draw on one purse; a frame may have a smaller one of its own beside it.

use super::around::Others;
use super::{Round, Turn};
use crate::limits::Limits;
use crate::outcome::Outcome;
use crate::setting::Setting;

impl Turn {
    /// How the turn ends if it may do no more; it is given one last reply first.
    pub(super) fn spent(&self, setting: &Setting, others: &Others) -> Option<Outcome> {
        if self.is_broken() {
            return Some(Outcome::LoopBroken);
        }
        self.used().exceeds(&setting.limits).or_else(|| self.purse_spent(setting, others))
    }

    /// The same for the purse that all frames draw on.
    pub(super) fn purse_spent(&self, setting: &Setting, others: &Others) -> Option<Outcome> {
        self.used().and(&others.used).exceeds(setting.purse())
    }

    /// What it has used by itself, without the frames of its delegates.
    pub(crate) fn used(&self) -> Used {
        Used {
            rounds: self.rounds.len(),
            calls: self.calls().count(),
            decoded: self.decoded(),
            active_ms: self.active.ms(),
        }
    }

    /// Tokens that models wrote in this turn, as far as they say.
    fn decoded(&self) -> u64 {
        self.rounds.iter().filter_map(|round| round.reply.sampled.usage.decoded).map(u64::from).sum()
    }

    /// Whether the last reply that a spent turn is given could not be had.
    pub(super) fn closing_failed(&self, limits: &Limits) -> bool {
        let late = self.faults.iter().filter(|fault| fault.active_ms >= limits.active_ms).count();
        // The first of them may be what brought the time to its end.
        late >= 2
    }
}

/// What was used of a purse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Replies of models.
    pub rounds: usize,
    /// Calls that were made.
    pub calls: usize,
    /// Tokens that models wrote, as far as they say.
    pub decoded: u64,
    /// Milliseconds at work.
    pub active_ms: u64,
}

impl Used {
    /// Both together.
    pub(crate) fn and(self, other: &Self) -> Self {
        Self {
            rounds: self.rounds + other.rounds,
            calls: self.calls + other.calls,
            decoded: self.decoded + other.decoded,
            active_ms: self.active_ms + other.active_ms,
        }
    }

    /// The limit that is reached first, as the end of a turn.
    fn exceeds(&self, limits: &Limits) -> Option<Outcome> {
        if self.rounds >= limits.rounds || self.calls >= limits.calls {
            return Some(Outcome::RoundLimit);
        }
        if self.decoded >= limits.decoded_tokens {
            return Some(Outcome::BudgetSpent);
        }
        (self.active_ms >= limits.active_ms).then_some(Outcome::TimeLimit)
    }
}

/// Whether `round` was the last one that a spent turn is given.
pub(super) fn is_closing(round: &Round) -> bool {
    round.reply.forbidden && !round.reply.sampled.is_mute()
}
