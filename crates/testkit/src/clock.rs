//! A clock that stands still until it is moved, and names that are counted.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use domain::time::Timestamp;
use harness::ports::Clock;

/// A day in milliseconds.
pub const DAY_MS: i64 = 86_400_000;

/// Time and names that are the same in every run.
#[derive(Debug)]
pub struct FixedClock {
    now: AtomicI64,
    names: AtomicU64,
}

impl Default for FixedClock {
    fn default() -> Self {
        Self { now: AtomicI64::new(1_796_061_600_000), names: AtomicU64::new(0) }
    }
}

impl FixedClock {
    /// Moves on by so many milliseconds.
    pub fn advance(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::SeqCst))
    }

    fn new_id(&self) -> String {
        format!("{:026}", self.names.fetch_add(1, Ordering::SeqCst) + 1)
    }
}
