//! What this crate promises at its borders: the channel, the dialects, the supervisor under losses, remote engines, and,
//! with the feature `real-model`, a real model.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "tests write files, read their environment and open sockets")]

mod contract;
mod event_stream;
mod every_cut;
mod gguf_header;
mod openai;
mod protocol;
#[cfg(feature = "real-model")]
mod real_model;
mod support;
mod worker_loss;
