//! How long a turn was at work: the time between its entries, without what it waited for.

use super::Turn;
use crate::entry::Body;
use crate::limits::Limits;
use crate::time::Timestamp;

/// Milliseconds that the last reply of a turn may take whose time is over.
const CLOSING_MS: u64 = 60_000;

/// The time of a turn, as its entries tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ActiveTime {
    ms: u64,
    last: Timestamp,
}

impl ActiveTime {
    pub(super) fn from(at: Timestamp) -> Self {
        Self { ms: 0, last: at }
    }

    pub(super) fn ms(&self) -> u64 {
        self.ms
    }

    /// Goes on to the next entry. `idle`: nothing was at work meanwhile.
    pub(super) fn go_on(&mut self, at: Timestamp, idle: bool) {
        if !idle {
            self.ms += at.since(self.last);
        }
        // A clock that was set back does not let the same time pass twice.
        self.last = self.last.max(at);
    }

    /// Takes back what a request waited for others.
    pub(super) fn take_back(&mut self, ms: u64) {
        self.ms = self.ms.saturating_sub(ms);
    }
}

impl Turn {
    /// Whether the time before an entry does not count: the turn waited for its person, or nobody was at work on it.
    pub(super) fn was_idle(&self, body: &Body) -> bool {
        matches!(body, Body::Resumed) || self.held || self.waits_for_person()
    }

    /// Whether a question waits and nothing runs beside it.
    fn waits_for_person(&self) -> bool {
        let Some(round) = self.rounds.last() else { return false };
        let runs = round
            .calls
            .iter()
            .any(|state| state.result.is_none() && state.started.as_ref().is_some_and(|run| !run.cut));
        !runs && round.calls.iter().any(|state| state.pending().is_some())
    }

    /// When the time of this turn is over, if nobody is waited for. A turn whose time is over has a moment more for its
    /// last reply.
    pub fn deadline(&self, limits: &Limits) -> Timestamp {
        let left = match limits.active_ms.saturating_sub(self.active.ms()) {
            0 => CLOSING_MS,
            left => left,
        };
        Timestamp(self.active.last.0.saturating_add_unsigned(left))
    }
}
