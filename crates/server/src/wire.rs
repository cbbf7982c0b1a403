//! What goes over HTTP and the stream, converted by hand from the domain: its types are ours to change, these are not.
//! Within v1 they only grow. Each derives `TS` for tests, so that the web client's types are made from these and from
//! nothing else: after a change, `cargo xtask wire` (see `typescript`).

pub mod answer;
pub mod approval;
pub mod choice;
pub mod conversation;
pub mod entry;
pub mod file;
pub mod form;
pub mod frame;
pub mod line;
pub mod problem;
pub mod search;
pub mod session;
#[cfg(test)]
mod typescript;
pub mod usage;
pub mod word;
