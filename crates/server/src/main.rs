//! The `riad` binary.
fn main() {}
