//! Does what the loop was told to do. Each effect has one file; none of them decides.

mod ask;
mod compact;
mod deadline;
mod delegate;
mod ledger;
mod run;
mod sample;
mod screen;

pub(crate) use ask::ask;
pub(crate) use compact::compact;
pub(crate) use delegate::{Nobody, delegate};
pub(crate) use ledger::Ledger;
pub(crate) use run::run;
pub(crate) use sample::sample;
pub(crate) use screen::screen;

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;

/// Runs foreign code; a panic costs that piece of work alone.
pub(crate) async fn guarded<T>(work: impl Future<Output = T>) -> Option<T> {
    AssertUnwindSafe(work).catch_unwind().await.ok()
}
