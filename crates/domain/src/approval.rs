//! A question to a person about one exact call, and its answer.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::facts::{Facts, Preview};
use crate::id::{ApprovalId, CallId, ConversationId};
use crate::tool::ToolName;

/// A question about one exact call: what will happen, in full, from facts of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The same after a restart, on every surface.
    pub id: ApprovalId,
    /// The call.
    pub call: CallId,
    /// What a yes is bound to.
    pub digest: Digest,
    /// Whether it asks for a yes or for words.
    pub kind: Kind,
    /// The tool.
    pub tool: ToolName,
    /// One line made by the host.
    pub label: String,
    /// What the call would do.
    pub facts: Facts,
    /// The final arguments, whole, as JSON.
    pub arguments: serde_json::Value,
    /// What would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// Why it is asked, for the person: the rule or class default that asks.
    pub why: String,
    /// What the model said beside the call: its words, not the host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The profiles at work where it is asked, the outer one first; empty where the turn itself asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
}

/// What a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A yes or no to the call.
    Permission,
    /// Words for the model; they clear no call, whatever they say.
    Question,
}

impl Approval {
    /// Whether a decision is an answer to this kind of question.
    pub fn takes(&self, decision: &Decision) -> bool {
        match (self.kind, decision) {
            (Kind::Permission, Decision::Approve) | (Kind::Question, Decision::Told(_)) => true,
            (Kind::Permission, Decision::Told(_)) | (Kind::Question, Decision::Approve) => false,
            (_, Decision::Refuse(_) | Decision::RefuseAndStop) => true,
        }
    }

    /// The id of the question about a call with that digest. It follows from both, so asking again after a restart
    /// is the same question, and another digest is another question.
    pub fn id_for(conversation: &ConversationId, call: &CallId, digest: &Digest) -> ApprovalId {
        let text = Digest::of_bytes(format!("approval\n{conversation}\n{call}\n{digest}").as_bytes()).hex();
        ApprovalId::new(&text[..32])
    }
}

/// What a person said to an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Yes, this once.
    Approve,
    /// The answer to a question, as the model reads it.
    Told(String),
    /// No, with words for the model if there are any.
    Refuse(Option<String>),
    /// No, and end the turn.
    RefuseAndStop,
}

/// The answer to an approval, bound to the digest that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The question.
    pub approval: ApprovalId,
    /// What was shown.
    pub digest: Digest,
    /// What was said.
    pub decision: Decision,
    /// Where: `web`, `cli`, ...
    pub surface: String,
    /// The key of the request that brought it: the same request again is told the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}
