//! Harmony, the dialect of gpt-oss: a reply is a row of messages, each with a header that names its channel and, for a call,
//! its recipient. `analysis` is reasoning, `commentary` without a recipient and `final` are text.

use std::sync::Arc;

use super::call_body::CallBody;
use super::form::{Form, Marker, Part, Section, offer};
use super::heard::Heard;
use super::reader::{Finish, Progress, Reader, Tail};
use super::{Ending, Missing};
use crate::protocol::message::{Call, Tool};

const CHANNEL: &str = "<|channel|>";
const START: &str = "<|start|>";
const MESSAGE: &str = "<|message|>";
const CONSTRAIN: &str = "<|constrain|>";
const CALL: &str = "<|call|>";
const END: &str = "<|end|>";
const RETURN: &str = "<|return|>";
const TAIL: Tail = Tail { closers: &[CALL, END], others: &[START, CHANNEL, RETURN] };
const LONGEST_HEAD: usize = 1024;

pub(super) const FORM: Form = Form {
    name: "harmony",
    markers: &[
        Marker::header(CHANNEL, 0),
        Marker::header(START, 1),
        Marker::stray(MESSAGE),
        Marker::stray(CONSTRAIN),
        Marker::stray(CALL),
    ],
    reasoning: &[Marker::thought(END)],
    ends: &[RETURN],
    closers: &[CALL, END],
    open,
    opening: "<|channel|>commentary to=functions.",
    tool_block,
    reply,
    result,
    frame,
    section: Section::NONE,
};

fn open(opener: u8, _: &Arc<[Tool]>) -> Box<dyn Reader> {
    Box::new(Message { has_role: opener == 1, place: Place::Header(0) })
}

/// The reader of one message.
#[derive(Debug, Clone)]
struct Message {
    /// The header begins with the role.
    has_role: bool,
    place: Place,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the header, searched up to this byte.
    Header(usize),
    /// Behind that of a call.
    Call(CallBody),
}

impl Message {
    /// The body of the call that the message is, once the header is whole.
    fn read_header(&mut self, searched: usize, body: &str, heard: &mut Heard) -> Result<CallBody, Progress> {
        if self.has_role && !is_of_assistant(body) {
            return Err(Progress::ClosedToEnd(0));
        }
        let Some(at) = body[searched..].find(MESSAGE).map(|at| searched + at) else {
            let from = body.floor_char_boundary(body.len().saturating_sub(MESSAGE.len()));
            self.place = Place::Header(from);
            return Err(if body.len() <= LONGEST_HEAD { Progress::Open } else { Progress::Broken });
        };
        if at + MESSAGE.len() > LONGEST_HEAD {
            return Err(Progress::Broken);
        }
        let end = at + MESSAGE.len();
        if let Some(name) = recipient(&body[..at]) {
            heard.began(name, "");
            return Ok(CallBody::at(end));
        }
        if self.channel(&body[..at]) == "analysis" {
            return Err(Progress::ClosedToReasoning(end));
        }
        heard.paragraph();
        Err(Progress::Closed(end))
    }

    fn channel<'a>(&self, header: &'a str) -> &'a str {
        let behind = if self.has_role { header.split_once(CHANNEL).map_or("", |(_, behind)| behind) } else { header };
        behind.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default()
    }
}

/// The role in the header is the model's, or may still become it.
fn is_of_assistant(body: &str) -> bool {
    body.starts_with("assistant") || "assistant".starts_with(body)
}

/// The name of the tool that a message goes to.
fn recipient(header: &str) -> Option<&str> {
    let to = header.split_once("to=")?.1;
    let to = to.split(|c: char| c.is_whitespace() || c == '<').next().filter(|to| !to.is_empty())?;
    Some(to.strip_prefix("functions.").unwrap_or(to))
}

impl Reader for Message {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        let begun = match self.place {
            Place::Header(searched) => self.read_header(searched, body, heard),
            Place::Call(call) => Ok(call),
        };
        let mut call = match begun {
            Ok(call) => call,
            Err(progress) => return progress,
        };
        let progress = call.read(TAIL, body, heard);
        self.place = Place::Call(call);
        progress
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match self.place {
            Place::Call(call) => call.finish(body, ending, heard),
            Place::Header(_) if body.contains("to=") => Finish::Incomplete(Missing::Name),
            Place::Header(_) => Finish::Whole(body.len()),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

fn tool_block(tools: &[Tool]) -> String {
    let example = "<|channel|>commentary to=functions.<function> <|constrain|>json<|message|>{<arguments>}<|call|>";
    format!("# Tools\n\n{}", offer(tools, "To call one, write", example))
}

fn reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    let mut messages: Vec<String> = Vec::with_capacity(calls.len() + 1);
    if !text.is_empty() {
        let channel = if calls.is_empty() { "final" } else { "commentary" };
        messages.push(format!("{CHANNEL}{channel}{MESSAGE}{text}{END}"));
    }
    messages.extend(calls.iter().map(|call| format!("{CHANNEL}{}{}{CALL}", head(&call.name), call.arguments)));
    messages.join("<|start|>assistant")
}

fn head(name: &str) -> String {
    format!("commentary to=functions.{name} {CONSTRAIN}json{MESSAGE}")
}

fn result(tool: &str, text: &str) -> String {
    format!("Result of functions.{tool}:\n{text}")
}

fn frame(tool: &Tool) -> Vec<Part> {
    // A later message has its role before the channel.
    let role = Part::Optional(vec![Part::text(format!("assistant{CHANNEL}"))]);
    vec![role, Part::text(head(&tool.name)), Part::Json(tool.schema.clone()), Part::text(CALL)]
}
