//! The Hermes dialect: calls as JSON in `<tool_call>` tags, reasoning in `<think>` tags. Hermes 2 and 3, Qwen 2.5 and 3,
//! and many small models.
//!
//! The renderer writes what the grammar makes, so that a reply replayed into a prompt is the text the model wrote.

use std::sync::Arc;

use serde_json::Value;

use super::form::{Form, Marker, Part, Section, THINK_TAGS, tool_lines};
use super::json_call::JsonCall;
use super::reader::{Reader, Tail};
use crate::protocol::message::{Call, Tool};

const OPENER: &str = "<tool_call>";
const CLOSER: &str = "</tool_call>";
const TAIL: Tail = Tail { closers: &[CLOSER], others: &[OPENER, "<|im_end|>", "<|endoftext|>", "<|im_start|>"] };

pub(super) const FORM: Form = Form {
    name: "hermes",
    markers: &[Marker::opener(OPENER, 0), Marker::stray(CLOSER)],
    reasoning: &THINK_TAGS,
    // A result is written by the host: a model that writes one has gone on past its turn.
    ends: &["<tool_response>"],
    closers: &[CLOSER],
    open,
    opening: OPENER,
    tool_block,
    reply,
    result,
    frame,
    section: Section::NONE,
};

fn open(_: u8, _: &Arc<[Tool]>) -> Box<dyn Reader> {
    Box::new(JsonCall::new(TAIL))
}

fn tool_block(tools: &[Tool]) -> String {
    let mut block = String::from("# Tools\n\nYou may call these functions:\n<tools>\n");
    block.push_str(&tool_lines(tools));
    block.push_str("\n</tools>\n\nTo call one, write its name and arguments as JSON in tags:\n");
    block.push_str("<tool_call>\n{\"name\": \"<function>\", \"arguments\": {<arguments>}}\n</tool_call>");
    block
}

fn reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    let calls: Vec<String> = calls.iter().map(written).collect();
    text.to_owned() + &calls.join("\n")
}

fn written(call: &Call) -> String {
    format!("{OPENER}{}{}{FRAME_TAIL}", head(&call.name), call.arguments)
}

fn head(name: &str) -> String {
    format!("\n{{\"name\": {}, \"arguments\": ", Value::from(name))
}

const FRAME_TAIL: &str = "}\n</tool_call>";

fn result(_: &str, text: &str) -> String {
    format!("<tool_response>\n{text}\n</tool_response>")
}

fn frame(tool: &Tool) -> Vec<Part> {
    vec![Part::text(head(&tool.name)), Part::Json(tool.schema.clone()), Part::text(FRAME_TAIL)]
}
