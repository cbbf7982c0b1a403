//! domain: being laid.
