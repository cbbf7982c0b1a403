//! Parses a reply while it streams, in any dialect and however it is cut: text, the reasoning channel, frames. What a frame
//! means is its dialect's reader's matter; what a marker looks like is in its dialect's table; how it ends is in
//! `parser/ending.rs`.

mod ending;
mod markers;

use std::sync::Arc;

use super::form::{Form, Marker, Role};
use super::heard::Heard;
use super::lines::Lines;
use super::reader::{Progress, Reader};
use super::scanner::{Found, Scanner};
use super::{Dialect, Piece, tables};
use crate::protocol::message::Tool;
use markers::{bounded, counts, counts_foreign, first_of, search_on};

/// The largest frame, in bytes (LOOP-34).
pub const LARGEST_FRAME: usize = 1024 * 1024;

/// A parser of one reply.
#[derive(Debug, Clone)]
pub struct Parser {
    dialect: Dialect,
    /// The tools on offer; without any, the markers of frames are text.
    tools: Arc<[Tool]>,
    reads: Reads,
    place: Place,
    text: Scanner,
    thoughts: Scanner,
    /// What no scanner or reader has done with yet; within a frame, its body.
    pending: String,
    /// Where in `pending` reading goes on.
    at: usize,
    /// Where the text of the open reasoning channel begins.
    channel_start: usize,
    /// A turn-end or role marker came.
    ended: bool,
    heard: Heard,
}

/// What a parser is given to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// A model's reply.
    Reply,
    /// A reasoning channel that was never closed.
    Channel,
    /// A whole reply that its own dialect found no frame in.
    Foreign,
}

#[derive(Debug, Clone)]
enum Place {
    Text,
    Thinking(u32),
    Frame(Frame),
    /// In a frame that is no call, up to its closer; it was searched up to this byte of the body.
    Broken(usize),
    /// In the rest of a frame that is too large.
    Oversize,
}

#[derive(Debug, Clone)]
struct Frame {
    reader: Box<dyn Reader>,
    opener: Marker,
    /// Calls of it that have ended.
    calls: usize,
}

impl Frame {
    /// Its opener alone tells that a call follows.
    fn is_certain(&self) -> bool {
        matches!(self.opener.role, Role::Opener(_))
    }
}

impl Parser {
    /// A parser at the start of a reply. `thinking`: the template has already opened the reasoning channel.
    #[must_use]
    pub fn new(dialect: Dialect, tools: &[Tool], thinking: bool) -> Parser {
        Parser::reading(Reads::Reply, dialect, tools.into(), thinking)
    }

    /// A parser of a reply that was written for another dialect: only frames count, and only outside quotations.
    pub(super) fn foreign(dialect: Dialect, tools: &Arc<[Tool]>) -> Parser {
        Parser::reading(Reads::Foreign, dialect, Arc::clone(tools), false)
    }

    fn reading(reads: Reads, dialect: Dialect, tools: Arc<[Tool]>, thinking: bool) -> Parser {
        Parser {
            dialect,
            tools,
            reads,
            place: if thinking { Place::Thinking(1) } else { Place::Text },
            text: Scanner::new(tables::of_text(dialect)),
            thoughts: Scanner::new(tables::of_reasoning(dialect)),
            pending: String::new(),
            at: 0,
            channel_start: 0,
            ended: false,
            heard: Heard::default(),
        }
    }

    /// Adds text and gives what is decided by now.
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        if !self.ended {
            self.pending.push_str(text);
            self.settle();
        }
        self.heard.take()
    }

    /// True inside a frame that is a call, as far as can be said, until its closer.
    #[must_use]
    pub fn in_call(&self) -> bool {
        match &self.place {
            Place::Broken(_) | Place::Oversize => true,
            Place::Frame(frame) => frame.is_certain() || self.heard.in_call(),
            Place::Text | Place::Thinking(_) => false,
        }
    }

    /// True inside a frame whose opener alone tells that a call follows.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        matches!(&self.place, Place::Frame(frame) if frame.is_certain())
    }

    /// True in the reasoning channel.
    #[must_use]
    pub fn in_reasoning(&self) -> bool {
        matches!(self.place, Place::Thinking(_))
    }

    /// True right after a call's closer, before any other text.
    #[must_use]
    pub fn after_call(&self) -> bool {
        self.heard.is_after_call() && matches!(self.place, Place::Text) && self.text.is_clear()
    }

    /// A turn-end or role marker came: what follows is not the model's to say (LOOP-27).
    #[must_use]
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The calls that have ended.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.heard.parsed.calls.len()
    }

    /// True if no call of the open frame has ended yet.
    #[must_use]
    pub fn at_first_call(&self) -> bool {
        matches!(&self.place, Place::Frame(frame) if frame.calls == 0)
    }

    /// What of the open frame's body has come: behind its opener, or behind the last call of it that has ended.
    #[must_use]
    pub fn call_body(&self) -> &str {
        match self.place {
            Place::Frame(_) | Place::Broken(_) => &self.pending[self.at..],
            Place::Text | Place::Thinking(_) | Place::Oversize => "",
        }
    }

    /// The parser as it would stand after this text, without what was said before: for looking ahead.
    #[must_use]
    pub fn ahead(&self, text: &str) -> Parser {
        let mut ahead = Parser { heard: self.heard.ahead(), channel_start: 0, ..self.clone_place() };
        ahead.push(text);
        ahead
    }

    fn clone_place(&self) -> Parser {
        Parser {
            dialect: self.dialect,
            tools: Arc::clone(&self.tools),
            reads: self.reads,
            place: self.place.clone(),
            text: self.text.clone(),
            thoughts: self.thoughts.clone(),
            pending: self.pending.clone(),
            at: self.at,
            channel_start: self.channel_start,
            ended: self.ended,
            heard: Heard::default(),
        }
    }

    fn form(&self) -> &'static Form {
        self.dialect.form()
    }

    fn settle(&mut self) {
        while match &self.place {
            Place::Text => self.settle_text(),
            Place::Thinking(depth) => self.settle_thinking(*depth),
            Place::Frame(_) => self.settle_frame(),
            Place::Broken(searched) => self.settle_broken(*searched),
            Place::Oversize => self.settle_oversize(),
        } {}
        self.pending.drain(..self.at);
        self.at = 0;
    }

    fn settle_text(&mut self) -> bool {
        let (calls, reads) = (!self.tools.is_empty(), self.reads);
        let counts = |marker: &Marker, lines: Lines| match reads {
            Reads::Reply | Reads::Channel => counts(marker, lines, calls),
            Reads::Foreign => counts_foreign(marker, lines) && counts(marker, lines, calls),
        };
        let (length, found) = self.text.read(&self.pending[self.at..], counts);
        self.at += length;
        let decided = self.text.decided();
        self.heard.say(&decided);
        let Some(found) = found else { return false };
        self.obey(found);
        true
    }

    fn settle_thinking(&mut self, depth: u32) -> bool {
        let (length, found) = self.thoughts.read(&self.pending[self.at..], |_, _| true);
        self.at += length;
        let decided = self.thoughts.decided();
        self.heard.think(decided);
        let Some(found) = found.filter(|found| !found.across) else { return found.is_some() };
        match (found.marker.role, depth) {
            (Role::Think, _) => self.place = Place::Thinking(depth + 1),
            (Role::Thought, 2..) => self.place = Place::Thinking(depth - 1),
            (Role::Thought, _) => self.leave_reasoning(),
            (Role::Header(number), _) => {
                self.leave_reasoning();
                self.open(number, found.marker);
            }
            (Role::End, _) => self.end(),
            (Role::Opener(_) | Role::Bare(_) | Role::First(_) | Role::Stray, _) => {}
        }
        true
    }

    fn leave_reasoning(&mut self) {
        let rest = self.thoughts.rest();
        self.heard.think(rest);
        self.heard.skip_blank();
        self.back_to_text();
    }

    fn obey(&mut self, found: Found) {
        if found.across {
            return;
        }
        match found.marker.role {
            Role::Opener(number) | Role::Header(number) | Role::Bare(number) | Role::First(number) => {
                self.open(number, found.marker);
            }
            Role::Think => self.open_reasoning(),
            Role::Stray | Role::Thought => {}
            Role::End => self.end(),
        }
    }

    fn open(&mut self, number: u8, opener: Marker) {
        let frame = Frame { reader: (self.form().open)(number, &self.tools), opener, calls: 0 };
        if self.text.is_blank() {
            // Said now, it stays before the frame; later it would be taken for the blanks behind it.
            let blank = self.text.rest();
            self.heard.say(&blank);
        }
        if frame.is_certain() {
            self.heard.frame();
        }
        self.place = Place::Frame(frame);
    }

    fn open_reasoning(&mut self) {
        self.channel_start = self.heard.parsed.reasoning.len();
        self.place = Place::Thinking(1);
    }

    fn end(&mut self) {
        self.ended = true;
        self.at = self.pending.len();
    }

    fn back_to_text(&mut self) {
        self.place = Place::Text;
        self.text.begin_line();
    }

    fn settle_frame(&mut self) -> bool {
        let body = bounded(&self.pending[self.at..]);
        let is_whole = body.len() == self.pending.len() - self.at;
        let Place::Frame(frame) = &mut self.place else { return false };
        let progress = frame.reader.read(body, &mut self.heard);
        match progress {
            Progress::Open if is_whole => return false,
            Progress::Open => self.oversize(),
            Progress::Next(end) => {
                frame.calls += 1;
                self.at += end;
            }
            Progress::Closed(end) => self.leave_frame(end),
            Progress::ClosedToReasoning(end) => {
                self.leave_frame(end);
                self.open_reasoning();
            }
            Progress::ClosedToEnd(end) => {
                self.leave_frame(end);
                self.end();
            }
            Progress::Broken => self.place = Place::Broken(0),
            Progress::Text => {
                let opener = frame.opener.text;
                self.no_frame(opener);
            }
        }
        true
    }

    fn leave_frame(&mut self, end: usize) {
        self.at += end;
        self.back_to_text();
    }

    fn no_frame(&mut self, opener: &str) {
        self.text.put_back(opener);
        self.place = Place::Text;
    }

    /// No call, but a frame: it goes to its textual closer and is kept as it was written.
    fn settle_broken(&mut self, searched: usize) -> bool {
        let body = bounded(&self.pending[self.at..]);
        let Some((at, closer)) = first_of(body, self.form().closers, searched) else {
            if body.len() < self.pending.len() - self.at {
                self.oversize();
                return true;
            }
            self.place = Place::Broken(search_on(body, self.form().closers));
            return false;
        };
        self.heard.no_call(&body[..at]);
        self.leave_frame(at + closer.len());
        true
    }

    fn oversize(&mut self) {
        self.heard.too_large();
        // A closer may stand across the limit.
        self.at += search_on(bounded(&self.pending[self.at..]), self.form().closers);
        self.place = Place::Oversize;
    }

    fn settle_oversize(&mut self) -> bool {
        let rest = &self.pending[self.at..];
        let closers = self.form().closers;
        match first_of(rest, closers, 0) {
            Some((at, closer)) => self.leave_frame(at + closer.len()),
            None => {
                self.at += search_on(rest, closers);
                return false;
            }
        }
        true
    }
}
