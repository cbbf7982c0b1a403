//! Reads what stands behind the head of a call: its arguments as one JSON value, and what closes it. Heads are read by
//! the dialects.

use super::heard::Heard;
use super::reader::{Finish, Progress, Span, Tail};
use super::{Ending, Missing};

/// How far the body of a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallBody {
    /// Before the arguments or in them, read up to this byte.
    Arguments(usize, Span),
    /// Behind them, read up to this byte.
    Tail(usize),
}

impl CallBody {
    /// A body that begins at this byte.
    pub(super) fn at(head_end: usize) -> CallBody {
        CallBody::Arguments(head_end, Span::default())
    }

    /// Reads on; `Closed` where the call has ended.
    pub(super) fn read(&mut self, tail: Tail, body: &str, heard: &mut Heard) -> Progress {
        if let CallBody::Arguments(from, span) = *self
            && let Some(progress) = self.read_arguments(from, span, body, heard)
        {
            return progress;
        }
        let CallBody::Tail(from) = self else { return Progress::Open };
        let progress = tail.read(body, from);
        if matches!(progress, Progress::Closed(_)) {
            heard.ended();
        }
        progress
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
                    *self = CallBody::Arguments(from, span);
                    return Some(Progress::Open);
                }
            }
        }
        let length = body.as_bytes()[from..].iter().position(|byte| span.step(*byte)).map(|at| at + 1);
        let end = length.map_or(body.len(), |length| from + length);
        heard.arguments(&body[from..end]);
        *self = if length.is_some() { CallBody::Tail(end) } else { CallBody::Arguments(end, span) };
        if length.is_some() { None } else { Some(Progress::Open) }
    }

    /// What the call was when the stream ended.
    pub(super) fn finish(self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match (self, ending) {
            // A missing last closer after a natural stop is a known slip, and engines do not show one that ends a turn.
            (CallBody::Tail(_), Ending::Natural) => {
                heard.ended();
                Finish::Whole(body.len())
            }
            (CallBody::Tail(_), Ending::Cut) => Finish::Incomplete(Missing::Closer),
            (CallBody::Arguments(..), Ending::Natural | Ending::Cut) => Finish::Incomplete(Missing::Arguments),
        }
    }
}
