//! Harmony, the dialect of gpt-oss: a reply is a row of messages, each with a header that names its channel and, for a call,
//! its recipient. `analysis` is reasoning, `commentary` without a recipient and `final` are text.

use std::sync::Arc;

use super::form::{Form, Marker, Part, Section, tool_lines};
use super::heard::Heard;
use super::reader::{Finish, Progress, Reader, Span, Tail};
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
    /// Before the arguments of a call or in them, read up to this byte.
    Arguments(usize, Span),
    Tail(usize),
}

impl Message {
    fn read_header(&mut self, searched: usize, body: &str, heard: &mut Heard) -> Option<Progress> {
        if self.has_role && !is_of_assistant(body) {
            return Some(Progress::ClosedToEnd(0));
        }
        let Some(at) = body[searched..].find(MESSAGE).map(|at| searched + at) else {
            let from = body.floor_char_boundary(body.len().saturating_sub(MESSAGE.len()));
            self.place = Place::Header(from);
            return Some(if body.len() <= LONGEST_HEAD { Progress::Open } else { Progress::Broken });
        };
        if at + MESSAGE.len() > LONGEST_HEAD {
            return Some(Progress::Broken);
        }
        let end = at + MESSAGE.len();
        if let Some(name) = recipient(&body[..at]) {
            heard.began(name, "");
            self.place = Place::Arguments(end, Span::default());
            return None;
        }
        if self.channel(&body[..at]) == "analysis" {
            return Some(Progress::ClosedToReasoning(end));
        }
        heard.paragraph();
        Some(Progress::Closed(end))
    }

    fn channel<'a>(&self, header: &'a str) -> &'a str {
        let behind = if self.has_role { header.split_once(CHANNEL).map_or("", |(_, behind)| behind) } else { header };
        behind.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default()
    }

    fn read_arguments(&mut self, from: usize, mut span: Span, body: &str, heard: &mut Heard) -> Option<Progress> {
        let mut from = from;
        if !span.has_begun() {
            let rest = body[from..].trim_start();
            from = body.len() - rest.len();
            match rest.as_bytes().first() {
                Some(b'{' | b'[' | b'"') => {}
                Some(_) => return Some(Progress::Broken),
                None => {
                    self.place = Place::Arguments(from, span);
                    return Some(Progress::Open);
                }
            }
        }
        let length = body.as_bytes()[from..].iter().position(|byte| span.step(*byte)).map(|at| at + 1);
        let end = length.map_or(body.len(), |length| from + length);
        heard.arguments(&body[from..end]);
        self.place = if length.is_some() { Place::Tail(end) } else { Place::Arguments(end, span) };
        if length.is_some() { None } else { Some(Progress::Open) }
    }

    fn read_tail(&mut self, from: usize, body: &str, heard: &mut Heard) -> Progress {
        let mut from = from;
        let progress = TAIL.read(body, &mut from);
        self.place = Place::Tail(from);
        if matches!(progress, Progress::Closed(_)) {
            heard.ended();
        }
        progress
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
        loop {
            let progress = match self.place {
                Place::Header(searched) => self.read_header(searched, body, heard),
                Place::Arguments(from, span) => self.read_arguments(from, span, body, heard),
                Place::Tail(from) => Some(self.read_tail(from, body, heard)),
            };
            if let Some(progress) = progress {
                return progress;
            }
        }
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match (self.place, ending) {
            // `<|call|>` ends the turn, so that most engines never show it.
            (Place::Tail(_), Ending::Natural) => {
                heard.ended();
                Finish::Whole(body.len())
            }
            (Place::Tail(_), Ending::Cut) => Finish::Incomplete(Missing::Closer),
            (Place::Arguments(..), _) => Finish::Incomplete(Missing::Arguments),
            (Place::Header(_), _) if body.contains("to=") => Finish::Incomplete(Missing::Name),
            (Place::Header(_), _) => Finish::Whole(body.len()),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

fn tool_block(tools: &[Tool]) -> String {
    let lines = tool_lines(tools);
    let example = "<|channel|>commentary to=functions.<function> <|constrain|>json<|message|>{<arguments>}<|call|>";
    format!("# Tools\n\nYou may call these functions:\n{lines}\n\nTo call one, write:\n{example}")
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
