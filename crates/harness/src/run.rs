//! run: next.
