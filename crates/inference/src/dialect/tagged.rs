//! Reads frames in which every argument stands between tags of its own: Qwen XML, DSML, GLM. What the tags look like is
//! told by each dialect; here is how they follow one another. It writes the arguments as one JSON object.

use std::sync::Arc;

use super::heard::Heard;
use super::reader::{Finish, Progress, Reader};
use super::typed::{Kinds, json_of, json_text, json_value};
use super::{Ending, Missing};
use crate::protocol::message::Tool;

/// What stands next in a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// It cannot be told yet.
    Wait,
    /// Nothing of the dialect.
    Other,
    /// The head of a call: its name, the bytes it takes.
    Call(String, usize),
    /// The head of an argument: its name, how its value is written, the bytes it takes.
    Argument(String, Form, usize),
    /// A closer that closes nothing here: a known slip.
    Stray(usize),
    /// Ends the call.
    CallEnd(usize),
    /// Ends the frame, and a call that is still open in it.
    FrameEnd(usize),
}

/// How the value of an argument is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As the schema has it; one newline at each end belongs to the tags.
    BySchema,
    /// A text, byte for byte.
    Text,
    /// JSON.
    Json,
}

/// A place in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// Right behind the opener.
    Start,
    /// Behind a call.
    Frame,
    /// Within a call.
    Call,
}

/// The tags of one dialect.
pub(super) trait Tags: std::fmt::Debug + Copy + Send + 'static {
    /// No closer of a value is longer, in bytes.
    const LONGEST: usize;
    /// Ends a frame, for one that turns out to be no call once the stream has ended.
    const CLOSER: &'static str;
    /// What stands here at the start of `rest`, which begins with no blank.
    fn token(self, rest: &str, at: At) -> Token;
    /// The first closer of a value: where it is and its length.
    fn value_end(self, rest: &str) -> Option<(usize, usize)>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// Between calls.
    Frame,
    /// Between the arguments of a call.
    Call,
    /// In the value of an argument; its closer was searched up to a byte of the body.
    Value { argument: String, form: Form, from: usize, searched: usize },
}

/// The reader of one frame.
#[derive(Debug, Clone)]
pub(super) struct Tagged<T> {
    tags: T,
    tools: Arc<[Tool]>,
    at: usize,
    place: Place,
    /// The tool of the open call.
    tool: String,
    /// How many arguments of it came.
    arguments: usize,
    /// How many calls of the frame ended.
    calls: usize,
}

enum Step {
    On,
    Done(Progress),
}

const WAIT: Step = Step::Done(Progress::Open);
const BROKEN: Step = Step::Done(Progress::Broken);

impl<T: Tags> Tagged<T> {
    pub(super) fn new(tags: T, tools: &Arc<[Tool]>) -> Tagged<T> {
        let (at, arguments, calls) = (0, 0, 0);
        Tagged { tags, tools: Arc::clone(tools), at, place: Place::Frame, tool: String::new(), arguments, calls }
    }

    fn next(&mut self, body: &str) -> Token {
        self.at = body.len() - body[self.at..].trim_ascii_start().len();
        if self.at == body.len() {
            return Token::Wait;
        }
        let at = match self.place {
            Place::Frame if self.calls == 0 => At::Start,
            Place::Frame => At::Frame,
            Place::Call | Place::Value { .. } => At::Call,
        };
        self.tags.token(&body[self.at..], at)
    }

    fn in_frame(&mut self, body: &str, heard: &mut Heard) -> Step {
        match self.next(body) {
            Token::Wait => return WAIT,
            Token::Call(name, length) => self.begin_call(&name, length, heard),
            Token::Stray(length) | Token::CallEnd(length) if self.calls > 0 => self.at += length,
            Token::FrameEnd(length) if self.calls > 0 => return Step::Done(Progress::Closed(self.at + length)),
            Token::Other | Token::Argument(..) | Token::Stray(_) | Token::CallEnd(_) | Token::FrameEnd(_) => {
                return BROKEN;
            }
        }
        Step::On
    }

    fn in_call(&mut self, body: &str, heard: &mut Heard) -> Step {
        match self.next(body) {
            Token::Wait => return WAIT,
            Token::Other => return BROKEN,
            Token::Stray(length) => self.at += length,
            Token::Argument(argument, form, length) => {
                self.at += length;
                self.place = Place::Value { argument, form, from: self.at, searched: self.at };
            }
            Token::CallEnd(length) => {
                self.end_call(heard);
                return Step::Done(Progress::Next(std::mem::take(&mut self.at) + length));
            }
            Token::FrameEnd(length) => {
                self.end_call(heard);
                return Step::Done(Progress::Closed(self.at + length));
            }
            Token::Call(..) => {
                self.end_call(heard);
                return Step::Done(Progress::Next(std::mem::take(&mut self.at)));
            }
        }
        Step::On
    }

    /// Looks for the closer of a value: the first one behind which the frame goes on, or ends. Another is a part of the
    /// value.
    fn in_value(&mut self, body: &str, at_end: bool, heard: &mut Heard) -> Step {
        let Place::Value { from, searched, .. } = &mut self.place else { return BROKEN };
        while let Some((at, length)) = self.tags.value_end(&body[*searched..]) {
            let (to, after) = (*searched + at, *searched + at + length);
            match behind_value(self.tags, body[after..].trim_ascii_start(), at_end) {
                Behind::Frame => {
                    let written = &body[*from..to];
                    self.end_value(written, after, heard);
                    return Step::On;
                }
                Behind::Value => *searched = after,
                Behind::Unknown => {
                    *searched = to;
                    return WAIT;
                }
            }
        }
        let undecided = body.len().saturating_sub(T::LONGEST).max(*searched);
        *searched = body.floor_char_boundary(undecided).max(*from);
        WAIT
    }

    fn end_value(&mut self, written: &str, after: usize, heard: &mut Heard) {
        let Place::Value { argument, form, .. } = &self.place else { return };
        let kinds = Kinds::of_argument(&self.tools, &self.tool, argument);
        let opens = if self.arguments == 0 { "{" } else { ", " };
        heard.arguments(&format!("{opens}{}: {}", json_text(argument), value(kinds, *form, written)));
        self.arguments += 1;
        self.at = after;
        self.place = Place::Call;
    }

    fn begin_call(&mut self, name: &str, length: usize, heard: &mut Heard) {
        heard.began(name, "");
        name.clone_into(&mut self.tool);
        self.arguments = 0;
        self.at += length;
        self.place = Place::Call;
    }

    fn end_call(&mut self, heard: &mut Heard) {
        heard.arguments(if self.arguments == 0 { "{}" } else { "}" });
        heard.ended();
        self.calls += 1;
        self.place = Place::Frame;
    }

    /// A frame that was closed in the middle of a value is no call; text follows it.
    fn closed_within(&self, body: &str, heard: &mut Heard) -> Option<Finish> {
        let Place::Value { from, .. } = self.place else { return None };
        let end = from + body[from..].find(T::CLOSER)?;
        heard.no_call(&body[..end]);
        Some(Finish::Whole(end + T::CLOSER.len()))
    }

    fn missing(&self) -> Missing {
        match self.place {
            Place::Frame => Missing::Name,
            Place::Call => Missing::Closer,
            Place::Value { .. } => Missing::Arguments,
        }
    }
}

impl<T: Tags> Reader for Tagged<T> {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        loop {
            let step = match self.place {
                Place::Frame => self.in_frame(body, heard),
                Place::Call => self.in_call(body, heard),
                Place::Value { .. } => self.in_value(body, false, heard),
            };
            match step {
                Step::On => {}
                Step::Done(progress) => return progress,
            }
        }
    }

    /// Missing last closers after a natural stop are a known slip, if the last argument is whole.
    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        let natural = ending == Ending::Natural;
        if natural && matches!(self.place, Place::Value { .. }) {
            self.in_value(body, true, heard);
        }
        let rest = body[self.at..].trim_ascii_start();
        match self.place {
            Place::Frame if self.calls > 0 && (rest.is_empty() || rest.starts_with("</")) => Finish::Whole(body.len()),
            Place::Call if natural && self.arguments > 0 && rest.is_empty() => {
                self.end_call(heard);
                Finish::Whole(body.len())
            }
            Place::Value { .. } if natural => {
                self.closed_within(body, heard).unwrap_or(Finish::Incomplete(Missing::Arguments))
            }
            Place::Frame | Place::Call | Place::Value { .. } => Finish::Incomplete(self.missing()),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

/// What stands behind a closer of a value.
enum Behind {
    /// The frame goes on: the closer ends the value.
    Frame,
    /// Other text: the closer belongs to the value.
    Value,
    Unknown,
}

fn behind_value<T: Tags>(tags: T, rest: &str, at_end: bool) -> Behind {
    if rest.is_empty() {
        return if at_end { Behind::Frame } else { Behind::Unknown };
    }
    match tags.token(rest, At::Call) {
        Token::Wait => Behind::Unknown,
        Token::Other => Behind::Value,
        Token::Call(..) | Token::Argument(..) | Token::Stray(_) | Token::CallEnd(_) | Token::FrameEnd(_) => {
            Behind::Frame
        }
    }
}

fn value(kinds: Kinds, form: Form, written: &str) -> String {
    match form {
        Form::BySchema => json_of(kinds, unframed(written)),
        Form::Text => json_text(written),
        Form::Json => json_value(written).map_or_else(|| json_of(kinds, written), str::to_owned),
    }
}

/// Without the one newline at each end that belongs to the tags.
fn unframed(written: &str) -> &str {
    let written = written.strip_prefix('\n').unwrap_or(written);
    written.strip_suffix('\n').unwrap_or(written)
}

/// A text so that [`unframed`] gives it back.
pub(super) fn framed(text: &str) -> String {
    format!("\n{text}\n")
}
