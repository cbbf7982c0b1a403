//! When a worker that died may be started again (OPS-29): a wait that doubles, and a rest after many crashes. Pure:
//! instants come in as arguments.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const MOST_CRASHES: usize = 5;
const SPAN: Duration = Duration::from_secs(300);

/// What is known of a worker's deaths.
#[derive(Debug, Default)]
pub(crate) struct Health {
    crashes: VecDeque<Instant>,
    in_a_row: u32,
}

/// Whether a worker may be started now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// It may.
    Now,
    /// After this time.
    After(Duration),
    /// It crashed too often and rests for this time.
    Rests(Duration),
}

impl Health {
    /// A worker died.
    pub(crate) fn crashed(&mut self, now: Instant) {
        self.crashes.push_back(now);
        self.in_a_row = self.in_a_row.saturating_add(1);
        if self.crashes.len() > MOST_CRASHES {
            self.crashes.pop_front();
        }
    }

    /// A request came to its end.
    pub(crate) fn worked(&mut self) {
        self.in_a_row = 0;
    }

    /// May a worker be started?
    pub(crate) fn leave(&self, now: Instant) -> Leave {
        let Some(last) = self.crashes.back() else { return Leave::Now };
        let first = self.crashes.front().copied().unwrap_or(*last);
        let rested = now.saturating_duration_since(first);
        if self.crashes.len() == MOST_CRASHES && rested < SPAN {
            return Leave::Rests(SPAN - rested);
        }
        if self.in_a_row == 0 {
            return Leave::Now;
        }
        let wait = FIRST_WAIT.saturating_mul(1 << (self.in_a_row - 1).min(6)).min(LONGEST_WAIT);
        match wait.checked_sub(now.saturating_duration_since(*last)) {
            None | Some(Duration::ZERO) => Leave::Now,
            Some(left) => Leave::After(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_a_success_ends_them() {
        let start = Instant::now();
        let mut health = Health::default();
        assert_eq!(health.leave(start), Leave::Now);
        health.crashed(start);
        assert_eq!(health.leave(start), Leave::After(FIRST_WAIT));
        health.crashed(start);
        assert_eq!(health.leave(start), Leave::After(FIRST_WAIT * 2));
        assert_eq!(health.leave(start + FIRST_WAIT * 2), Leave::Now);
        health.worked();
        assert_eq!(health.leave(start), Leave::Now);
    }

    #[test]
    fn five_crashes_in_five_minutes_are_a_rest_that_ends_by_time() {
        let start = Instant::now();
        let mut health = Health::default();
        for second in 0..5 {
            health.crashed(start + Duration::from_secs(second));
        }
        let now = start + Duration::from_secs(10);
        assert_eq!(health.leave(now), Leave::Rests(SPAN - Duration::from_secs(10)));
        assert_eq!(health.leave(start + SPAN), Leave::Now);
    }
}
