//! The pieces of a conversation as a model reads them. How they become tokens or JSON is an adapter's matter.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::CallId;
use crate::limits::ARGUMENT_BYTES;
use crate::model::Signed;
use crate::strict;
use crate::tool::ToolName;

/// One piece of a conversation as a model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// What stands for the beginning of the conversation. It is the host's and comes first; where a wire has no place
    /// for it, it follows the system text. It is never a message of a person.
    Summary {
        /// The record.
        text: String,
    },
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
        /// Its signed reasoning, for an adapter of the same lineage.
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
