//! The Hermes dialect: calls as JSON in `<tool_call>` tags, reasoning in `<think>` tags. Its stream parser, its
//! renderer for templates that know no tools, and the frame that a grammar must follow.
//!
//! The renderer writes what the grammar makes, so that a reply replayed into a prompt is the text the model wrote.

use serde_json::{Value, json};

use super::frame::{Frame, Progress};
use super::{Ending, Parsed, Piece};
use crate::protocol::message::{Call, Tool};

/// Opens a call.
pub const OPENER: &str = "<tool_call>";
/// Closes a call.
pub const CLOSER: &str = "</tool_call>";
const THINK: &str = "<think>";
const THOUGHT: &str = "</think>";

/// The frame of one call up to its arguments, after the opener; the name is JSON text without its quotes.
#[must_use]
pub fn frame_head(name: &str) -> String {
    format!("\n{{\"name\": \"{name}\", \"arguments\": ")
}

/// The frame of one call after its arguments.
pub const FRAME_TAIL: &str = "}\n</tool_call>";
/// What stands between two calls.
pub const BETWEEN: &str = "\n";

/// The tools as a part of the system text.
#[must_use]
pub fn tool_block(tools: &[Tool]) -> String {
    let mut block = String::from("# Tools\n\nYou may call these functions:\n<tools>\n");
    for tool in tools {
        let line = json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
        block.push_str(&line.to_string());
        block.push('\n');
    }
    block.push_str("</tools>\n\nTo call one, write its name and arguments as JSON in tags:\n");
    block.push_str("<tool_call>\n{\"name\": \"<function>\", \"arguments\": {<arguments>}}\n</tool_call>");
    block
}

/// A reply as the model wrote it.
#[must_use]
pub fn reply(text: &str, calls: &[Call]) -> String {
    let mut reply = text.to_owned();
    for (index, call) in calls.iter().enumerate() {
        if index > 0 {
            reply.push_str(BETWEEN);
        }
        let name = Value::from(call.name.as_str()).to_string();
        reply.push_str(OPENER);
        reply.push_str(&frame_head(name.trim_matches('"')));
        reply.push_str(&call.arguments);
        reply.push_str(FRAME_TAIL);
    }
    reply
}

/// A result, for templates without a place for one.
#[must_use]
pub fn result(text: &str) -> String {
    format!("<tool_response>\n{text}\n</tool_response>")
}

/// Parses a stream, however it is cut.
#[derive(Debug, Clone)]
pub struct Parser {
    place: Place,
    calls_expected: bool,
    /// Text that was not decided about yet.
    pending: String,
    /// Text before a removed marker that may still become a part of one.
    held: String,
    /// Where, in `pending`, two texts meet that a marker stood between. A marker across it is removed, never obeyed.
    seam: Option<usize>,
    /// White space after a call, shown only if text follows.
    gap: String,
    after_call: bool,
    /// White space right after the reasoning channel belongs to its frame.
    after_thought: bool,
    channel_start: usize,
    parsed: Parsed,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Place {
    Text,
    Thinking(u32),
    Call(OpenCall),
}

#[derive(Debug, Clone)]
struct OpenCall {
    frame: Frame,
    progress: Progress,
    announced: bool,
    sent: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker {
    Opener,
    Closer,
    Think,
    Thought,
}

const TEXT_MARKERS: [(Marker, &str); 4] =
    [(Marker::Opener, OPENER), (Marker::Closer, CLOSER), (Marker::Think, THINK), (Marker::Thought, THOUGHT)];
const THINKING_MARKERS: [(Marker, &str); 2] = [(Marker::Think, THINK), (Marker::Thought, THOUGHT)];

impl Parser {
    /// A parser at the start of a reply. `thinking`: the template has already opened the reasoning channel.
    /// `calls_expected`: tools are on offer; without, the call tags are text.
    #[must_use]
    pub fn new(thinking: bool, calls_expected: bool) -> Parser {
        Parser {
            place: if thinking { Place::Thinking(1) } else { Place::Text },
            calls_expected,
            pending: String::new(),
            held: String::new(),
            seam: None,
            gap: String::new(),
            after_call: false,
            after_thought: false,
            channel_start: 0,
            parsed: Parsed::default(),
            pieces: Vec::new(),
        }
    }

    /// Adds text and gives what is decided by now.
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        self.pending.push_str(text);
        self.settle();
        std::mem::take(&mut self.pieces)
    }

    /// True inside a call: right after its opener until its closer.
    #[must_use]
    pub fn in_call(&self) -> bool {
        matches!(self.place, Place::Call(_))
    }

    /// True in the reasoning channel.
    #[must_use]
    pub fn in_reasoning(&self) -> bool {
        matches!(self.place, Place::Thinking(_))
    }

    /// True right after a call's closer, before any other text.
    #[must_use]
    pub fn after_call(&self) -> bool {
        self.after_call && matches!(self.place, Place::Text) && self.pending.is_empty()
    }

    /// What of the open call's body has come, right after its opener.
    #[must_use]
    pub fn call_body(&self) -> &str {
        if self.in_call() { &self.pending } else { "" }
    }

    /// Ends the stream.
    pub fn finish(mut self, ending: Ending) -> (Vec<Piece>, Parsed) {
        while matches!(self.place, Place::Call(_)) {
            if !self.finish_call(ending) {
                break;
            }
            self.settle();
        }
        match self.place {
            Place::Text => self.finish_text(),
            Place::Thinking(_) => self.finish_thinking(ending),
            Place::Call(_) => self.finish_held(),
        }
        (self.pieces, self.parsed)
    }

    fn settle(&mut self) {
        while match &self.place {
            Place::Text => self.settle_text(),
            Place::Thinking(depth) => self.settle_thinking(*depth),
            Place::Call(_) => self.settle_call(),
        } {}
    }

    fn settle_text(&mut self) -> bool {
        let Some((at, marker, length)) = first_marker(&self.pending, &TEXT_MARKERS, self.calls_expected) else {
            let keep = undecided(&self.pending, &TEXT_MARKERS);
            self.show(keep);
            return false;
        };
        let across = self.seam.is_some_and(|seam| at < seam && seam < at + length);
        let undecided_from = undecided(&self.pending[..at], &TEXT_MARKERS);
        let rest = self.pending.split_off(at + length);
        self.pending.truncate(at);
        self.show(undecided_from);
        self.held = std::mem::replace(&mut self.pending, rest);
        self.seam = None;
        match marker {
            _ if across => self.rejoin(),
            Marker::Opener => self.open_call(),
            Marker::Think => {
                self.channel_start = self.parsed.reasoning.len();
                self.place = Place::Thinking(1);
            }
            Marker::Closer | Marker::Thought => self.rejoin(),
        }
        true
    }

    fn open_call(&mut self) {
        self.gap.clear();
        self.after_call = false;
        self.place = Place::Call(OpenCall { frame: Frame::new(), progress: Progress::Open, announced: false, sent: 0 });
    }

    /// Back to text: what was held before the marker meets what comes after it.
    fn rejoin(&mut self) {
        self.place = Place::Text;
        self.seam = Some(self.held.len());
        let rest = std::mem::replace(&mut self.pending, std::mem::take(&mut self.held));
        self.pending.push_str(&rest);
    }

    /// Shows the first `length` bytes of what is pending.
    fn show(&mut self, length: usize) {
        let rest = self.pending.split_off(length);
        let text = std::mem::replace(&mut self.pending, rest);
        self.seam = self.seam.and_then(|seam| seam.checked_sub(length)).filter(|seam| *seam > 0);
        self.say(&text);
    }

    fn say(&mut self, text: &str) {
        let text = if self.after_thought { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        self.after_thought = false;
        if self.after_call && text.chars().all(char::is_whitespace) {
            self.gap.push_str(text);
            return;
        }
        self.after_call = false;
        let text = std::mem::take(&mut self.gap) + text;
        self.parsed.text.push_str(&text);
        self.pieces.push(Piece::Text(text));
    }

    fn settle_thinking(&mut self, depth: u32) -> bool {
        let Some((at, marker, length)) = first_marker(&self.pending, &THINKING_MARKERS, true) else {
            let keep = undecided(&self.pending, &THINKING_MARKERS);
            let rest = self.pending.split_off(keep);
            let thought = std::mem::replace(&mut self.pending, rest);
            self.think(thought);
            return false;
        };
        let rest = self.pending.split_off(at + length);
        self.pending.truncate(at);
        let thought = std::mem::replace(&mut self.pending, rest);
        self.think(thought);
        match (marker, depth) {
            (Marker::Think, _) => self.place = Place::Thinking(depth + 1),
            (_, 1) => {
                self.after_thought = true;
                self.rejoin();
            }
            _ => self.place = Place::Thinking(depth - 1),
        }
        true
    }

    fn think(&mut self, thought: String) {
        if thought.is_empty() {
            return;
        }
        self.parsed.reasoning.push_str(&thought);
        self.pieces.push(Piece::Reasoning(thought));
    }

    fn settle_call(&mut self) -> bool {
        let Place::Call(call) = &mut self.place else { return false };
        if call.progress == Progress::Open {
            call.progress = call.frame.advance(&self.pending);
            announce(call, &self.pending, &mut self.pieces);
        }
        match call.progress {
            Progress::Open => false,
            Progress::Closed(end) => self.settle_closer(end),
            Progress::Broken => self.settle_broken(),
        }
    }

    /// After the object: white space and stray closing brackets (a known slip), then the closer.
    fn settle_closer(&mut self, end: usize) -> bool {
        let rest = self.pending[end..].trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '}' || c == ']');
        if rest.starts_with(CLOSER) {
            let after = self.pending.len() - rest.len() + CLOSER.len();
            self.end_call(after);
            return true;
        }
        if CLOSER.starts_with(rest) {
            return false;
        }
        if let Place::Call(call) = &mut self.place {
            call.progress = Progress::Broken;
        }
        true
    }

    /// No call, but a frame: it goes to its textual closer and is kept as it was written.
    fn settle_broken(&mut self) -> bool {
        let Some(at) = self.pending.find(CLOSER) else { return false };
        let body = self.pending[..at].to_owned();
        self.leave_call(Call { id: String::new(), name: String::new(), arguments: body }, at + CLOSER.len());
        true
    }

    fn end_call(&mut self, after: usize) {
        let Place::Call(open) = &self.place else { return };
        let call = written_call(&open.frame, &self.pending);
        self.leave_call(call, after);
    }

    fn leave_call(&mut self, call: Call, after: usize) {
        self.parsed.calls.push(call);
        self.pending.drain(..after);
        self.after_call = true;
        self.rejoin();
    }

    /// Ends an open call; true if text is left behind it.
    fn finish_call(&mut self, ending: Ending) -> bool {
        let Place::Call(open) = &self.place else { return false };
        if matches!(open.progress, Progress::Closed(_)) && ending == Ending::Natural {
            self.end_call(self.pending.len());
            return true;
        }
        if let Some(at) = self.pending.find(CLOSER) {
            let body = self.pending[..at].to_owned();
            self.leave_call(Call { id: String::new(), name: String::new(), arguments: body }, at + CLOSER.len());
            return true;
        }
        let call = written_call(&open.frame, &self.pending);
        self.parsed.calls.push(call);
        self.parsed.incomplete = true;
        false
    }

    fn finish_text(&mut self) {
        // What was held may only become a marker by text that never came.
        let text = std::mem::take(&mut self.pending);
        self.say(&text);
    }

    fn finish_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.say(&held);
    }

    fn finish_thinking(&mut self, ending: Ending) {
        let rest = std::mem::take(&mut self.pending);
        self.think(rest);
        self.finish_held();
        if ending != Ending::Natural || !self.parsed.calls.is_empty() {
            return;
        }
        let channel = self.parsed.reasoning[self.channel_start..].to_owned();
        if self.calls_expected && channel.contains(OPENER) {
            self.take_calls_of(&channel);
        } else if self.parsed.text.trim().is_empty() && !channel.trim().is_empty() {
            // It was sent as reasoning and stays that, so that what was sent adds up; as the answer it is said once more.
            self.say(&channel);
        }
    }

    /// A complete call in a channel still open at a natural stop is a call (LOOP-26).
    fn take_calls_of(&mut self, channel: &str) {
        let mut inner = Parser::new(false, true);
        let mut pieces = inner.push(channel);
        let (rest, parsed) = inner.finish(Ending::Cut);
        if parsed.incomplete || parsed.calls.iter().any(|call| call.name.is_empty()) {
            return;
        }
        pieces.extend(rest);
        pieces.retain(|piece| matches!(piece, Piece::CallBegan(_) | Piece::Arguments(_)));
        self.pieces.extend(pieces);
        self.parsed.calls = parsed.calls;
    }
}

fn announce(call: &mut OpenCall, body: &str, pieces: &mut Vec<Piece>) {
    if !call.announced {
        let Some(name) = written_name(&call.frame, body) else { return };
        pieces.push(Piece::CallBegan(name));
        call.announced = true;
    }
    let Some(from) = call.frame.arguments_from else { return };
    let to = call.frame.arguments_to.unwrap_or(call.frame.read());
    let from = from.max(call.sent);
    if from < to {
        pieces.push(Piece::Arguments(body[from..to].to_owned()));
        call.sent = to;
    }
}

fn written_name(frame: &Frame, body: &str) -> Option<String> {
    let range = frame.name.clone()?;
    serde_json::from_str(&body[range]).ok()
}

/// The call as it was written; without a name, its whole body stands for the arguments.
fn written_call(frame: &Frame, body: &str) -> Call {
    let arguments = |from: usize| body[from..frame.arguments_to.unwrap_or(body.len())].to_owned();
    match (written_name(frame, body), frame.arguments_from) {
        (Some(name), Some(from)) => Call { id: String::new(), name, arguments: arguments(from) },
        (Some(name), None) => Call { id: String::new(), name, arguments: String::new() },
        (None, _) => Call { id: String::new(), name: String::new(), arguments: body.to_owned() },
    }
}

/// The first whole marker; call tags count only where calls are expected.
fn first_marker(text: &str, markers: &[(Marker, &str)], calls: bool) -> Option<(usize, Marker, usize)> {
    let counts = |marker: &Marker| calls || !matches!(marker, Marker::Opener | Marker::Closer);
    let found = markers.iter().filter(|(marker, _)| counts(marker));
    let found = found.filter_map(|(marker, spelling)| Some((find(text, *marker, spelling)?, *marker, spelling.len())));
    found.min_by_key(|(at, ..)| *at)
}

fn find(text: &str, marker: Marker, spelling: &str) -> Option<usize> {
    if matches!(marker, Marker::Opener | Marker::Closer) {
        return text.find(spelling);
    }
    let (text, spelling) = (text.as_bytes(), spelling.as_bytes());
    text.windows(spelling.len()).position(|window| window.eq_ignore_ascii_case(spelling))
}

/// Where the undecided end of a text begins: an end that begins a marker, and, since that marker may be removed, the end
/// of what stands before it that would then meet what follows.
fn undecided(text: &str, markers: &[(Marker, &str)]) -> usize {
    let mut from = text.len();
    loop {
        let earlier = marker_start(&text.as_bytes()[..from], markers);
        if earlier == from {
            return from;
        }
        from = earlier;
    }
}

/// Where the longest end of the bytes begins that begins a marker; their length if none does.
fn marker_start(bytes: &[u8], markers: &[(Marker, &str)]) -> usize {
    let longest = markers.iter().map(|(_, spelling)| spelling.len()).max().unwrap_or(0);
    let from = bytes.len().saturating_sub(longest - 1);
    let begins = |at: &usize| {
        let end = &bytes[*at..];
        markers.iter().any(|(_, spelling)| {
            spelling.len() > end.len() && spelling.as_bytes()[..end.len()].eq_ignore_ascii_case(end)
        })
    };
    (from..bytes.len()).find(begins).unwrap_or(bytes.len())
}
