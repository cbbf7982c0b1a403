//! sessions: next.
