//! Connectors: MCP servers as tools. So far only the border of the crate: what it may use stands in its manifest and in
//! the table of crates, and nothing here runs.

#![forbid(unsafe_code)]
