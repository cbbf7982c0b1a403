//! The tools at their borders: tables of cases, real trees, real files.
#![expect(clippy::disallowed_methods, reason = "tests lay trees of files and look at what became of them")]

mod argv_cases;
mod argv_random;
mod cases;
mod programs;
