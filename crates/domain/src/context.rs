//! The projection: a pure function from entries to what a model reads. It grows only at its end.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Digest;
use crate::id::{CallId, EntryNumber};
use crate::limits::ARGUMENT_BYTES;
use crate::model::Signed;
use crate::result::{Status, ToolResult};
use crate::strict;
use crate::tool::{ToolName, ToolSet, ToolSpec};

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

/// What a model is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// The part that stays.
    pub prefix: Arc<Prefix>,
    /// The conversation, oldest first.
    pub items: Vec<Arc<Item>>,
    /// The last entry that it knows of.
    pub seen: EntryNumber,
    /// Whether the last item is a reply that was left open: the sample goes on with it from its last token. Only asked
    /// of models that say they can.
    pub open: bool,
    /// Whether calls may be made in the reply.
    pub calls: CallPolicy,
    /// The most tokens of the reply.
    pub max_tokens: u32,
    /// How often this sample is varied, 0 for the first time: another seed and a higher temperature.
    pub variation: u32,
}

/// Whether a reply may hold calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPolicy {
    /// The model decides.
    Free,
    /// None; the tool block stays as it is.
    Forbidden,
    /// The reply goes on with a call. Only asked of models that reported how likely one was.
    Forced,
}

/// One piece of a conversation as a model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// What a person said, and what the host added beside it.
    Person {
        /// As written.
        text: String,
        /// Date and zone.
        aside: Option<String>,
    },
    /// What a model replied.
    Model {
        /// What it said.
        text: String,
        /// The calls it made, arguments as it wrote them.
        calls: Vec<MadeCall>,
        /// Its signed reasoning, for an adapter of the same family.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signed: Option<Signed>,
    },
    /// What came back from a call.
    Result {
        /// The call.
        call: CallId,
        /// The tool.
        tool: ToolName,
        /// What the model reads.
        text: String,
    },
}

/// A call as it is replayed to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeCall {
    /// The id that wire and template use.
    pub id: CallId,
    /// The name the model wrote.
    pub tool: ToolName,
    /// The arguments: byte for byte as written where they are a JSON object, else `{}`.
    pub arguments: String,
}

/// The arguments that can be replayed to any server: what was written if it is a JSON object, else `{}`. Arguments that
/// were refused as too large would fill every later prompt, so they are not replayed either.
pub(crate) fn replayable(arguments: &str) -> String {
    if arguments.len() > ARGUMENT_BYTES {
        return "{}".to_owned();
    }
    match strict::parse(arguments) {
        Ok(Value::Object(_)) => arguments.to_owned(),
        Ok(_) | Err(_) => "{}".to_owned(),
    }
}

/// What a model reads of a result: the status comes first unless the call is done.
pub(crate) fn view(result: &ToolResult) -> String {
    let word = match result.status {
        Status::Done => return result.text.clone(),
        Status::Failed => "Failed",
        Status::Refused => "Refused",
        Status::Cancelled => "Cancelled",
        Status::Interrupted => "Interrupted",
    };
    format!("{word}: {}", result.text)
}
