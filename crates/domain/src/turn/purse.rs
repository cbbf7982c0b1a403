//! The purse of a turn: rounds, calls, tokens and time, and whether it goes in circles. What is spent stays spent.

use super::{Round, Turn};
use crate::limits::Limits;
use crate::outcome::Outcome;

impl Turn {
    /// How the turn ends if it may do no more; it is given one last reply first.
    pub(super) fn spent(&self, limits: &Limits) -> Option<Outcome> {
        if self.is_broken() {
            return Some(Outcome::LoopBroken);
        }
        if self.rounds.len() >= limits.rounds || self.calls().count() >= limits.calls {
            return Some(Outcome::RoundLimit);
        }
        if self.decoded() >= limits.decoded_tokens {
            return Some(Outcome::BudgetSpent);
        }
        (self.active.ms() >= limits.active_ms).then_some(Outcome::TimeLimit)
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

/// Whether `round` was the last one that a spent turn is given.
pub(super) fn is_closing(round: &Round) -> bool {
    round.reply.forbidden && !round.reply.sampled.is_mute()
}
