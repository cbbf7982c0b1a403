//! Looks in a reply that holds no frame of its own dialect for one of another (LOOP-38). Only whole calls of known tools are
//! taken, all of the reply or none, and marked `recovered`: the gate then asks a person unless the call only reads.

use std::sync::Arc;

use super::parser::Parser;
use super::{Dialect, Ending, ParsedCall, Piece};
use crate::protocol::message::Tool;

/// The dialects that are tried, the ones with the clearest markers first. Of two that one parser reads, one is enough.
const ORDER: [Dialect; 11] = [
    Dialect::Dsml,
    Dialect::Kimi,
    Dialect::Harmony,
    Dialect::Gemma,
    Dialect::Glm,
    Dialect::QwenXml,
    Dialect::Hermes,
    Dialect::MistralArgs,
    Dialect::LlamaHeader,
    Dialect::Pythonic,
    Dialect::Json,
];

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    /// No frame of any dialect.
    Nothing,
    /// Frames of this dialect that stay text.
    Frames(Dialect),
    /// Calls.
    Calls(Recovered),
}

/// Calls that were found, and the text without their frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recovered {
    pub(super) text: String,
    pub(super) calls: Vec<ParsedCall>,
    pub(super) pieces: Vec<Piece>,
}

/// Looks through the text of a reply.
pub(super) fn look(own: Dialect, tools: &Arc<[Tool]>, text: &str) -> Seen {
    let mut seen = Seen::Nothing;
    // Every opener holds one of these.
    if !text.contains(['<', '[', '{', '‖']) {
        return seen;
    }
    for dialect in ORDER.into_iter().filter(|dialect| dialect.form().markers != own.form().markers) {
        match look_for(dialect, tools, text) {
            Seen::Nothing => {}
            Seen::Frames(dialect) if seen == Seen::Nothing => seen = Seen::Frames(dialect),
            Seen::Frames(_) => {}
            calls @ Seen::Calls(_) => return calls,
        }
    }
    seen
}

fn look_for(dialect: Dialect, tools: &Arc<[Tool]>, text: &str) -> Seen {
    let mut parser = Parser::foreign(dialect, tools);
    let mut pieces = parser.push(text);
    let (rest, parsed) = parser.finish(Ending::Cut);
    pieces.extend(rest);
    let is_good = |call: &ParsedCall| call.fault.is_none() && tools.iter().any(|tool| tool.name == call.name);
    if parsed.calls.is_empty() {
        return Seen::Nothing;
    }
    if !parsed.calls.iter().all(is_good) {
        return Seen::Frames(dialect);
    }
    let calls = parsed.calls.into_iter().map(|call| ParsedCall { recovered: true, ..call }).collect();
    Seen::Calls(Recovered { text: parsed.text, calls, pieces })
}
