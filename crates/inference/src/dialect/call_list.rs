//! Reads the items of a JSON list of calls, behind its opening bracket. One item that is no call costs only itself.

use super::Missing;
use super::heard::Heard;
use super::object::{CallObject, Object};

/// How far the list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// More must come.
    Open,
    /// A call ended right before this byte.
    Next(usize),
    /// The list closed right before this byte.
    Closed(usize),
    /// Something stands at this byte that is no item.
    Other(usize),
}

/// The reader. Places count from where the body begins, which moves on behind each item.
#[derive(Debug, Clone)]
pub(super) struct CallList {
    /// Where the open item begins, or where one is looked for.
    at: usize,
    object: Option<CallObject>,
}

impl CallList {
    /// A reader behind the bracket at this byte.
    pub(super) fn new(at: usize) -> CallList {
        CallList { at, object: None }
    }

    /// No item is open.
    pub(super) fn is_between(&self) -> bool {
        self.object.is_none()
    }

    /// What the open item lacks.
    pub(super) fn missing(&self) -> Missing {
        self.object.as_ref().map_or(Missing::Closer, CallObject::missing)
    }

    /// Reads on.
    pub(super) fn read(&mut self, body: &str, heard: &mut Heard) -> Item {
        if self.object.is_none() {
            let rest = body[self.at..].trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
            self.at = body.len() - rest.len();
            match rest.as_bytes().first() {
                None => return Item::Open,
                Some(b'{') => self.object = Some(CallObject::new()),
                Some(b']') => return Item::Closed(self.at + 1),
                Some(_) => return Item::Other(self.at),
            }
        }
        self.read_object(body, heard)
    }

    fn read_object(&mut self, body: &str, heard: &mut Heard) -> Item {
        let Some(object) = &mut self.object else { return Item::Open };
        match object.read(&body[self.at..], heard) {
            Object::Open => Item::Open,
            Object::Broken => Item::Other(self.at),
            Object::Closed(length) => {
                let end = self.at + length;
                if object.is_announced() {
                    heard.ended();
                } else {
                    heard.no_call(&body[self.at..end]);
                }
                *self = CallList::new(0);
                Item::Next(end)
            }
        }
    }
}
