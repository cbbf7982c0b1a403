//! The sandbox from outside: walls, escapes, ends, output, limits, records. Each module is one promise of the crate. All
//! of it works as root, where commands get a user of their own, and as an ordinary user.
#![allow(clippy::disallowed_methods, reason = "tests make files, read /proc and run the probe without walls")]
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helping functions too")]

mod end_tree;
mod escapes;
mod leaks;
mod limits;
mod mounts;
mod output;
mod place;
mod sweep;
mod walls;
