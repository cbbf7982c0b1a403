//! The part of a prompt that stays: system text and tool block, known by one digest. Not the conversation.

use std::sync::Arc;

use crate::digest::Digest;
use crate::tool::{ToolSet, ToolSpec};

/// The part of a prompt that does not change between turns: system text and tool block.
#[derive(Debug, Clone, PartialEq)]
pub struct Prefix {
    /// What the model is told it is.
    pub system: String,
    /// The tools it may call, in order of their names.
    pub tools: Vec<Arc<ToolSpec>>,
    /// The digest of both.
    pub hash: Digest,
}

impl Prefix {
    /// Builds the prefix; equal text and tools give an equal hash.
    pub fn new(system: String, tools: &ToolSet) -> Self {
        let tools: Vec<_> = tools.iter().cloned().collect();
        let digests: Vec<_> = tools.iter().map(|tool| tool.digest().hex()).collect();
        let hash = Digest::of_json(&serde_json::json!({ "system": system, "tools": digests }));
        Self { system, tools, hash }
    }
}
