//! The store at its boundary: real files, real keys, the cheapest derivation allowed.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests look at files, clocks and databases themselves"
)]

mod audit;
mod choices;
mod conversations;
mod disk;
mod idempotency;
mod journal;
mod migrations;
mod notes;
mod once;
mod search;
mod sessions;
mod setup;
mod sole_owner;
mod throttle;
mod vault_alone;
mod world;
mod wraps;
