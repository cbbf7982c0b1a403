//! Reads calls whose name stands in their head, the arguments behind it as one JSON value. What a head looks like is the
//! dialect's matter.

use super::heard::Heard;
use super::reader::{Finish, Progress, Reader, Span, Tail};
use super::{Ending, Missing};

/// What a head says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    /// It is not whole.
    Open,
    /// A call, and where its head ends.
    Call {
        /// The tool's name.
        name: String,
        /// The id that the wire gave it, if any.
        id: String,
        /// Where the arguments are looked for.
        end: usize,
    },
    /// The frame closed right before this byte, with no more calls.
    Closed(usize),
    /// No head.
    Other,
}

/// The reader.
#[derive(Debug, Clone)]
pub(super) struct NamedCall {
    head: fn(&str) -> Head,
    tail: Tail,
    /// More calls may follow in the same frame.
    section: bool,
    /// A call of the frame has ended.
    any: bool,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Head,
    /// Before the arguments or in them: where they begin, where reading goes on.
    Arguments(usize, usize, Span),
    Tail(usize),
}

impl NamedCall {
    /// A frame of one call.
    pub(super) fn one(head: fn(&str) -> Head, tail: Tail) -> NamedCall {
        NamedCall { head, tail, section: false, any: false, place: Place::Head }
    }

    /// A frame of any number of calls, each with a tail of its own.
    pub(super) fn section(head: fn(&str) -> Head, tail: Tail) -> NamedCall {
        NamedCall { section: true, ..NamedCall::one(head, tail) }
    }

    fn read_head(&mut self, body: &str, heard: &mut Heard) -> Option<Progress> {
        match (self.head)(body) {
            Head::Open => Some(Progress::Open),
            Head::Call { name, id, end } => {
                heard.began(&name, &id);
                self.place = Place::Arguments(end, end, Span::default());
                None
            }
            Head::Closed(end) if self.any => Some(Progress::Closed(end)),
            Head::Closed(_) | Head::Other => Some(Progress::Broken),
        }
    }

    fn read_arguments(&mut self, body: &str, heard: &mut Heard) -> Option<Progress> {
        let Place::Arguments(_, read, mut span) = self.place else { return None };
        let mut from = read;
        if !span.has_begun() {
            let rest = body[from..].trim_start();
            from = body.len() - rest.len();
            self.place = Place::Arguments(from, from, span);
            match rest.as_bytes().first() {
                None => return Some(Progress::Open),
                Some(b'{' | b'[' | b'"') => {}
                Some(_) => return Some(Progress::Broken),
            }
        }
        let length = body.as_bytes()[from..].iter().position(|byte| span.step(*byte)).map(|at| at + 1);
        let end = length.map_or(body.len(), |length| from + length);
        heard.arguments(&body[from..end]);
        let Some(_) = length else {
            self.place = Place::Arguments(from, end, span);
            return Some(Progress::Open);
        };
        self.place = Place::Tail(end);
        None
    }

    fn read_tail(&mut self, body: &str, heard: &mut Heard) -> Option<Progress> {
        let Place::Tail(from) = &mut self.place else { return None };
        let progress = self.tail.read(body, from);
        let Progress::Closed(end) = progress else { return Some(progress) };
        heard.ended();
        if !self.section {
            return Some(progress);
        }
        self.any = true;
        self.place = Place::Head;
        Some(Progress::Next(end))
    }
}

impl Reader for NamedCall {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        loop {
            let progress = match self.place {
                Place::Head => self.read_head(body, heard),
                Place::Arguments(..) => self.read_arguments(body, heard),
                Place::Tail(_) => self.read_tail(body, heard),
            };
            if let Some(progress) = progress {
                return progress;
            }
        }
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match (self.place, ending) {
            // A missing last closer after a natural stop is a known slip.
            (Place::Tail(_), Ending::Natural) => {
                heard.ended();
                Finish::Whole(body.len())
            }
            (Place::Tail(_), Ending::Cut) => Finish::Incomplete(Missing::Closer),
            (Place::Arguments(..), _) => Finish::Incomplete(Missing::Arguments),
            // What ends between two calls may lack one, but none is half there.
            (Place::Head, _) if self.any && body.trim().is_empty() => Finish::Whole(body.len()),
            (Place::Head, Ending::Natural) if self.any && (self.head)(body) == Head::Open => Finish::Whole(body.len()),
            (Place::Head, _) => Finish::Incomplete(Missing::Name),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

/// Letters, digits and what else stands in names of tools.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/'))
}
