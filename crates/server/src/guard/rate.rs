//! Requests a minute for each person and class (UI-9). In memory: a restart forgets, as it only protects the machine.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use domain::time::Timestamp;
use store::PersonId;

use crate::problem::{Code, Problem};

/// How costly a route is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// 600 a minute.
    Read,
    /// 120 a minute.
    Write,
    /// 60 a minute.
    Search,
}

impl Class {
    fn most(self) -> u32 {
        match self {
            Self::Read => 600,
            Self::Write => 120,
            Self::Search => 60,
        }
    }
}

const MINUTE: i64 = 60_000;

/// The counters of the current minutes.
#[derive(Default)]
pub struct Rates(Mutex<HashMap<(PersonId, Class), (i64, u32)>>);

impl Rates {
    /// Counts one request, or refuses it until the minute is over.
    pub fn take(&self, person: PersonId, class: Class, now: Timestamp) -> Result<(), Problem> {
        let minute = now.0.div_euclid(MINUTE);
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counter = counters.entry((person, class)).or_insert((minute, 0));
        if counter.0 != minute {
            *counter = (minute, 0);
        }
        if counter.1 >= class.most() {
            let seconds = (MINUTE - now.0.rem_euclid(MINUTE)) / 1000 + 1;
            let problem = Problem::new(Code::TooManyRequests, "Too many requests in this minute. Wait and try again.");
            return Err(problem.retry_after(seconds.unsigned_abs()));
        }
        counter.1 += 1;
        Ok(())
    }
}
