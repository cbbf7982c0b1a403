//! egress: being laid.
