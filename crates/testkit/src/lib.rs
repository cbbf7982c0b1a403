//! testkit: being laid.
