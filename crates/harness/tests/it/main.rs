//! The loop at its borders: transcripts, cuts, stops, floors. One binary, so that it links once.

#![expect(
    clippy::disallowed_methods,
    reason = "transcripts are files, and UPDATE_EXPECT asks for them to be rewritten"
)]

mod breakers;
mod compaction_faults;
mod contracts;
mod cut_anywhere;
mod delegates;
mod desk;
mod fallback;
mod footer;
mod language_free;
mod on_load;
mod prefix_stable;
mod rejected_reaches;
mod resumes;
mod room;
mod rounds;
mod same_digest;
mod scene;
mod stop;
mod too_long;
mod transcripts;
