//! The time that a turn has left. It binds all that is waited for here; what a person takes is not waited for here.

use std::time::Duration;

use domain::limits::Limits;
use tokio::time::Instant;

use crate::live::Live;

/// Until when what is done now may take, by the entries and the clock.
pub(crate) fn until(live: &Live<'_>, limits: &Limits) -> Instant {
    Instant::now() + left(live, limits)
}

/// How long the turn may still be at work.
pub(crate) fn left(live: &Live<'_>, limits: &Limits) -> Duration {
    // A clock that was set back gives nobody more time than a whole turn has.
    let most = Duration::from_millis(limits.active_ms);
    let Some(turn) = live.turn() else { return most };
    let left = turn.deadline(limits).since(live.ports.clock.now());
    Duration::from_millis(left).min(most.max(CLOSING))
}

/// The least that a turn is given, for its last reply.
const CLOSING: Duration = Duration::from_secs(60);
