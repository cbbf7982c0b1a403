//! The tools at their borders: tables of cases, real trees, real files.
#![expect(clippy::disallowed_methods, reason = "tests lay trees of files and look at what became of them")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod argv_cases;
mod argv_random;
mod cases;
mod clear;
mod file_bytes;
mod file_changes;
mod file_landed;
mod file_walks;
mod path_cases;
mod path_races;
mod programs;
mod room;
mod shell_output;
mod shell_walls;
