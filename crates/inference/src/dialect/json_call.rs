//! The reader of frames that hold one JSON object with the call's name and arguments. Which tags stand around it is the
//! dialect's matter.

use super::heard::Heard;
use super::object::{CallObject, Object};
use super::reader::{Finish, Progress, Reader, Tail};
use super::{Ending, Missing};

/// Reads one object and what closes its frame.
#[derive(Debug, Clone)]
pub(super) struct JsonCall {
    object: CallObject,
    tail: Tail,
    /// Where the object ended, or where reading goes on behind it.
    end: Option<usize>,
}

impl JsonCall {
    pub(super) fn new(tail: Tail) -> JsonCall {
        JsonCall { object: CallObject::new(), tail, end: None }
    }
}

impl Reader for JsonCall {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        if self.end.is_none() {
            match self.object.read(body, heard) {
                Object::Open => return Progress::Open,
                Object::Broken => return Progress::Broken,
                Object::Closed(_) if !self.object.is_announced() => return Progress::Broken,
                Object::Closed(end) => self.end = Some(end),
            }
        }
        let Some(end) = &mut self.end else { return Progress::Open };
        let progress = self.tail.read(body, end);
        if matches!(progress, Progress::Closed(_)) {
            heard.ended();
        }
        progress
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match (self.end, ending) {
            // A missing last closer after a natural stop is a known slip.
            (Some(_), Ending::Natural) => {
                heard.ended();
                Finish::Whole(body.len())
            }
            (Some(_), Ending::Cut) => Finish::Incomplete(Missing::Closer),
            (None, _) => Finish::Incomplete(self.object.missing()),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}
