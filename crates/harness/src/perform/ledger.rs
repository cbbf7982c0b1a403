//! What frames that work side by side have taken of their common purse. A sample takes its round and the most tokens that
//! it may write before it begins, so that all together never go over the limits. It is kept in memory as long as they
//! work; what was used stands in the entries.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::limits::Limits;
use domain::turn::Used;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Fewer tokens than this are not taken while others may still give some back.
const WORTH_TAKING: u64 = 256;

/// A purse and who draws on it.
#[derive(Debug)]
pub(crate) struct Ledger {
    page: Mutex<Page>,
    given_back: Notify,
}

#[derive(Debug, Default)]
struct Page {
    used: Used,
    /// Samples on their way, and the most tokens that they may write.
    samples: usize,
    tokens: u64,
    /// How often something was given back.
    changes: u64,
}

/// What came of wanting something.
pub(crate) enum Taking {
    /// It was taken.
    Taken(Taken),
    /// Others have taken what is left, and may give some of it back.
    Later,
    /// Nothing is left.
    Spent,
}

/// A round and tokens that nobody else can take. Dropped, all of it is given back.
pub(crate) struct Taken {
    ledger: Arc<Ledger>,
    tokens: u32,
    used: Option<(usize, u64)>,
}

impl Ledger {
    /// A purse of which so much was used before.
    pub(crate) fn new(used: Used) -> Arc<Self> {
        Arc::new(Self { page: Mutex::new(Page { used, ..Page::default() }), given_back: Notify::new() })
    }

    /// Takes a round and up to `wanted` tokens.
    pub(crate) fn take(self: &Arc<Self>, limits: &Limits, wanted: u32) -> Taking {
        let mut page = self.page();
        let rounds = limits.rounds.saturating_sub(page.used.rounds + page.samples);
        let left = limits.decoded_tokens.saturating_sub(page.used.decoded + page.tokens);
        let others = page.samples > 0;
        if others && (rounds == 0 || left < WORTH_TAKING.min(u64::from(wanted))) {
            return Taking::Later;
        }
        if rounds == 0 || left == 0 {
            return Taking::Spent;
        }
        let tokens = wanted.min(u32::try_from(left).unwrap_or(u32::MAX));
        page.samples += 1;
        page.tokens += u64::from(tokens);
        Taking::Taken(Taken { ledger: Arc::clone(self), tokens, used: None })
    }

    /// Comes back once somebody has given something back.
    pub(crate) fn given_back(&self) -> Notified<'_> {
        self.given_back.notified()
    }

    /// How often something was given back.
    pub(crate) fn changes(&self) -> u64 {
        self.page().changes
    }

    /// Takes over what the entries say, unless somebody has changed something since.
    pub(crate) fn correct(&self, used: Used, since: u64) {
        let mut page = self.page();
        if page.samples == 0 && page.changes == since {
            page.used = used;
        }
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// The most tokens that may be written.
    pub(crate) fn tokens(&self) -> u32 {
        self.tokens
    }

    /// So many rounds and tokens were used, and are in the entries.
    pub(crate) fn used(mut self, rounds: usize, tokens: u64) {
        self.used = Some((rounds, tokens));
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut page = self.ledger.page();
        page.samples -= 1;
        page.tokens -= u64::from(self.tokens);
        page.changes += 1;
        let (rounds, tokens) = self.used.unwrap_or_default();
        page.used.rounds += rounds;
        page.used.decoded += tokens;
        drop(page);
        self.ledger.given_back.notify_waiters();
    }
}
