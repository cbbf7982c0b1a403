//! harness: being laid.
