//! store: being laid.
