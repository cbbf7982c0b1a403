//! The dialects of Llama 3: bare JSON with `name` and `parameters`, a semicolon between two, `<|python_tag|>` before them in
//! some models; or, where a prompt asks for it, the name in a header, `<function=name>`, and JSON behind it. A parser of
//! either reads both; they differ in what is rendered.

use std::sync::Arc;

use serde_json::Value;

use super::Ending;
use super::arguments;
use super::bare_call::{Around, BareCall};
use super::form::{Form, Marker, Part, Section, THINK_TAGS, object_frame, objects, offer, reply_of_frames};
use super::heard::Heard;
use super::named_call::{Head, NamedCall, is_name};
use super::reader::{Finish, Progress, Reader, Tail};
use crate::protocol::message::{Call, Tool};

const PYTHON: &str = "<|python_tag|>";
const FUNCTION: &str = "<function=";
const FUNCTION_END: &str = "</function>";
const ROLE: &str = "<|start_header_id|>";
const ROLE_END: &str = "<|end_header_id|>";
const LONGEST_HEAD: usize = 512;
const HOW: &str = "To call one, write on a line of its own";

const AROUND: Around = Around { tagged: false, fenced: false, more: true };
const HEADED: Tail = Tail { closers: &[FUNCTION_END], others: &[FUNCTION, "<|eom_id|>", "<|eot_id|>", PYTHON] };

/// Bare JSON.
pub(super) const JSON: Form = Form {
    name: "llama",
    markers: &[
        Marker::opener(PYTHON, 0),
        Marker::opener(FUNCTION, 1),
        Marker::first("{", 2),
        Marker::bare("\n{", 2),
        Marker::first("```json\n{", 3),
        Marker::bare("\n```json\n{", 3),
        Marker::first(ROLE, 4),
        Marker::stray(FUNCTION_END),
    ],
    reasoning: &THINK_TAGS,
    ends: &["<|eom_id|>", "<|begin_of_text|>"],
    closers: &[FUNCTION_END, "<|eom_id|>", "<|eot_id|>"],
    open,
    opening: "{",
    tool_block: json_block,
    reply: json_reply,
    result: arguments::plain_result,
    frame: json_frame,
    section: Section { begin: "", between: "; {", end: "" },
};

/// The name in a header.
pub(super) const HEADER: Form = Form {
    name: "llama_header",
    opening: FUNCTION,
    tool_block: header_block,
    reply: header_reply,
    frame: header_frame,
    section: Section::NONE,
    ..JSON
};

fn open(opener: u8, tools: &Arc<[Tool]>) -> Box<dyn Reader> {
    match opener {
        0 => Box::new(BareCall::new(tools, Around { tagged: true, ..AROUND })),
        1 => Box::new(NamedCall::one(head, HEADED)),
        2 => Box::new(BareCall::new(tools, AROUND)),
        3 => Box::new(BareCall::new(tools, Around { fenced: true, ..AROUND })),
        _ => Box::new(RepeatedRole),
    }
}

/// The head behind `<function=`.
fn head(body: &str) -> Head {
    match body.find('>') {
        Some(at) if at <= LONGEST_HEAD && is_name(body[..at].trim()) => {
            Head::Call { name: body[..at].trim().to_owned(), id: String::new(), end: at + 1 }
        }
        None if body.len() <= LONGEST_HEAD => Head::Open,
        Some(_) | None => Head::Other,
    }
}

/// The reply repeats the header that the template has written already: it is passed over, any other role ends the reply.
#[derive(Debug, Clone, Copy)]
struct RepeatedRole;

impl Reader for RepeatedRole {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        let header = format!("assistant{ROLE_END}");
        if body.starts_with(&header) {
            heard.skip_blank();
            return Progress::Closed(header.len());
        }
        if header.starts_with(body) { Progress::Open } else { Progress::ClosedToEnd(0) }
    }

    fn finish(&mut self, body: &str, _: Ending, _: &mut Heard) -> Finish {
        Finish::Whole(body.len())
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(*self)
    }
}

fn json_block(tools: &[Tool]) -> String {
    offer(tools, HOW, "{\"name\": \"<function>\", \"parameters\": {<arguments>}}")
}

fn header_block(tools: &[Tool]) -> String {
    offer(tools, HOW, "<function=<name>>{<arguments>}</function>")
}

fn json_reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    let calls = objects(calls, |name| format!("{{{}", json_head(name)));
    if text.is_empty() || calls.is_empty() {
        return text.to_owned() + &calls.join("; ");
    }
    format!("{text}\n{}", calls.join("; "))
}

fn json_head(name: &str) -> String {
    format!("\"name\": {}, \"parameters\": ", Value::from(name))
}

fn header_reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    reply_of_frames(text, calls, |call| format!("{FUNCTION}{}>{}{FUNCTION_END}", call.name, call.arguments))
}

fn json_frame(tool: &Tool) -> Vec<Part> {
    object_frame(json_head(&tool.name), tool)
}

fn header_frame(tool: &Tool) -> Vec<Part> {
    let head = format!("{}>", tool.name);
    vec![Part::text(head), Part::Json(tool.schema.clone()), Part::text(FUNCTION_END)]
}
