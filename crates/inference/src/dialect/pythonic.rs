//! The pythonic dialect: a list of Python calls with keyword arguments. Llama 4 and 3.2 and OLMo write it bare, as the
//! whole reply; LFM 2 and some Llama 4 templates between marks.

use std::sync::Arc;

use super::form::{Form, Marker, Part, Section, THINK_TAGS};
use super::heard::Heard;
use super::literal::{Notation, PYTHON_MARKS, Unread, Values, write};
use super::nest::{Nest, Quote};
use super::reader::{Finish, Progress, Reader, Tail};
use super::{Ending, Missing, arguments, hermes};
use crate::protocol::message::{Call, Tool};

const OPENER: &str = "<|tool_call_start|>";
const CLOSER: &str = "<|tool_call_end|>";
const OTHER_OPENER: &str = "<|python_start|>";
const OTHER_CLOSER: &str = "<|python_end|>";
const TAIL: Tail =
    Tail { closers: &[CLOSER, OTHER_CLOSER], others: &["<|im_end|>", "<|eot|>", "<|eom|>", "<|eot_id|>"] };
const QUOTES: [Quote; 4] = [
    Quote { mark: PYTHON_MARKS[0], escapes: true },
    Quote { mark: PYTHON_MARKS[1], escapes: true },
    Quote { mark: PYTHON_MARKS[2], escapes: true },
    Quote { mark: PYTHON_MARKS[3], escapes: true },
];

pub(super) const FORM: Form = Form {
    name: "pythonic",
    markers: &[
        Marker::opener(OPENER, 0),
        Marker::opener(OTHER_OPENER, 0),
        Marker::first("[", 1),
        Marker::stray(CLOSER),
        Marker::stray(OTHER_CLOSER),
    ],
    reasoning: &THINK_TAGS,
    ends: &["<|eot|>", "<|eom|>", "<|eom_id|>", "<|header_start|>", "<|tool_response_start|>"],
    closers: &[CLOSER, OTHER_CLOSER],
    open,
    opening: OPENER,
    tool_block,
    reply,
    result: hermes::FORM.result,
    frame,
    section: Section::NONE,
};

fn open(number: u8, tools: &Arc<[Tool]>) -> Box<dyn Reader> {
    let names: Arc<[String]> = tools.iter().map(|tool| tool.name.clone()).collect();
    let place = if number == 0 { Place::Bracket } else { Place::Name(0) };
    Box::new(Calls { bare: number == 1, names, place })
}

/// Reads one list of calls.
#[derive(Debug, Clone)]
struct Calls {
    /// The list stands alone; it counts if it begins with the name of a tool on offer.
    bare: bool,
    names: Arc<[String]>,
    place: Place,
}

#[derive(Debug, Clone)]
enum Place {
    Bracket,
    /// In the name of the first call, behind the bracket.
    Name(usize),
    /// In the list, behind its bracket.
    List(usize, Nest),
    /// Behind the list.
    Tail(usize),
}

impl Calls {
    fn read_bracket(&mut self, body: &str) -> Option<Progress> {
        let rest = body.trim_ascii_start();
        match rest.chars().next() {
            None => return Some(Progress::Open),
            Some('[') => self.place = Place::Name(body.len() - rest.len() + 1),
            Some(_) => return Some(Progress::Broken),
        }
        None
    }

    fn read_name(&mut self, from: usize, body: &str, heard: &mut Heard) -> Option<Progress> {
        let refused = if self.bare { Progress::Text } else { Progress::Broken };
        let rest = body[from..].trim_ascii_start();
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')));
        let known = |name: &str| !self.bare || self.names.iter().any(|known| known == name);
        let Some(end) = end else {
            let may_be = rest.len() <= 256 && (!self.bare || self.names.iter().any(|known| known.starts_with(rest)));
            return Some(if may_be { Progress::Open } else { refused });
        };
        let (name, behind) = rest.split_at(end);
        if name.is_empty() || !known(name) {
            return Some(refused);
        }
        match behind.trim_ascii_start().chars().next() {
            None => return Some(Progress::Open),
            Some('(') => {}
            Some(_) => return Some(refused),
        }
        if self.bare {
            heard.frame();
        }
        heard.began(name, "");
        self.place = Place::List(from, Nest::behind(&QUOTES, from));
        None
    }

    fn tell(&self, list: &str, heard: &mut Heard) -> Result<(), Unread> {
        for (index, (name, arguments)) in calls(list)?.into_iter().enumerate() {
            if index > 0 {
                heard.began(&name, "");
            }
            heard.arguments(&arguments);
            heard.ended();
        }
        Ok(())
    }
}

impl Reader for Calls {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        if let Place::Bracket = self.place
            && let Some(progress) = self.read_bracket(body)
        {
            return progress;
        }
        if let Place::Name(from) = self.place
            && let Some(progress) = self.read_name(from, body, heard)
        {
            return progress;
        }
        if let Place::List(from, nest) = &mut self.place {
            let from = *from;
            let Some(end) = nest.advance(body) else { return Progress::Open };
            if self.tell(&body[from..end - 1], heard).is_err() {
                heard.no_call(&body[..end]);
            }
            self.place = Place::Tail(end);
        }
        match &mut self.place {
            Place::Tail(end) if self.bare => Progress::Closed(*end),
            Place::Tail(end) => closed(TAIL.read(body, end), *end),
            Place::Bracket | Place::Name(_) | Place::List(..) => Progress::Open,
        }
    }

    fn finish(&mut self, body: &str, _: Ending, _: &mut Heard) -> Finish {
        match self.place {
            // The calls are whole; the closer belongs to the list, not to them.
            Place::Tail(_) => Finish::Whole(body.len()),
            Place::List(..) => Finish::Incomplete(Missing::Arguments),
            Place::Bracket | Place::Name(_) if self.bare => Finish::Text,
            Place::Bracket | Place::Name(_) => Finish::Incomplete(Missing::Name),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

/// Calls that are told stay told: what stands behind their list instead of a closer is text.
fn closed(progress: Progress, end: usize) -> Progress {
    if progress == Progress::Broken { Progress::Closed(end) } else { progress }
}

/// The calls of a list, without its brackets: names and arguments as JSON.
fn calls(list: &str) -> Result<Vec<(String, String)>, Unread> {
    let mut values = Values::new(Notation::Python, list);
    let mut calls = Vec::new();
    while !values.rest().is_empty() {
        if !calls.is_empty() {
            values.expect(",")?;
            if values.rest().is_empty() {
                break;
            }
        }
        let name = values.name()?.to_owned();
        values.expect("(")?;
        calls.push((name, values.members("=", ")")?));
    }
    Ok(calls)
}

fn tool_block(tools: &[Tool]) -> String {
    let example = "[name(argument=\"value\", other=[1, True, None])]";
    arguments::tool_block(tools, "To call some, write a list of Python calls and nothing else:", example)
}

fn reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    if calls.is_empty() {
        return text.to_owned();
    }
    let written = |call: &Call| format!("{}({})", call.name, write::arguments(&call.arguments));
    let list = format!("[{}]", calls.iter().map(written).collect::<Vec<_>>().join(", "));
    // Bare it would count at the start of a reply only.
    format!("{text}{OPENER}{list}{CLOSER}")
}

fn frame(tool: &Tool) -> Vec<Part> {
    // Values in this notation have no schema in the grammar: what stands between the brackets is checked when it is read.
    vec![Part::text(format!("[{}(", tool.name)), Part::Until(format!(")]{CLOSER}"))]
}
