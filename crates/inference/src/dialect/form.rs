//! What a dialect is made of: a table of markers, a function that opens a reader, renderers, and the frame of a grammar.
//! Each dialect's file fills in one [`Form`]; nothing here knows any of them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::reader::Reader;
use crate::protocol::message::{Call, Tool};

/// All that one dialect states about itself.
pub(super) struct Form {
    /// Its name in records and settings.
    pub(super) name: &'static str,
    /// Markers of its frames.
    pub(super) markers: &'static [Marker],
    /// Markers of its reasoning channel, for most of them [`THINK_TAGS`].
    pub(super) reasoning: &'static [Marker],
    /// Turn-end and role markers of its templates, beside [`COMMON_ENDS`].
    pub(super) ends: &'static [&'static str],
    /// Where a frame that is no call ends; without any it goes on to the end of the reply.
    pub(super) closers: &'static [&'static str],
    /// A reader for the text behind an opener; the number is the opener's in `markers`.
    pub(super) open: fn(u8, &Arc<[Tool]>) -> Box<dyn Reader>,
    /// What stands first in a reply that must hold a call: an opener, and no more than every call begins with.
    pub(super) opening: &'static str,
    /// The tools as a part of the system text, for templates that know none.
    pub(super) tool_block: fn(&[Tool]) -> String,
    /// A reply as the model wrote it, the tools that were on offer beside it.
    pub(super) reply: fn(&str, &[Call], &[Tool]) -> String,
    /// A result (tool, text) for templates without a place for one.
    pub(super) result: fn(&str, &str) -> String,
    /// One call without what `section` names, in the parts that a grammar is made of.
    pub(super) frame: fn(&Tool) -> Vec<Part>,
    /// What stands around the calls of one frame; empty for dialects with a frame a call.
    pub(super) section: Section,
}

/// What stands around the calls of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Section {
    /// Between the opener and the first call.
    pub(super) begin: &'static str,
    /// Between two calls.
    pub(super) between: &'static str,
    /// Behind the last call.
    pub(super) end: &'static str,
}

impl Section {
    /// A frame holds one call.
    pub(super) const NONE: Section = Section { begin: "", between: "", end: "" };
}

/// A text that means something to a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    /// Its spelling.
    pub(super) text: &'static str,
    /// What it does.
    pub(super) role: Role,
}

/// What a marker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Opens a frame.
    Opener(u8),
    /// Opens a frame at the start of a line outside code fences; its spelling may begin with the line's break. What it
    /// opens may turn out to be text.
    Bare(u8),
    /// As `Bare`, but only where the reply begins.
    First(u8),
    /// Opens a frame in text and in reasoning: the header of a channel. Whether a call follows is not known yet.
    Header(u8),
    /// Belongs to frames; standing alone it is removed.
    Stray,
    /// Opens the reasoning channel.
    Think,
    /// Closes it.
    Thought,
    /// Ends the reply: nothing behind it is the model's to say.
    End,
}

const fn marker(text: &'static str, role: Role) -> Marker {
    Marker { text, role }
}

/// Shorthands, so that a dialect's table reads as one.
impl Marker {
    pub(super) const fn opener(text: &'static str, number: u8) -> Marker {
        marker(text, Role::Opener(number))
    }
    pub(super) const fn bare(text: &'static str, number: u8) -> Marker {
        marker(text, Role::Bare(number))
    }
    pub(super) const fn first(text: &'static str, number: u8) -> Marker {
        marker(text, Role::First(number))
    }
    pub(super) const fn header(text: &'static str, number: u8) -> Marker {
        marker(text, Role::Header(number))
    }
    pub(super) const fn stray(text: &'static str) -> Marker {
        marker(text, Role::Stray)
    }
    pub(super) const fn think(text: &'static str) -> Marker {
        marker(text, Role::Think)
    }
    pub(super) const fn thought(text: &'static str) -> Marker {
        marker(text, Role::Thought)
    }
    pub(super) const fn end(text: &'static str) -> Marker {
        marker(text, Role::End)
    }

    /// Reasoning tags count in any case (LOOP-25), all else as it is spelled.
    pub(super) fn is_spelled_by(&self, text: &str) -> bool {
        match self.role {
            Role::Think | Role::Thought => self.text.eq_ignore_ascii_case(text),
            Role::Opener(_) | Role::Bare(_) | Role::First(_) | Role::Header(_) | Role::Stray | Role::End => {
                self.text == text
            }
        }
    }
}

/// The reasoning tags that most templates use.
pub(super) const THINK_TAGS: [Marker; 4] = [
    Marker::think("<think>"),
    Marker::thought("</think>"),
    Marker::think("<thinking>"),
    Marker::thought("</thinking>"),
];

/// Turn-end and role markers that no text holds by chance; they end a reply in every dialect (LOOP-27).
pub(super) const COMMON_ENDS: [&str; 9] = [
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|start_of_role|>",
];

/// The tools, a line of JSON each.
pub(super) fn tool_lines(tools: &[Tool]) -> String {
    let line = |tool: &Tool| json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
    tools.iter().map(|tool| line(tool).to_string()).collect::<Vec<_>>().join("\n")
}

/// The tools as a part of the system text, with how to call them and an example.
pub(super) fn offer(tools: &[Tool], how: &str, example: &str) -> String {
    format!("You may call these functions:\n{}\n\n{how}:\n{example}", tool_lines(tools))
}

/// A reply whose calls stand one behind the other, each in a frame of its own.
pub(super) fn reply_of_frames(text: &str, calls: &[Call], frame: impl Fn(&Call) -> String) -> String {
    text.to_owned() + &calls.iter().map(frame).collect::<String>()
}

/// Calls as JSON objects, each after its head.
pub(super) fn objects(calls: &[Call], head: impl Fn(&str) -> String) -> Vec<String> {
    calls.iter().map(|call| format!("{}{}}}", head(&call.name), call.arguments)).collect()
}

/// The frame of such an object.
pub(super) fn object_frame(head: String, tool: &Tool) -> Vec<Part> {
    vec![Part::Text(head), Part::Json(tool.schema.clone()), Part::text("}")]
}

/// A part of a frame, for a grammar.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// This text.
    Text(String),
    /// JSON of this schema.
    Json(Value),
    /// Any text up to this one, and this one.
    Until(String),
    /// These parts or nothing.
    Optional(Vec<Part>),
    /// One of these rows of parts.
    OneOf(Vec<Vec<Part>>),
}

impl Part {
    /// This text.
    pub(super) fn text(text: impl Into<String>) -> Part {
        Part::Text(text.into())
    }
}
