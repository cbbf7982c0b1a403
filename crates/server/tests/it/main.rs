//! The server as its clients see it: over real sockets, against the library server or the real binary.
#![allow(clippy::disallowed_methods, reason = "tests use files, processes and sockets")]
#![allow(clippy::print_stdout, reason = "tests tell what they measured")]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
#![allow(missing_docs, reason = "tests are documented by their names")]

mod agents;
mod answers;
mod approval_later;
mod binary;
mod cli;
mod commands;
mod conversations;
mod cross_site;
mod delegates;
mod explain;
mod idempotency;
mod isolation;
mod kill_nine;
mod lines;
mod locking;
mod models;
mod providers;
mod pty;
mod remains;
mod replaced;
mod search;
mod setup;
mod sole_owner;
mod start_and_end;
mod stop_everywhere;
mod stream_cuts;
mod terminal;
mod watcher;
mod world;
