//! How much a work folder may hold (REACH-66). Nothing stops a program at the very byte: what it holds is looked at before
//! a run, and every so often while it runs.

use std::sync::Arc;
use std::time::Duration;

use crate::files::beneath::Beneath;
use crate::files::survey::{Bounds, Next, survey};
use crate::places::off_thread;

/// Bytes of a work folder (256 MiB).
const MOST_BYTES: u64 = 256 * MIB;
const MIB: u64 = 1024 * 1024;
/// Files and folders in it, so that empty ones end too.
const BOUNDS: Bounds = Bounds { entries: 50_000, depth: 100 };
/// How often it is looked at during a run.
const PAUSE: Duration = Duration::from_millis(500);
/// Programs that only take away, or make it possible.
const TAKES_AWAY: &[&str] = &["rm", "rmdir", "unlink", "chmod"];

/// Why a command does not run: the work folder is full. The words say what to do.
pub(super) fn check_room(work: &Beneath, program: &str) -> Result<(), String> {
    match overfull(work) {
        Some(how) if !TAKES_AWAY.contains(&program) => Err(format!(
            "The work folder is full: {how}. Nothing was run. Take away what is not needed, for example with rm -r NAME and \
             dir work/, then call it again."
        )),
        Some(_) | None => Ok(()),
    }
}

/// Waits until the work folder is full, and says how.
pub(super) async fn outgrown(work: Arc<Beneath>) -> String {
    loop {
        tokio::time::sleep(PAUSE).await;
        let work = Arc::clone(&work);
        if let Ok(Some(how)) = off_thread(move || overfull(&work)).await {
            return how;
        }
    }
}

/// How a work folder holds more than it may, if it does.
pub(super) fn overfull(work: &Beneath) -> Option<String> {
    let mut bytes = 0_u64;
    let seen = survey(work.handle(), BOUNDS, |seen| {
        bytes += seen.taken;
        Next::Into
    });
    match seen {
        Err(unseen) => Some(unseen.to_string()),
        Ok(()) if bytes > MOST_BYTES => {
            Some(format!("it takes {} MiB of {} MiB", bytes.div_ceil(MIB), MOST_BYTES / MIB))
        }
        Ok(()) => None,
    }
}
