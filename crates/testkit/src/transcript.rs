//! Transcripts: what people, the model and the world do, line by line, and what is then recorded and asked.
//!
//! [`Script::parse`] reads one, [`Stage::play`] plays it on the real loop with fakes for every port, [`print()`] says what
//! came of it. `crash` may stand at any line; a [`Trap`](crate::journal::Trap) cuts a play at any append.
//!
//! The lines are described in `crates/harness/transcripts/README.md`.

mod parse;
mod print;
mod stage;

pub use parse::{BadLine, Script, Step};
pub use print::{entry, print};
pub use stage::{Played, Reached, Stage};
