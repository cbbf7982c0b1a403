//! What the messages of the channel say: the bodies that travel as JSON. Plain values, made and read by both sides of
//! one build; this is no public format and has no second version.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Fault, Kind, Message};
use crate::dialect::ParsedCall;
use crate::segments::Parts;

/// Body of `Hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Must equal `PROTOCOL`.
    pub protocol: u32,
    /// Version of the build; both executables are of one build.
    pub build: String,
    /// The engine and its version.
    pub engine: String,
    /// Compute devices that the engine can use.
    pub devices: Vec<String>,
}

/// Body of `Load`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Absolute path of the weights.
    pub path: String,
    /// Tokens of context wanted; the model's own limit holds as well.
    pub window: u32,
    /// Compute threads, at least 1.
    pub threads: u32,
    /// The name of a dialect that a person chose over the one that the template shows.
    #[serde(default)]
    pub dialect: Option<String>,
}

/// Body of `Progress`: thousandths of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// 0 to 1000.
    pub done: u32,
}

/// Body of `Done` to `Load`: what the model is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// Name in the metadata, may be empty.
    pub name: String,
    /// Architecture in the metadata.
    pub architecture: String,
    /// Tokens of context in use.
    pub window: u32,
    /// Tokens of context the model was trained for.
    pub trained_window: u32,
    /// The dialect of calls.
    pub dialect: String,
    /// Where the dialect comes from, a name of `dialect::Source`.
    pub dialect_source: String,
    /// Calls can be decoded under a grammar.
    pub constrained: bool,
    /// The template has a reasoning channel.
    pub reasoning: bool,
    /// A cut of the sequence in memory is exact at any place.
    pub exact_reuse: bool,
    /// Sampling values of the metadata, by key.
    pub sampling: SamplingHints,
    /// The backend that runs it.
    pub backend: String,
    /// Walls that this system could not give the worker, for the doctor.
    pub missing_walls: Vec<String>,
}

/// Sampling values that a model's metadata states.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SamplingHints {
    /// Temperature.
    pub temperature: Option<f32>,
    /// Nucleus.
    pub top_p: Option<f32>,
    /// Candidates kept.
    pub top_k: Option<u32>,
    /// Least share of the best candidate.
    pub min_p: Option<f32>,
}

/// A prompt as parts; how it becomes tokens is the worker's and its template's matter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// The system text.
    pub system: String,
    /// What stands for the beginning of the conversation; it follows the tools.
    #[serde(default)]
    pub summary: String,
    /// The tools on offer.
    pub tools: Vec<Tool>,
    /// Who said what, oldest first.
    pub turns: Vec<Turn>,
}

/// One tool on offer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON schema of its arguments.
    pub schema: Value,
}

/// One part of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "who", rename_all = "snake_case")]
pub enum Turn {
    /// A person or the host wrote it.
    Person {
        /// The text.
        text: String,
    },
    /// The model wrote it.
    Model {
        /// The answer's text.
        text: String,
        /// The calls, in order.
        calls: Vec<Call>,
    },
    /// What a call returned.
    Result {
        /// The call it answers.
        call: String,
        /// That call's tool.
        tool: String,
        /// The text.
        text: String,
    },
}

/// One call, its arguments byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Its id in the conversation; empty where none is known yet.
    #[serde(default)]
    pub id: String,
    /// The tool's name as written.
    pub name: String,
    /// The arguments as written.
    pub arguments: String,
}

/// Body of `Call` from the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallBegan {
    /// The tool's name as written.
    pub name: String,
}

/// Whether calls may, must or must not be made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The model decides.
    #[default]
    Free,
    /// One call of any tool is made.
    Forced,
    /// One call of this tool is made.
    ForcedTool(String),
    /// None is made; the prompt does not change by it.
    Forbidden,
}

/// Body of `Sample`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// What to answer.
    pub prompt: Prompt,
    /// How to draw.
    pub sampling: Sampling,
    /// Whether calls are made.
    pub choice: Choice,
}

/// How tokens are drawn. All values are final: the worker fills in nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// 0 takes the likeliest token.
    pub temperature: f32,
    /// Nucleus, 1 keeps all.
    pub top_p: f32,
    /// Candidates kept, 0 keeps all.
    pub top_k: u32,
    /// Least share of the best candidate, 0 keeps all.
    pub min_p: f32,
    /// Divisor for tokens of the last 64, 1 changes nothing.
    pub repeat_penalty: f32,
    /// The seed of the draws.
    pub seed: u64,
    /// Tokens to decode at most; the window holds as well.
    pub max_tokens: u32,
}

/// Body of `Count`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// What would be answered.
    pub prompt: Prompt,
    /// Whether calls would be made: the opening of a forced one is decoded with the prompt.
    pub choice: Choice,
}

/// Body of `Done` to `Count`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Tokens of the whole prompt, as they would be decoded.
    pub total: u32,
    /// The same by parts, where the template lets them be told apart.
    pub parts: Option<Parts>,
    /// Of the whole, in memory now.
    pub cached: u32,
}

/// Why a sample ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The model ended its reply.
    Natural,
    /// It ended after calls.
    Calls,
    /// `max_tokens`.
    Length,
    /// A role or turn marker.
    Marker,
    /// The window is full.
    ContextFull,
    /// Cancelled.
    Cancelled,
    /// It repeats itself, or a grammar allows nothing more.
    Cut,
}

/// Body of `Done` and `Cancelled` to `Sample`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// Why it ended.
    pub stop: Stop,
    /// The answer's text.
    pub text: String,
    /// The reasoning.
    pub reasoning: String,
    /// The calls and the faulty frames, in order.
    pub calls: Vec<ParsedCall>,
    /// The dialect of frames that stand in the text, are another dialect's and no calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign: Option<String>,
    /// Counts by the decoder.
    pub usage: Usage,
    /// Times.
    pub times: Times,
}

/// Token counts of one sample, as decoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The whole prompt.
    pub prompt: u32,
    /// Of it, not decoded because it was in memory.
    pub reused: u32,
    /// Of it, decoded now.
    pub prefilled: u32,
    /// Decoded for the reply.
    pub decoded: u32,
    /// Of those, in the reasoning channel.
    pub reasoning: u32,
    /// Of those, under a grammar.
    pub constrained: u32,
}

/// Times of one sample in the worker, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Rendering and tokenising.
    pub render: u64,
    /// Decoding the prompt.
    pub prefill: u64,
    /// From the request to the first token.
    pub first_token: u64,
    /// From the first token to the end.
    pub decode: u64,
}

/// Body of `Beat`: work done inside decoding since the request began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    /// Prompt tokens that are in memory.
    pub prompt: u32,
    /// Tokens of the reply.
    pub decoded: u32,
}

/// Body of `Probe`: time the bare engine on made-up tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// Tokens before.
    pub prefix: u32,
    /// New tokens after them, decoded in one batch.
    pub new: u32,
    /// How often the new tokens are decoded behind the same prefix.
    pub repeats: u32,
}

/// Body of `Done` to `Probe`, in microseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probed {
    /// Decoding the prefix in whole batches.
    pub prefix: u64,
    /// Decoding the new tokens in one batch, up to their logits, each time.
    pub new: Vec<u64>,
}

/// What a failure is, for those who must act on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Failure {
    /// The file cannot be used.
    BadModel {
        /// Why.
        reason: String,
    },
    /// The prompt cannot fit.
    TooLong {
        /// Its tokens.
        needed: u32,
        /// The window.
        window: u32,
    },
    /// The request cannot be served as it is.
    BadRequest {
        /// Why.
        reason: String,
    },
    /// The engine reported a fault and lives on.
    Engine {
        /// What it said.
        reason: String,
    },
}

/// A message with a JSON body.
#[must_use]
pub fn json<T: Serialize>(kind: Kind, request: u64, body: &T) -> Message {
    let body = serde_json::to_vec(body).expect("bodies are plain values with string keys");
    Message { kind, request, body }
}

/// Reads a JSON body.
///
/// # Errors
/// `BadBody` if it is no such value.
pub fn read<T: DeserializeOwned>(message: &Message) -> Result<T, Fault> {
    serde_json::from_slice(&message.body)
        .map_err(|error| Fault::BadBody { kind: message.kind, reason: error.to_string() })
}

/// Reads a text body.
///
/// # Errors
/// `BadBody` if it is not UTF-8.
pub fn text(message: Message) -> Result<String, Fault> {
    let kind = message.kind;
    String::from_utf8(message.body).map_err(|error| Fault::BadBody { kind, reason: error.to_string() })
}
