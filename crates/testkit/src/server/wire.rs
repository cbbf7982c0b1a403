//! The wires that the server speaks, told apart by where they are asked. What a reply looks like on one is in its file.

mod chat;
mod messages;
mod ollama;
mod responses;

use serde_json::Value;

use super::{ScriptedCall, ScriptedReply};

/// The model that the server says it is.
pub(super) const MODEL: &str = "scripted";

/// A wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// Chat completions.
    Chat,
    /// Responses.
    Responses,
    /// Messages.
    Messages,
    /// Ollama's chat.
    Ollama,
}

impl Wire {
    /// The wire that is spoken at a target such as `POST /v1/messages`.
    pub(super) fn of(target: &str) -> Option<Wire> {
        let ends = |path: &str| target.starts_with("POST ") && target.ends_with(path);
        Some(match target {
            _ if ends("/chat/completions") => Wire::Chat,
            _ if ends("/responses") => Wire::Responses,
            _ if ends("/messages") => Wire::Messages,
            _ if ends("/api/chat") => Wire::Ollama,
            _ => return None,
        })
    }

    /// The kind of a streamed answer.
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Wire::Chat | Wire::Responses | Wire::Messages => "text/event-stream",
            Wire::Ollama => "application/x-ndjson",
        }
    }

    /// The last message of a request, as JSON.
    pub(super) fn last_words(self, body: &Value) -> String {
        let list = match self {
            Wire::Chat | Wire::Messages | Wire::Ollama => &body["messages"],
            Wire::Responses => &body["input"],
        };
        let last = list.as_array().and_then(|list| list.last()).cloned().unwrap_or_default();
        ["content", "output"].iter().filter_map(|key| last.get(key)).map(Value::to_string).collect()
    }

    /// A streamed reply up to its end.
    pub(super) fn pieces(self, reply: &ScriptedReply) -> Vec<String> {
        match self {
            Wire::Chat => chat::pieces(reply),
            Wire::Responses => responses::pieces(reply),
            Wire::Messages => messages::pieces(reply),
            Wire::Ollama => ollama::pieces(reply),
        }
    }

    /// What ends it as it should.
    pub(super) fn closing(self, reply: &ScriptedReply) -> Vec<String> {
        match self {
            Wire::Chat => chat::closing(reply),
            Wire::Responses => responses::closing(reply),
            Wire::Messages => messages::closing(reply),
            Wire::Ollama => ollama::closing(reply),
        }
    }

    /// A reply that is not streamed, where that is scripted.
    pub(super) fn whole(self, reply: &ScriptedReply) -> Option<Value> {
        match self {
            Wire::Chat => Some(chat::whole(reply)),
            Wire::Responses | Wire::Messages | Wire::Ollama => None,
        }
    }
}

/// An event of a stream.
fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// An event with its name.
fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

/// Tokens that a test can foresee: one for each character.
fn said(reply: &ScriptedReply) -> usize {
    reply.text.chars().count() + reply.reasoning.chars().count()
}

fn arguments(call: &ScriptedCall) -> String {
    match &call.arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn split(text: &str, piece: usize) -> impl Iterator<Item = String> + use<> {
    let letters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = letters.chunks(piece.max(1)).map(|piece| piece.iter().collect()).collect();
    pieces.into_iter()
}
