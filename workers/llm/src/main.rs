//! The worker that runs a language model.
fn main() {}
