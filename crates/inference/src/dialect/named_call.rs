//! Reads calls whose name stands in their head, the arguments behind it as one JSON value. What a head looks like is the
//! dialect's matter.

use super::call_body::CallBody;
use super::heard::Heard;
use super::reader::{Finish, Progress, Reader, Tail};
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
    /// Behind it.
    Body(CallBody),
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

    /// The body of the call, once the head is whole.
    fn read_head(&self, body: &str, heard: &mut Heard) -> Result<CallBody, Progress> {
        match (self.head)(body) {
            Head::Open => Err(Progress::Open),
            Head::Call { name, id, end } => {
                heard.began(&name, &id);
                Ok(CallBody::at(end))
            }
            Head::Closed(end) if self.any => Err(Progress::Closed(end)),
            Head::Closed(_) | Head::Other => Err(Progress::Broken),
        }
    }
}

impl Reader for NamedCall {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        let begun = match self.place {
            Place::Head => self.read_head(body, heard),
            Place::Body(call) => Ok(call),
        };
        let mut call = match begun {
            Ok(call) => call,
            Err(progress) => return progress,
        };
        let progress = call.read(self.tail, body, heard);
        self.place = Place::Body(call);
        if let (true, Progress::Closed(end)) = (self.section, progress) {
            self.any = true;
            self.place = Place::Head;
            return Progress::Next(end);
        }
        progress
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match (self.place, ending) {
            (Place::Body(call), _) => call.finish(body, ending, heard),
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
