//! The time that a turn has left. It binds all that is waited for here; what a person takes is not waited for here.

use std::time::Duration;

use domain::setting::Setting;
use tokio::time::Instant;

use crate::live::Live;

/// Until when what is done now may take, by the entries and the clock.
pub(crate) fn until(live: &Live<'_>, setting: &Setting) -> Instant {
    Instant::now() + left(live, setting)
}

/// How long the turn may still be at work.
pub(crate) fn left(live: &Live<'_>, setting: &Setting) -> Duration {
    // A clock that was set back gives nobody more time than a whole turn has.
    let most = Duration::from_millis(setting.limits.active_ms);
    let Some(deadline) = live.conversation.deadline_in(&live.frame, setting) else { return most };
    let left = deadline.since(live.ports.clock.now());
    Duration::from_millis(left).min(most.max(CLOSING))
}

/// The least that a turn is given, for its last reply.
const CLOSING: Duration = Duration::from_secs(60);
