//! tools: being laid.
