//! The dialect of Gemma 4 and of its function models: `call:name{key:value}` between marks, texts between marks of their
//! own without escapes, reasoning in a channel named `thought`.

use std::sync::Arc;

use super::form::{Form, Marker, Part, Section, reply_of_frames};
use super::heard::Heard;
use super::literal::{MARKS, Notation, Values, write};
use super::nest::{Nest, Quote};
use super::reader::{Finish, Progress, Reader, Tail};
use super::{Ending, Missing, arguments};
use crate::protocol::message::{Call, Tool};

const OPENER: &str = "<|tool_call>";
const CLOSER: &str = "<tool_call|>";
const OTHER_OPENER: &str = "<start_function_call>";
const OTHER_CLOSER: &str = "<end_function_call>";
const TAIL: Tail = Tail {
    closers: &[CLOSER, OTHER_CLOSER],
    others: &[OPENER, OTHER_OPENER, "<|tool_response>", "<turn|>", "<start_function_response>", "<end_of_turn>"],
};
const QUOTES: [Quote; 3] = [
    Quote { mark: MARKS[0], escapes: false },
    Quote { mark: MARKS[1], escapes: false },
    Quote { mark: "\"", escapes: true },
];

pub(super) const FORM: Form = Form {
    name: "gemma",
    markers: &[
        Marker::opener(OPENER, 0),
        Marker::opener(OTHER_OPENER, 0),
        Marker::stray(CLOSER),
        Marker::stray(OTHER_CLOSER),
    ],
    reasoning: &[Marker::think("<|channel>thought\n"), Marker::thought("<channel|>")],
    ends: &["<|turn>", "<turn|>", "<|tool_response>", "<tool_response|>", "<start_function_response>"],
    closers: &[CLOSER, OTHER_CLOSER],
    open,
    opening: OPENER,
    tool_block,
    reply,
    result,
    frame,
    section: Section::NONE,
};

fn open(_: u8, _: &Arc<[Tool]>) -> Box<dyn Reader> {
    Box::new(GemmaCall { place: Place::Head })
}

/// Reads one call.
#[derive(Debug, Clone)]
struct GemmaCall {
    place: Place,
}

#[derive(Debug, Clone)]
enum Place {
    Head,
    /// In the arguments, which began at a byte.
    Arguments(usize, Nest),
    /// Behind them, told or not.
    Tail(usize),
}

impl GemmaCall {
    fn read_head(&mut self, body: &str, heard: &mut Heard) -> Option<Progress> {
        const WORD: &str = "call:";
        let from = body.len() - body.trim_ascii_start().len();
        let rest = &body[from..];
        let Some(named) = rest.strip_prefix(WORD) else {
            return Some(if WORD.starts_with(rest) { Progress::Open } else { Progress::Broken });
        };
        let Some(end) = named.find(['{', '\n', '<']) else {
            return Some(if named.len() <= LONGEST_NAME { Progress::Open } else { Progress::Broken });
        };
        let name = named[..end].trim_ascii();
        if !named[end..].starts_with('{') || name.is_empty() {
            return Some(Progress::Broken);
        }
        heard.began(name, "");
        let from = from + WORD.len() + end;
        self.place = Place::Arguments(from, Nest::new(&QUOTES, from));
        None
    }
}

/// No name is longer.
const LONGEST_NAME: usize = 256;

impl Reader for GemmaCall {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        if let Place::Head = self.place
            && let Some(progress) = self.read_head(body, heard)
        {
            return progress;
        }
        if let Place::Arguments(from, nest) = &mut self.place {
            let Some(end) = nest.advance(body) else { return Progress::Open };
            heard.arguments(&json(&body[*from..end]));
            self.place = Place::Tail(end);
        }
        let Place::Tail(end) = &mut self.place else { return Progress::Open };
        let progress = TAIL.read(body, end);
        if matches!(progress, Progress::Closed(_)) {
            heard.ended();
        }
        progress
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match (&self.place, ending) {
            (Place::Tail(_), Ending::Natural) => {
                heard.ended();
                Finish::Whole(body.len())
            }
            (Place::Tail(_), Ending::Cut) => Finish::Incomplete(Missing::Closer),
            (Place::Arguments(..), _) => Finish::Incomplete(Missing::Arguments),
            (Place::Head, _) => Finish::Incomplete(Missing::Name),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

/// The arguments as JSON; as they are written, and so refused, if they have no reading.
fn json(written: &str) -> String {
    let mut values = Values::new(Notation::Gemma, written);
    let read = values.value();
    read.ok().filter(|_| values.rest().is_empty()).unwrap_or_else(|| written.to_owned())
}

fn tool_block(tools: &[Tool]) -> String {
    let example = "<|tool_call>call:name{argument:value}<tool_call|>";
    let how = "To call one, write its name and arguments as below. A text stands between two <|\"|>, without escapes:";
    arguments::tool_block(tools, how, example)
}

fn reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    reply_of_frames(text, calls, written_call)
}

fn written_call(call: &Call) -> String {
    let is_object = super::typed::members(&call.arguments).is_some();
    let arguments = if is_object { write::value(Notation::Gemma, &call.arguments) } else { "{}".to_owned() };
    format!("{OPENER}call:{}{arguments}{CLOSER}", call.name)
}

fn result(tool: &str, text: &str) -> String {
    let text = write::value(Notation::Gemma, &super::typed::json_text(text));
    format!("<|tool_response>response:{tool}{{value:{text}}}<tool_response|>")
}

fn frame(tool: &Tool) -> Vec<Part> {
    // Values in this notation have no schema in the grammar: what stands between the braces is checked when it is read.
    vec![Part::text(format!("call:{}{{", tool.name)), Part::Until(CLOSER.to_owned())]
}
