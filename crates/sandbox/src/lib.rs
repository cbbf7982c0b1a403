//! sandbox: being laid.
