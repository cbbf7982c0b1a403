//! Tool-call dialects: how a model writes text, reasoning and calls in one stream. One file each; a dialect has a parser
//! for streams, a renderer for templates that know no tools, its markers and the frame that a grammar must follow.
//! Pure text: no tokens, no engine, no schemas.

pub mod hermes;

mod frame;

use crate::protocol::message::Call;

/// What a parser gives while a stream runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text of the answer.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// A call began; its name is known.
    CallBegan(String),
    /// A piece of that call's arguments, byte for byte.
    Arguments(String),
}

/// What the whole stream was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Text of the answer.
    pub text: String,
    /// Reasoning.
    pub reasoning: String,
    /// Calls in order; a frame that is no call is kept with an empty name and its body as arguments.
    pub calls: Vec<Call>,
    /// The last call was cut short.
    pub incomplete: bool,
}

/// How a stream ended, as far as a parser must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The model ended it.
    Natural,
    /// Something else did.
    Cut,
}
