//! The sandbox from outside: walls, escapes, ends, output, limits, records. Each module is one promise of the crate.
#![allow(clippy::disallowed_methods, reason = "tests make files and read /proc")]

mod smoke;
