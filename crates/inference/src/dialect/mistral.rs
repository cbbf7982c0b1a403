//! The dialects of Mistral: `[TOOL_CALLS]` and a JSON list of calls, or, in newer models, `[TOOL_CALLS]` before each call,
//! its name, `[ARGS]` and its arguments. A parser of either reads both; they differ in what is rendered.

use std::sync::Arc;

use serde_json::Value;

use super::arguments;
use super::call_list::{CallList, Item};
use super::form::{Form, Marker, Part, Section, object_frame, objects, offer, reply_of_frames};
use super::heard::Heard;
use super::named_call::{Head, NamedCall, is_name};
use super::reader::{Finish, Progress, Reader, Tail};
use super::{Ending, Missing};
use crate::protocol::message::{Call, Tool};

const CALLS: &str = "[TOOL_CALLS]";
const ARGUMENTS: &str = "[ARGS]";
const ID: &str = "[CALL_ID]";
/// Names and ids are short; what is longer is no head.
const LONGEST_HEAD: usize = 512;
const HOW: &str = "To call one, write";

/// The list.
pub(super) const LIST: Form = Form {
    name: "mistral",
    markers: &[Marker::opener(CALLS, 0), Marker::stray(ARGUMENTS), Marker::stray(ID)],
    reasoning: &[
        Marker::think("[THINK]"),
        Marker::thought("[/THINK]"),
        Marker::think("<think>"),
        Marker::thought("</think>"),
    ],
    ends: &["</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[SYSTEM_PROMPT]"],
    closers: &[],
    open,
    opening: CALLS,
    tool_block: list_block,
    reply: list_reply,
    result: arguments::plain_result,
    frame: list_frame,
    section: Section { begin: " [", between: ", ", end: "]" },
};

/// A name and its arguments.
pub(super) const NAMED: Form = Form {
    name: "mistral_args",
    tool_block: named_block,
    reply: named_reply,
    frame: named_frame,
    section: Section::NONE,
    ..LIST
};

fn open(_: u8, _: &Arc<[Tool]>) -> Box<dyn Reader> {
    Box::new(Either::Undecided)
}

/// The reader behind `[TOOL_CALLS]`.
#[derive(Debug, Clone)]
enum Either {
    Undecided,
    List(CallList, bool),
    Named(NamedCall),
}

impl Either {
    fn decide(&mut self, body: &str) {
        let rest = body.trim_start();
        match rest.as_bytes().first() {
            // More blanks than any list has before it; they are not looked at again and again.
            _ if body.len() - rest.len() > LONGEST_HEAD => *self = Either::Named(NamedCall::one(head, Tail::NONE)),
            None => {}
            Some(b'[') => *self = Either::List(CallList::new(body.len() - rest.len() + 1), false),
            Some(_) => *self = Either::Named(NamedCall::one(head, Tail::NONE)),
        }
    }
}

impl Reader for Either {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        if matches!(self, Either::Undecided) {
            self.decide(body);
        }
        match self {
            Either::Undecided => Progress::Open,
            Either::Named(call) => call.read(body, heard),
            Either::List(list, any) => match list.read(body, heard) {
                Item::Open => Progress::Open,
                Item::Next(end) => {
                    *any = true;
                    Progress::Next(end)
                }
                Item::Closed(end) => {
                    if !*any {
                        heard.no_call(&body[..end]);
                    }
                    Progress::Closed(end)
                }
                // A list that was never closed, and text behind it.
                Item::Other(at) if *any && list.is_between() => Progress::Closed(at),
                Item::Other(_) => Progress::Broken,
            },
        }
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match (self, ending) {
            (Either::Undecided, _) => Finish::Incomplete(Missing::Name),
            (Either::Named(call), _) => call.finish(body, ending, heard),
            // What ends between two calls may lack one, but none is half there.
            (Either::List(list, true), _) if list.is_between() => Finish::Whole(body.len()),
            (Either::List(list, _), _) => Finish::Incomplete(list.missing()),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

/// `name[ARGS]`, `name[CALL_ID]id[ARGS]`, or `name` right before the arguments (a known slip).
fn head(body: &str) -> Head {
    let Some(end) = body.find(['[', '{']) else { return open_if_short(body) };
    let name = body[..end].trim();
    if !is_name(name) || end > LONGEST_HEAD {
        return Head::Other;
    }
    let rest = &body[end..];
    let call = |id: &str, end: usize| Head::Call { name: name.to_owned(), id: id.trim().to_owned(), end };
    if rest.starts_with('{') {
        return call("", end);
    }
    if rest.starts_with(ARGUMENTS) {
        return call("", end + ARGUMENTS.len());
    }
    match rest.strip_prefix(ID) {
        Some(behind) => match behind.find(ARGUMENTS) {
            Some(at) => call(&behind[..at], end + ID.len() + at + ARGUMENTS.len()),
            None => open_if_short(behind),
        },
        None if ARGUMENTS.starts_with(rest) || ID.starts_with(rest) => Head::Open,
        None => Head::Other,
    }
}

fn open_if_short(head: &str) -> Head {
    if head.len() <= LONGEST_HEAD { Head::Open } else { Head::Other }
}

fn list_block(tools: &[Tool]) -> String {
    offer(tools, HOW, "[TOOL_CALLS] [{\"name\": \"<function>\", \"arguments\": {<arguments>}}]")
}

fn named_block(tools: &[Tool]) -> String {
    offer(tools, HOW, "[TOOL_CALLS]<function>[ARGS]{<arguments>}")
}

fn list_reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    if calls.is_empty() {
        return text.to_owned();
    }
    format!("{text}{CALLS} [{}]", objects(calls, list_head).join(", "))
}

fn list_head(name: &str) -> String {
    format!("{{\"name\": {}, \"arguments\": ", Value::from(name))
}

fn named_reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    reply_of_frames(text, calls, |call| format!("{CALLS}{}{ARGUMENTS}{}", call.name, call.arguments))
}

fn list_frame(tool: &Tool) -> Vec<Part> {
    object_frame(list_head(&tool.name), tool)
}

fn named_frame(tool: &Tool) -> Vec<Part> {
    vec![Part::text(format!("{}{ARGUMENTS}", tool.name)), Part::Json(tool.schema.clone())]
}
