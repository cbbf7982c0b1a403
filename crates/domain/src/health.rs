//! Which models rest: a model that failed three times in a row is not begun with for a while, then probed once.
//!
//! A value that whoever runs an instance holds for all conversations; what time it is comes in as an argument. It knows
//! nothing of which model a turn prefers.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::SampleFault;
use crate::time::Timestamp;

/// Failures in a row after which a model rests.
const FAILURES: u32 = 3;

/// The first rest, in milliseconds; each further failure doubles it.
const FIRST_REST_MS: u64 = 30_000;

/// The longest rest, in milliseconds.
const LONGEST_REST_MS: u64 = 600_000;

/// A probe of which nothing was heard for so many milliseconds was lost, and another may be made.
const PROBE_MS: u64 = 180_000;

/// How the models of an instance have done of late.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health(BTreeMap<String, Streak>);

/// The failures of one model since it last answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Streak {
    failures: u32,
    last: Timestamp,
    rest_ms: u64,
    probed: Option<Timestamp>,
}

impl Health {
    /// A model is asked. If its rest is over this is its one probe, and it rests for all others meanwhile.
    pub fn asked(&mut self, model: &str, now: Timestamp) {
        if let Some(streak) = self.0.get_mut(model)
            && streak.failures >= FAILURES
            && !streak.is_resting(now)
        {
            streak.probed = Some(now);
        }
    }

    /// A model answered: all is forgotten.
    pub fn answered(&mut self, model: &str) {
        self.0.remove(model);
    }

    /// A sample failed. What lies in the request and not in the model does not count.
    pub fn failed(&mut self, model: &str, fault: &SampleFault, now: Timestamp) {
        if !blames_model(fault) {
            return;
        }
        let streak = self.0.entry(model.to_owned()).or_default();
        streak.failures = streak.failures.saturating_add(1);
        streak.last = now;
        streak.rest_ms = rest_ms(streak.failures);
        streak.probed = None;
    }

    /// A probe was given up before it told anything.
    pub fn left(&mut self, model: &str) {
        if let Some(streak) = self.0.get_mut(model) {
            streak.probed = None;
        }
    }

    /// The models that rest at this moment.
    pub fn resting(&self, now: Timestamp) -> BTreeSet<String> {
        self.0.iter().filter(|(_, streak)| streak.is_resting(now)).map(|(model, _)| model.clone()).collect()
    }
}

impl Streak {
    fn is_resting(&self, now: Timestamp) -> bool {
        let probed = self.probed.is_some_and(|since| now.since(since) < PROBE_MS);
        self.failures >= FAILURES && (now.since(self.last) < self.rest_ms || probed)
    }
}

fn rest_ms(failures: u32) -> u64 {
    let doublings = failures.saturating_sub(FAILURES).min(16);
    (FIRST_REST_MS << doublings).min(LONGEST_REST_MS)
}

/// Whether a fault says something of the model for other prompts too. A worker that crashed may have done so because of
/// this one prompt, so no other conversation is kept from it.
fn blames_model(fault: &SampleFault) -> bool {
    match fault {
        SampleFault::Busy
        | SampleFault::BusyFor(_)
        | SampleFault::RateLimited(_)
        | SampleFault::Unauthorised
        | SampleFault::NoCredit
        | SampleFault::Gone(_)
        | SampleFault::Timeout(_)
        | SampleFault::Network(_)
        | SampleFault::Cut
        | SampleFault::Unknown(_) => true,
        SampleFault::BadRequest(_)
        | SampleFault::TooLong { .. }
        | SampleFault::Overflow { .. }
        | SampleFault::TooSmall { .. }
        | SampleFault::Crashed(_)
        | SampleFault::Filtered => false,
    }
}

#[cfg(test)]
mod tests;
