//! A call gains its rights by changing its type: [`ToolCall`] as a model wrote it, [`ValidCall`] that fits its schema,
//! [`ClearedCall`] that may run. The last is made only inside this crate, so an uncleared call cannot reach a tool.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Digest;
use crate::facts::Facts;
use crate::id::{ApprovalId, CallId, ConversationId, RuleId};
use crate::limits::ARGUMENT_BYTES;
use crate::strict;
use crate::tool::{ToolName, ToolSet, ToolSpec};

/// A call as the model wrote it, arguments byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique in the conversation.
    pub id: CallId,
    /// The name the model used.
    pub tool: ToolName,
    /// The text of the arguments.
    pub arguments: String,
    /// What was already wrong when the frame was read, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FrameFault>,
    /// The id that the wire of a remote model used, when it had to be replaced by ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_id: Option<String>,
}

/// A fault that the reader of a dialect found in the frame of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameFault {
    /// The frame was cut; says what is missing.
    Incomplete(String),
    /// The arguments are larger than 1 MiB.
    TooLarge,
}

/// Why a call never came before the gate. The model reads it as the result of its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    /// No tool has that name; the nearest names.
    UnknownTool(Vec<ToolName>),
    /// The arguments do not fit.
    BadArguments {
        /// JSON pointer of the first bad place.
        path: String,
        /// What is wrong there.
        reason: String,
        /// Up to 600 characters of the schema.
        schema: String,
    },
    /// The call was cut.
    Incomplete(String),
    /// The arguments are larger than 1 MiB.
    TooLarge,
    /// The reply held more calls than one reply may.
    TooMany(usize),
    /// No call was allowed in this reply.
    Forbidden,
}

impl Rejection {
    /// The sentence the model reads: what is wrong and what to do.
    pub fn text(&self) -> String {
        match self {
            Self::UnknownTool(nearest) => {
                let names: Vec<_> = nearest.iter().map(ToolName::as_str).collect();
                format!("There is no tool of that name. The nearest names: {}.", names.join(", "))
            }
            Self::BadArguments { path, reason, schema } => {
                let place = if path.is_empty() { "the arguments" } else { path };
                format!("The arguments do not fit at {place}: {reason}. Expected: {schema}")
            }
            Self::Incomplete(missing) => {
                format!(
                    "The call was cut off ({missing}) and did not run. Write it again, in smaller parts if it is long."
                )
            }
            Self::TooLarge => "The arguments are larger than 1 MiB and did not run. Split the work.".to_owned(),
            Self::TooMany(most) => {
                format!("At most {most} calls fit in one reply; this one did not run. Call it again.")
            }
            Self::Forbidden => "No call may be made now; this one did not run. Answer with what is known.".to_owned(),
        }
    }
}

/// A call that fits the schema of an existing tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidCall {
    id: CallId,
    spec: Arc<ToolSpec>,
    arguments: Value,
}

impl ValidCall {
    /// Checks a call as a model wrote it against the tools there are.
    pub fn check(call: &ToolCall, tools: &ToolSet) -> Result<Self, Rejection> {
        let spec = tools.get(&call.tool).ok_or_else(|| Rejection::UnknownTool(tools.nearest(&call.tool)))?;
        match &call.fault {
            Some(FrameFault::Incomplete(missing)) => return Err(Rejection::Incomplete(missing.clone())),
            Some(FrameFault::TooLarge) => return Err(Rejection::TooLarge),
            None if call.arguments.len() > ARGUMENT_BYTES => return Err(Rejection::TooLarge),
            None => {}
        }
        let text = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
        let arguments = strict::parse(text).map_err(|fault| not_json(&fault, spec))?;
        Self::with_arguments(call.id.clone(), Arc::clone(spec), arguments)
    }

    /// A call with these final arguments, checked against the schema: the only way to change arguments.
    pub fn with_arguments(id: CallId, spec: Arc<ToolSpec>, arguments: Value) -> Result<Self, Rejection> {
        match spec.schema.misfit(&arguments) {
            None => Ok(Self { id, spec, arguments }),
            Some((path, reason)) => Err(Rejection::BadArguments { path, reason, schema: excerpt(&spec) }),
        }
    }

    /// The id of the call.
    pub fn id(&self) -> &CallId {
        &self.id
    }

    /// The tool it names.
    pub fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    /// Its final arguments.
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// What an approval is bound to: tool, form of the tool, final arguments and facts, content hashes among them.
    pub fn digest(&self, facts: &Facts) -> Digest {
        let facts = serde_json::to_value(facts).expect("facts are plain data with text keys");
        Digest::of_json(&serde_json::json!({
            "tool": self.spec.name.as_str(),
            "spec": self.spec.digest(),
            "arguments": self.arguments,
            "facts": facts,
        }))
    }
}

fn not_json(fault: &serde_json::Error, spec: &ToolSpec) -> Rejection {
    if fault.is_eof() {
        return Rejection::Incomplete("the JSON of its arguments has no end".to_owned());
    }
    Rejection::BadArguments {
        path: String::new(),
        reason: format!("not one JSON object ({fault})"),
        schema: excerpt(spec),
    }
}

fn excerpt(spec: &ToolSpec) -> String {
    let mut text = String::new();
    write!(text, "{}", spec.schema.json()).expect("writing to a string cannot fail");
    text.chars().take(600).collect()
}

/// What permits a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clearance {
    /// The default of its effect class.
    Class,
    /// A rule.
    Rule(RuleId),
    /// The yes of a person to this exact call.
    Approval(ApprovalId),
}

/// A call that may run: the proof that the gate let exactly these arguments and facts through.
///
/// Only this crate makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct ClearedCall {
    call: ValidCall,
    facts: Facts,
    digest: Digest,
    clearance: Clearance,
    key: String,
    probe: bool,
}

impl ClearedCall {
    /// Binds a call to what cleared it. `probe` asks the tool to look whether an earlier, cut run has landed.
    pub(crate) fn new(
        conversation: &ConversationId,
        call: ValidCall,
        facts: Facts,
        clearance: Clearance,
        probe: bool,
    ) -> Self {
        let digest = call.digest(&facts);
        let key = Digest::of_bytes(format!("{conversation}\n{}\n{digest}", call.id).as_bytes()).hex();
        Self { call, facts, digest, clearance, key, probe }
    }

    /// The call.
    pub fn call(&self) -> &ValidCall {
        &self.call
    }

    /// The facts it was cleared with.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What it was cleared for.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What cleared it.
    pub fn clearance(&self) -> &Clearance {
        &self.clearance
    }

    /// Equal over retries, restarts and replays of the same call: made from conversation, call id and digest.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Whether the tool must first look if an earlier run with the same key has landed.
    pub fn probe(&self) -> bool {
        self.probe
    }
}
