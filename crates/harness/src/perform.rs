//! perform: next.
