//! The decisions at their borders: what compiles, what folds, what a prompt holds. One binary, so that it links once.
//!
//! `domain` is tested alone: it knows none of the other crates, not even those that hold only tests.

mod compile_fail;
mod fold;
mod json_text;
mod monotone;
mod orphans;
mod plan_fits;
mod random;
mod repair;
mod stored;
mod truncated;
