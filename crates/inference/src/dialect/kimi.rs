//! The dialect of Kimi K2: a section of calls, each with an id that holds its name, `functions.<name>:<number>`.

use std::sync::Arc;

use serde_json::Value;

use super::form::{Form, Marker, Part, Section, tool_lines};
use super::named_call::{Head, NamedCall, is_name};
use super::reader::{Reader, Tail};
use crate::protocol::message::{Call, Tool};

const BEGIN: &str = "<|tool_calls_section_begin|>";
const END: &str = "<|tool_calls_section_end|>";
const CALL: &str = "<|tool_call_begin|>";
const ARGUMENTS: &str = "<|tool_call_argument_begin|>";
const CALL_END: &str = "<|tool_call_end|>";
const TAIL: Tail = Tail { closers: &[CALL_END], others: &[CALL, END, "<|im_end|>"] };
/// A head is an id and two markers; what is longer is none.
const LONGEST_HEAD: usize = 512;

pub(super) const FORM: Form = Form {
    name: "kimi",
    markers: &[
        Marker::opener(BEGIN, 0),
        Marker::opener(CALL, 1),
        Marker::stray(END),
        Marker::stray(ARGUMENTS),
        Marker::stray(CALL_END),
    ],
    reasoning: &[
        Marker::think("<think>"),
        Marker::thought("</think>"),
        Marker::think("◁think▷"),
        Marker::thought("◁/think▷"),
    ],
    ends: &["<|im_user|>", "<|im_assistant|>", "<|im_system|>", "<|im_middle|>", "[EOS]"],
    closers: &[END, CALL_END],
    open,
    opening: BEGIN,
    tool_block,
    reply,
    result,
    frame,
    section: Section { begin: "", between: "", end: END },
};

fn open(opener: u8, _: &Arc<[Tool]>) -> Box<dyn Reader> {
    // A call without its section is a known slip.
    Box::new(if opener == 0 { NamedCall::section(head, TAIL) } else { NamedCall::one(inner_head, TAIL) })
}

fn head(body: &str) -> Head {
    let rest = body.trim_start();
    let blank = body.len() - rest.len();
    if blank > LONGEST_HEAD {
        return Head::Other;
    }
    if rest.starts_with(END) {
        return Head::Closed(blank + END.len());
    }
    match rest.strip_prefix(CALL) {
        Some(behind) => moved(inner_head(behind), blank + CALL.len()),
        None if CALL.starts_with(rest) || END.starts_with(rest) => Head::Open,
        None => Head::Other,
    }
}

/// The head behind `CALL`.
fn inner_head(body: &str) -> Head {
    match body.find(ARGUMENTS) {
        Some(at) if at <= LONGEST_HEAD => named(body[..at].trim(), at + ARGUMENTS.len()),
        None if body.len() <= LONGEST_HEAD + ARGUMENTS.len() => Head::Open,
        Some(_) | None => Head::Other,
    }
}

fn named(id: &str, end: usize) -> Head {
    let numberless = id.rsplit_once(':').map_or(id, |(name, _)| name);
    let name = numberless.strip_prefix("functions.").unwrap_or(numberless);
    if !is_name(name) {
        return Head::Other;
    }
    Head::Call { name: name.to_owned(), id: id.to_owned(), end }
}

fn moved(head: Head, by: usize) -> Head {
    match head {
        Head::Call { name, id, end } => Head::Call { name, id, end: end + by },
        Head::Open | Head::Closed(_) | Head::Other => head,
    }
}

fn tool_block(tools: &[Tool]) -> String {
    let mut block = String::from("# Tools\n\nYou may call these functions:\n");
    block.push_str(&tool_lines(tools));
    block.push_str("\n\nTo call some, write a section with each call in it, numbered from 0:\n");
    block.push_str(&format!("{BEGIN}{CALL}functions.<function>:0{ARGUMENTS}{{<arguments>}}{CALL_END}{END}"));
    block
}

fn reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    if calls.is_empty() {
        return text.to_owned();
    }
    let calls: String = calls.iter().enumerate().map(|(number, call)| written(number, call)).collect();
    format!("{text}{BEGIN}{calls}{END}")
}

fn written(number: usize, call: &Call) -> String {
    format!("{CALL}functions.{}:{number}{ARGUMENTS}{}{CALL_END}", call.name, call.arguments)
}

fn result(tool: &str, text: &str) -> String {
    format!("## Return of {}\n{text}", Value::from(tool))
}

fn frame(tool: &Tool) -> Vec<Part> {
    let numbers = (0..16).map(|number: u8| vec![Part::text(number.to_string())]).collect();
    vec![
        Part::text(format!("{CALL}functions.{}:", tool.name)),
        Part::OneOf(numbers),
        Part::text(ARGUMENTS),
        Part::Json(tool.schema.clone()),
        Part::text(CALL_END),
    ]
}
