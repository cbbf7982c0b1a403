//! act: next.
