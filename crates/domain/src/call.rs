//! A call gains its rights by changing its type: [`ToolCall`] as a model wrote it, [`ValidCall`] that fits its schema,
//! [`ClearedCall`] that may run. The last is made only inside this crate, so an uncleared call cannot reach a tool.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Digest;
use crate::facts::Facts;
use crate::id::{ApprovalId, CallId, ConversationId, RuleId};
use crate::limits::ARGUMENT_BYTES;
use crate::model::StopReason;
use crate::repair::{self, LostDigits, Outcome, Shape, Step};
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
    /// It was not written as this model writes calls, and taken all the same: the gate asks unless it only reads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

/// A fault that the reader of a dialect found in the frame of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameFault {
    /// The frame was cut; says what is missing.
    Incomplete(String),
    /// The arguments are larger than 1 MiB.
    TooLarge,
    /// What stands in the frame is no call.
    NoCall,
}

/// Characters of the schema that stand in a rejection.
const SCHEMA_CHARS: usize = 600;

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
        /// A complete example, when the tool was called wrongly again and again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        example: Option<String>,
    },
    /// The call was cut.
    Incomplete(String),
    /// The arguments are larger than 1 MiB, nested too deep, or have too many keys.
    TooLarge,
    /// The reply held more calls than one reply may.
    TooMany(usize),
    /// No call was allowed in this reply.
    Forbidden,
    /// The turn has made as many calls as it may.
    Spent(usize),
    /// That profile cannot be run as a delegate from here; those that can.
    NoDelegate(Vec<String>),
}

impl Rejection {
    fn bad_arguments(path: String, reason: String, spec: &ToolSpec) -> Self {
        let schema = excerpt(spec, &path);
        Self::BadArguments { path, reason, schema, example: None }
    }

    fn of_frame(fault: &FrameFault, spec: Option<&Arc<ToolSpec>>) -> Self {
        match fault {
            FrameFault::Incomplete(missing) => Self::Incomplete(missing.clone()),
            FrameFault::TooLarge => Self::TooLarge,
            FrameFault::NoCall => {
                let reason = "what stands in the frame is not written as a call".to_owned();
                let schema =
                    || "the name of a tool and one JSON object, in the form that the tools are shown with".to_owned();
                let schema = spec.map_or_else(schema, |spec| excerpt(spec, ""));
                Self::BadArguments { path: String::new(), reason, schema, example: None }
            }
        }
    }

    /// The sentence the model reads: what is wrong and what to do.
    pub fn text(&self) -> String {
        match self {
            Self::UnknownTool(nearest) => {
                let names: Vec<_> = nearest.iter().map(ToolName::as_str).collect();
                format!("There is no tool of that name. The nearest names: {}.", names.join(", "))
            }
            Self::BadArguments { path, reason, schema, example } => {
                let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
                let example = example.as_ref().map(|text| format!(" A complete example: {text}")).unwrap_or_default();
                format!("The arguments do not fit{place}: {reason}. Expected: {schema}{example}")
            }
            Self::Incomplete(missing) => {
                format!(
                    "The call was cut off ({missing}) and did not run. Write it again, in smaller parts if it is long."
                )
            }
            Self::TooLarge => format!(
                "The arguments are too large and did not run: at most 1 MiB, {} levels and {} keys. Split the work.",
                repair::MOST_LEVELS,
                repair::MOST_KEYS
            ),
            Self::TooMany(most) => {
                format!("At most {most} calls fit in one reply; this one did not run. Call it again.")
            }
            Self::Forbidden => "No call may be made now; this one did not run. Answer with what is known.".to_owned(),
            Self::Spent(most) => {
                format!(
                    "A turn may make {most} calls, and they are made; this one did not run. Answer with what is known."
                )
            }
            Self::NoDelegate(legal) if legal.is_empty() => {
                "No profile can be run as a delegate from here. Do the work yourself.".to_owned()
            }
            Self::NoDelegate(legal) => {
                format!("That profile cannot be run as a delegate from here. Those that can: {}.", legal.join(", "))
            }
        }
    }
}

/// A call that fits the schema of an existing tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidCall {
    id: CallId,
    spec: Arc<ToolSpec>,
    arguments: Value,
    repairs: Vec<Step>,
    recovered: bool,
}

impl ValidCall {
    /// Checks a call of a reply that ended by itself against the tools there are.
    pub fn check(call: &ToolCall, tools: &ToolSet) -> Result<Self, Rejection> {
        Self::check_in(call, tools, StopReason::Natural)
    }

    /// Checks a call of a reply that ended so. Arguments that fit stay as they are; others are mended where they have
    /// one reading.
    pub fn check_in(call: &ToolCall, tools: &ToolSet, stop: StopReason) -> Result<Self, Rejection> {
        if let Some(fault) = &call.fault {
            return Err(Rejection::of_frame(fault, tools.get(&call.tool)));
        }
        let spec = tools.get(&call.tool).ok_or_else(|| Rejection::UnknownTool(tools.nearest(&call.tool)))?;
        if call.arguments.len() > ARGUMENT_BYTES {
            return Err(Rejection::TooLarge);
        }
        let none = call.arguments.trim().is_empty() && !repair::cuts(stop);
        let text = if none { "{}" } else { call.arguments.as_str() };
        let shape = Shape { schema: &spec.schema, tool: spec.name.as_str() };
        let (text, repairs) = match repair::repair(text, shape, stop) {
            Outcome::Untouched => (text.to_owned(), Vec::new()),
            Outcome::Repaired(mended) => (mended.text, mended.steps),
            Outcome::Incomplete(what) => return Err(Rejection::Incomplete(what)),
            Outcome::BadArguments { path, reason } => return Err(Rejection::bad_arguments(path, reason, spec)),
            Outcome::TooLarge => return Err(Rejection::TooLarge),
        };
        let arguments = repair::value(&text).map_err(|lost| too_exact(&lost, spec))?;
        let unknown = repair::unknown_keys(&arguments, &spec.schema);
        let valid = Self::with_arguments(call.id.clone(), Arc::clone(spec), arguments)?;
        Ok(Self { repairs: [repairs, unknown].concat(), recovered: call.recovered, ..valid })
    }

    /// A call with these final arguments, checked against the schema.
    pub fn with_arguments(id: CallId, spec: Arc<ToolSpec>, arguments: Value) -> Result<Self, Rejection> {
        match spec.schema.misfit(&arguments) {
            None => Ok(Self { id, spec, arguments, repairs: Vec::new(), recovered: false }),
            Some((path, reason)) => Err(Rejection::bad_arguments(path, reason, &spec)),
        }
    }

    /// The same call with other arguments, checked against the schema: the only way to change them.
    pub fn rewritten(&self, arguments: Value) -> Result<Self, Rejection> {
        let valid = Self::with_arguments(self.id.clone(), Arc::clone(&self.spec), arguments)?;
        Ok(Self { repairs: self.repairs.clone(), recovered: self.recovered, ..valid })
    }

    /// What had to be mended in its arguments, and which of their keys nobody knows.
    pub fn repairs(&self) -> &[Step] {
        &self.repairs
    }

    /// It was not written as its model writes calls.
    pub fn is_recovered(&self) -> bool {
        self.recovered
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

fn too_exact(lost: &LostDigits, spec: &ToolSpec) -> Rejection {
    let reason = format!("the number {} has more digits than can be kept; write at most 15 digits", lost.number);
    Rejection::bad_arguments(lost.path.clone(), reason, spec)
}

/// The schema, or the part of it that speaks of the bad place where the whole is too long.
fn excerpt(spec: &ToolSpec, path: &str) -> String {
    let whole = spec.schema.json().to_string();
    if whole.chars().count() <= SCHEMA_CHARS {
        return whole;
    }
    let top = path.split('/').nth(1).unwrap_or_default();
    let part = spec.schema.json().pointer(&format!("/properties/{top}")).filter(|_| !top.is_empty());
    part.map_or(whole, ToString::to_string).chars().take(SCHEMA_CHARS).collect()
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
