//! What becomes of whatever is still open when a reply ends: a frame, the reasoning channel, a call of another dialect.

use std::sync::Arc;

use super::super::foreign::{self, Seen};
use super::super::reader::Finish;
use super::super::{Ending, Parsed, Piece};
use super::{Parser, Place, Reads};

impl Parser {
    /// Ends the stream.
    pub fn finish(mut self, ending: Ending) -> (Vec<Piece>, Parsed) {
        let ending = if self.ended { Ending::Natural } else { ending };
        while self.finish_frame(ending) {
            self.settle();
        }
        if self.in_reasoning() {
            self.finish_thinking(ending);
        }
        let rest = self.text.rest();
        self.heard.say(&rest);
        self.finish_foreign(ending);
        self.finish_reasoning_alone(ending);
        (self.heard.take(), self.heard.parsed)
    }

    /// Ends an open frame; true if text is left behind it.
    fn finish_frame(&mut self, ending: Ending) -> bool {
        let body = &self.pending[self.at..];
        match &mut self.place {
            Place::Frame(frame) => match frame.reader.finish(body, ending, &mut self.heard) {
                Finish::Whole(end) => self.leave_frame(end),
                Finish::Incomplete(missing) => {
                    self.heard.incomplete(missing, body);
                    self.leave_frame(body.len());
                }
                Finish::Text => {
                    let opener = frame.opener.text;
                    self.no_frame(opener);
                }
            },
            Place::Broken(_) => {
                self.heard.no_call(body);
                self.leave_frame(body.len());
            }
            Place::Oversize => self.leave_frame(body.len()),
            Place::Text | Place::Thinking(_) => return false,
        }
        true
    }

    fn finish_thinking(&mut self, ending: Ending) {
        let rest = self.thoughts.rest();
        self.heard.think(rest);
        if ending == Ending::Natural && self.heard.parsed.calls.is_empty() && !self.tools.is_empty() {
            self.take_calls_of_channel();
        }
    }

    /// A complete call in a channel still open at a natural stop is a call (LOOP-26).
    fn take_calls_of_channel(&mut self) {
        let mut inner = Parser::reading(Reads::Channel, self.dialect, Arc::clone(&self.tools), false);
        let mut pieces = inner.push(&self.heard.parsed.reasoning[self.channel_start..]);
        let (rest, parsed) = inner.finish(Ending::Cut);
        if parsed.calls.iter().any(|call| call.fault.is_some()) {
            return;
        }
        pieces.extend(rest);
        self.heard.adopt(pieces, parsed.calls);
    }

    /// A reply without a frame of its own dialect may hold one of another (LOOP-38).
    fn finish_foreign(&mut self, ending: Ending) {
        let holds_frames = self.tools.is_empty() || !self.heard.parsed.calls.is_empty();
        if self.reads != Reads::Reply || ending != Ending::Natural || holds_frames {
            return;
        }
        match foreign::look(self.dialect, &self.tools, &self.heard.parsed.text) {
            Seen::Nothing => {}
            Seen::Frames(dialect) => self.heard.parsed.foreign = Some(dialect),
            Seen::Calls(recovered) => {
                self.heard.parsed.text = recovered.text;
                self.heard.adopt(recovered.pieces, recovered.calls);
            }
        }
    }

    /// Reasoning in a channel still open at a natural stop, where nothing else was said, is the answer (LOOP-25).
    fn finish_reasoning_alone(&mut self, ending: Ending) {
        let parsed = &self.heard.parsed;
        let says_nothing = parsed.text.trim().is_empty() && parsed.calls.is_empty();
        if !self.in_reasoning() || ending != Ending::Natural || !says_nothing {
            return;
        }
        // It was sent as reasoning and stays that, so that what was sent adds up; as the answer it is said once more.
        let channel = parsed.reasoning[self.channel_start..].to_owned();
        if !channel.trim().is_empty() {
            self.heard.say(&channel);
        }
    }
}
