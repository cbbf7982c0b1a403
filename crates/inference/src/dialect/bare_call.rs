//! Reads calls that are JSON objects with nothing behind them. Where no tag stands before them, their keys must tell that
//! they are calls (`CallObject::strict`); what is none is text, and known to be so after a few keys.

use std::sync::Arc;

use super::Ending;
use super::heard::Heard;
use super::object::{CallObject, Object};
use super::reader::{Finish, Progress, Reader};
use crate::protocol::message::Tool;

/// What may stand around the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Around {
    /// A tag stood before the object: it is a call or a fault. Else the opener was its brace, and it may be text.
    pub(super) tagged: bool,
    /// A code fence was opened before it and must be closed behind it (a known slip).
    pub(super) fenced: bool,
    /// Another call may follow behind a semicolon.
    pub(super) more: bool,
}

/// The reader.
#[derive(Debug, Clone)]
pub(super) struct BareCall {
    tools: Arc<[Tool]>,
    around: Around,
    object: CallObject,
    place: Place,
    /// Calls that have ended: what comes after the first is text unless it is a call.
    calls: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the object that begins at this byte of the body.
    Object(usize),
    /// Behind an object: where it ended, and where reading goes on.
    Behind(usize, usize),
}

impl BareCall {
    pub(super) fn new(tools: &Arc<[Tool]>, around: Around) -> BareCall {
        let object = if around.tagged { CallObject::new() } else { CallObject::strict(true) };
        BareCall { tools: Arc::clone(tools), around, object, place: Place::Object(0), calls: 0 }
    }

    fn read_object(&mut self, from: usize, body: &str, heard: &mut Heard) -> Option<Progress> {
        let body = &body[from..];
        let progress = self.object.look(body);
        if self.is_call(body) {
            self.object.tell(body, heard);
        }
        match progress {
            Object::Open => Some(Progress::Open),
            Object::Broken if self.object.is_announced() => Some(Progress::Broken),
            Object::Closed(length) if self.object.is_announced() => {
                heard.ended();
                self.calls += 1;
                self.place = Place::Behind(from + length, from + length);
                None
            }
            Object::Broken | Object::Closed(_) => Some(self.no_call()),
        }
    }

    /// A known name, or any name with arguments.
    fn is_call(&self, body: &str) -> bool {
        let Some(name) = self.object.name(body) else { return false };
        self.around.tagged || self.object.has_arguments() || self.tools.iter().any(|tool| tool.name == name)
    }

    fn no_call(&self) -> Progress {
        match (self.calls, self.around.tagged) {
            (0, true) => Progress::Broken,
            (0, false) => Progress::Text,
            (_, _) => Progress::Closed(0),
        }
    }

    fn read_behind(&mut self, end: usize, from: usize, body: &str) -> Progress {
        let rest = body[from..].trim_start();
        let at = body.len() - rest.len();
        self.place = Place::Behind(end, at);
        match rest.as_bytes().first() {
            None => Progress::Open,
            // A doubled closing brace is a known slip.
            Some(b'}') => {
                self.place = Place::Behind(at + 1, at + 1);
                self.read_behind(at + 1, at + 1, body)
            }
            Some(b'`') if self.around.fenced => closed_fence(rest, end, at),
            Some(b';') if self.around.more => {
                self.object = CallObject::strict(false);
                self.place = Place::Object(at + 1 - end);
                Progress::Next(end)
            }
            Some(_) => Progress::Closed(end),
        }
    }
}

fn closed_fence(rest: &str, end: usize, at: usize) -> Progress {
    if rest.starts_with("```") {
        Progress::Closed(at + 3)
    } else if "```".starts_with(rest) {
        Progress::Open
    } else {
        Progress::Closed(end)
    }
}

impl Reader for BareCall {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        if let Place::Object(from) = self.place
            && let Some(progress) = self.read_object(from, body, heard)
        {
            return progress;
        }
        match self.place {
            Place::Behind(end, from) => self.read_behind(end, from, body),
            Place::Object(_) => Progress::Open,
        }
    }

    fn finish(&mut self, body: &str, _: Ending, _: &mut Heard) -> Finish {
        match self.place {
            Place::Behind(..) => Finish::Whole(body.len()),
            Place::Object(_) if self.object.is_announced() => Finish::Incomplete(self.object.missing()),
            Place::Object(_) if self.calls > 0 => Finish::Whole(0),
            Place::Object(_) if self.around.tagged => Finish::Incomplete(self.object.missing()),
            Place::Object(_) => Finish::Text,
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}
