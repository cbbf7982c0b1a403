//! What this crate promises at its borders: the channel, the dialects, the supervisor under losses, remote engines, and,
//! with the feature `real-model`, a real model.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "tests write files, read their environment and open sockets")]

mod content_not_control;
mod contract;
mod corpus;
mod event_stream;
mod every_cut;
mod foreign_frames;
mod gguf_header;
mod join_guard;
mod outcome;
mod protocol;
mod providers;
#[cfg(feature = "real-model")]
mod real_model;
#[cfg(feature = "real-model")]
mod reuse;
mod support;
mod talk;
mod usage_exact;
mod wire;
mod worker_loss;
