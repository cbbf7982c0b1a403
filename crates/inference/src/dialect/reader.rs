//! The border between the parser and the readers of frames: what a reader is given, and how it says how far it is. And the
//! two things that nearly all readers need: where a JSON value ends, and what may stand behind one.

use std::fmt::Debug;

use super::heard::Heard;
use super::{Ending, Missing};

/// Reads the text behind one opener while it streams.
///
/// 1. `body` begins with all that was given before; a reader keeps its place and reads each byte about once.
/// 2. Calls are told to `heard` in order: `began`, any number of `arguments`, then `ended` or a fault by the parser.
/// 3. What it says must not depend on where `body` was cut.
pub(super) trait Reader: Debug + Send {
    /// Reads on.
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress;

    /// The stream ended while the last `read` said `Open`.
    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish;

    /// A copy, for looking ahead.
    fn boxed(&self) -> Box<dyn Reader>;
}

/// How far a frame is. Places are bytes of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// More must come.
    Open,
    /// A call ended right before this byte; the reader goes on behind it, with the body beginning there.
    Next(usize),
    /// The frame ended right before this byte; text follows.
    Closed(usize),
    /// The same, and reasoning follows.
    ClosedToReasoning(usize),
    /// The reply ended right before this byte: what follows is another role's.
    ClosedToEnd(usize),
    /// No call. It goes on to the dialect's next closer and is kept as it was written.
    Broken,
    /// No frame: the opener and the body are text. Only for openers that are `Bare` or `First`.
    Text,
}

/// What an open frame was when the stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// All its calls are whole. Text begins at this byte of the body.
    Whole(usize),
    /// Its last call is not.
    Incomplete(Missing),
    /// No frame, as `Progress::Text`.
    Text,
}

/// Where a JSON value ends, whatever it holds. Only quotes and brackets are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    depth: u32,
    quoted: bool,
    escaped: bool,
    begun: bool,
}

impl Span {
    /// Reads one byte of an object, a list or a text; true if it ends with it.
    pub(super) fn step(&mut self, byte: u8) -> bool {
        self.begun = true;
        if self.quoted {
            self.step_quoted(byte);
        } else {
            match byte {
                b'"' => self.quoted = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.depth == 0 && !self.quoted
    }

    /// Something of the value has come.
    pub(super) fn has_begun(self) -> bool {
        self.begun
    }

    fn step_quoted(&mut self, byte: u8) {
        if self.escaped {
            self.escaped = false;
        } else {
            self.escaped = byte == b'\\';
            self.quoted = byte != b'"';
        }
    }
}

/// What may stand behind the arguments of a call, up to the end of its frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tail {
    /// Close the frame and belong to it.
    pub(super) closers: &'static [&'static str],
    /// Begin something else: the closer is missing (a known slip).
    pub(super) others: &'static [&'static str],
}

impl Tail {
    /// Nothing: the frame ends with the arguments.
    pub(super) const NONE: Tail = Tail { closers: &[], others: &[] };

    /// Reads from `from`, behind the arguments: white space and stray closing brackets (a known slip), then a closer.
    /// `from` moves on over what need not be read again.
    pub(super) fn read(&self, body: &str, from: &mut usize) -> Progress {
        if self.closers.is_empty() {
            return Progress::Closed(*from);
        }
        let stray = |c: char| c.is_ascii_whitespace() || c == '}' || c == ']';
        let rest = body[*from..].trim_start_matches(stray);
        *from = body.len() - rest.len();
        if let Some(closer) = self.closers.iter().find(|closer| rest.starts_with(**closer)) {
            return Progress::Closed(*from + closer.len());
        }
        if self.others.iter().any(|other| rest.starts_with(other)) {
            return Progress::Closed(*from);
        }
        let may_come = self.closers.iter().chain(self.others).any(|marker| marker.starts_with(rest));
        if may_come { Progress::Open } else { Progress::Broken }
    }
}

impl Clone for Box<dyn Reader> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}
