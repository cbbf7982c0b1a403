//! How long a turn was at work: the time between its entries, without what it waited for.

use super::{CallState, Turn};
use crate::delegate::is_delegate;
use crate::entry::Body;
use crate::limits::Limits;
use crate::time::Timestamp;

/// Milliseconds that the last reply of a turn may take whose time is over.
const CLOSING_MS: u64 = 60_000;

/// The time of a turn, as its entries tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ActiveTime {
    ms: u64,
    last: Timestamp,
}

impl ActiveTime {
    pub(crate) fn from(at: Timestamp) -> Self {
        Self { ms: 0, last: at }
    }

    pub(crate) fn ms(&self) -> u64 {
        self.ms
    }

    /// Goes on to the next entry. `idle`: nothing was at work meanwhile.
    pub(crate) fn go_on(&mut self, at: Timestamp, idle: bool) {
        if !idle {
            self.ms += at.since(self.last);
        }
        // A clock that was set back does not let the same time pass twice.
        self.last = self.last.max(at);
    }

    pub(crate) fn last(&self) -> Timestamp {
        self.last
    }

    /// Takes back what a request waited for others.
    pub(crate) fn take_back(&mut self, ms: u64) {
        self.ms = self.ms.saturating_sub(ms);
    }
}

impl Turn {
    /// Whether the time before an entry does not count: the turn waited for its person or for a delegate, or nobody was
    /// at work on it.
    pub(super) fn was_idle(&self, body: &Body) -> bool {
        matches!(body, Body::Resumed) || !self.is_at_work()
    }

    /// Whether something is done in this frame: neither its person nor a delegate is waited for. What delegates take
    /// counts where they work.
    pub(crate) fn is_at_work(&self) -> bool {
        !self.held && !self.waits_for_person() && !self.delegates()
    }

    /// Whether a delegate is waited for.
    pub(crate) fn delegates(&self) -> bool {
        let open = |state: &CallState| is_delegate(&state.call.tool) && state.started.is_some() && !state.is_settled();
        self.rounds.last().is_some_and(|round| round.calls.iter().any(open))
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

    /// When its share of a purse is over of which it may use so much, if something was recorded then at last.
    pub(crate) fn deadline_within(&self, most_ms: u64, last: Timestamp) -> Timestamp {
        let left = match most_ms.saturating_sub(self.active.ms) {
            0 => CLOSING_MS,
            left => left,
        };
        Timestamp(self.active.last.max(last).0.saturating_add_unsigned(left))
    }

    /// When the time of this turn is over, if nobody is waited for. A turn whose time is over has a moment more for its
    /// last reply.
    pub fn deadline(&self, limits: &Limits) -> Timestamp {
        self.deadline_within(limits.active_ms, self.active.last)
    }
}
