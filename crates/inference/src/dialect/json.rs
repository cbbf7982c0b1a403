//! Plain JSON, for models of which no dialect is known: `{"tool_calls": [..]}` on a line of its own. A single call, the form
//! of remote APIs, and a code fence around it are taken as well.

use std::sync::Arc;

use serde_json::Value;

use super::Ending;
use super::bare_call::{Around, BareCall};
use super::call_list::{CallList, Item};
use super::form::{Form, Marker, Part, Section, THINK_TAGS, object_frame, objects, offer};
use super::heard::Heard;
use super::reader::{Finish, Progress, Reader};
use crate::protocol::message::{Call, Tool};

pub(super) const FORM: Form = Form {
    name: "json",
    markers: &[
        Marker::first("{", 0),
        Marker::bare("\n{", 0),
        Marker::first("```json\n{", 1),
        Marker::bare("\n```json\n{", 1),
        Marker::first("```\n{", 1),
        Marker::bare("\n```\n{", 1),
    ],
    reasoning: &THINK_TAGS,
    ends: &[],
    closers: &[],
    open,
    opening: "{",
    tool_block,
    reply,
    result,
    frame,
    section: Section { begin: "\"tool_calls\": [", between: ", ", end: "]}" },
};

fn open(opener: u8, tools: &Arc<[Tool]>) -> Box<dyn Reader> {
    Box::new(Either { tools: Arc::clone(tools), fenced: opener == 1, place: Place::Undecided })
}

#[derive(Debug, Clone)]
struct Either {
    tools: Arc<[Tool]>,
    fenced: bool,
    place: Place,
}

#[derive(Debug, Clone)]
enum Place {
    Undecided,
    One(BareCall),
    /// The list; whether an item of it has come.
    List(CallList, bool),
    /// Behind the list: where reading goes on, and whether its object was closed.
    Behind(usize, bool),
}

/// How the object begins that holds the list.
const HEAD: [&str; 3] = ["\"tool_calls\"", ":", "["];
/// Blanks in that head; more are none.
const MOST_BLANKS: usize = 64;

impl Either {
    fn decide(&mut self, body: &str) {
        let mut rest = body;
        for word in HEAD {
            let blanks = rest.len() - rest.trim_start().len();
            rest = rest.trim_start();
            if blanks <= MOST_BLANKS && word.starts_with(rest) && word.len() > rest.len() {
                return;
            }
            let Some(behind) = rest.strip_prefix(word).filter(|_| blanks <= MOST_BLANKS) else {
                self.place = Place::One(BareCall::new(&self.tools, self.around()));
                return;
            };
            rest = behind;
        }
        self.place = Place::List(CallList::new(body.len() - rest.len()), false);
    }

    fn around(&self) -> Around {
        Around { tagged: false, fenced: self.fenced, more: false }
    }

    fn read_list(&mut self, body: &str, heard: &mut Heard) -> Progress {
        let Place::List(list, any) = &mut self.place else { return Progress::Open };
        match list.read(body, heard) {
            Item::Open => Progress::Open,
            Item::Next(end) => {
                *any = true;
                Progress::Next(end)
            }
            Item::Closed(end) if *any => {
                self.place = Place::Behind(end, false);
                self.read_behind(end, false, body)
            }
            Item::Other(at) if *any && list.is_between() => Progress::Closed(at),
            Item::Closed(_) | Item::Other(_) => Progress::Broken,
        }
    }

    /// Closing braces, one of which closes the object, and the fence.
    fn read_behind(&mut self, from: usize, closed: bool, body: &str) -> Progress {
        let rest = body[from..].trim_start();
        let at = body.len() - rest.len();
        let braces = rest.len() - rest.trim_start_matches('}').len();
        if braces > 0 {
            self.place = Place::Behind(at + braces, true);
            return self.read_behind(at + braces, true, body);
        }
        match rest {
            "" => Progress::Open,
            fence if self.fenced && fence.starts_with("```") => Progress::Closed(at + 3),
            fence if self.fenced && "```".starts_with(fence) => Progress::Open,
            _ => Progress::Closed(if closed { from } else { at }),
        }
    }
}

impl Reader for Either {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        if matches!(self.place, Place::Undecided) {
            self.decide(body);
        }
        match &mut self.place {
            Place::Undecided => Progress::Open,
            Place::One(call) => call.read(body, heard),
            Place::List(..) => self.read_list(body, heard),
            Place::Behind(from, closed) => {
                let (from, closed) = (*from, *closed);
                self.read_behind(from, closed, body)
            }
        }
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match &mut self.place {
            Place::Undecided => Finish::Text,
            Place::One(call) => call.finish(body, ending, heard),
            // What ends between two calls may lack one, but none is half there.
            Place::List(list, true) if list.is_between() => Finish::Whole(body.len()),
            Place::List(list, _) => Finish::Incomplete(list.missing()),
            Place::Behind(..) => Finish::Whole(body.len()),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

fn tool_block(tools: &[Tool]) -> String {
    let example = "{\"tool_calls\": [{\"name\": \"<function>\", \"arguments\": {<arguments>}}]}";
    offer(tools, "To call some, write on a line of its own", example)
}

fn reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    if calls.is_empty() {
        return text.to_owned();
    }
    let line = if text.is_empty() { "" } else { "\n" };
    format!("{text}{line}{{\"tool_calls\": [{}]}}", objects(calls, head).join(", "))
}

fn head(name: &str) -> String {
    format!("{{\"name\": {}, \"arguments\": ", Value::from(name))
}

fn result(tool: &str, text: &str) -> String {
    format!("Result of {tool}:\n{text}")
}

fn frame(tool: &Tool) -> Vec<Part> {
    object_frame(head(&tool.name), tool)
}
