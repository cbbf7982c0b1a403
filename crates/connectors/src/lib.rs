//! connectors: being laid.
