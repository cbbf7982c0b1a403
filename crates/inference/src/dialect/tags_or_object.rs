//! Reads frames that hold tags or, in their place, one JSON object: a slip of some models, and how the renderer writes a
//! call that the tags cannot hold.

use super::Ending;
use super::heard::Heard;
use super::json_call::JsonCall;
use super::reader::{Finish, Progress, Reader, Tail};
use super::tagged::{Tagged, Tags};

/// The reader of one such frame.
#[derive(Debug, Clone)]
pub(super) struct TagsOrObject<T> {
    tags: Tagged<T>,
    object: JsonCall,
    is_object: Option<bool>,
}

impl<T: Tags> TagsOrObject<T> {
    pub(super) fn new(tags: Tagged<T>, tail: Tail) -> TagsOrObject<T> {
        TagsOrObject { tags, object: JsonCall::new(tail), is_object: None }
    }
}

impl<T: Tags> Reader for TagsOrObject<T> {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        if self.is_object.is_none() {
            self.is_object = body.trim_ascii_start().chars().next().map(|first| first == '{');
        }
        match self.is_object {
            None => Progress::Open,
            Some(true) => self.object.read(body, heard),
            Some(false) => self.tags.read(body, heard),
        }
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        match self.is_object {
            Some(true) => self.object.finish(body, ending, heard),
            Some(false) | None => self.tags.finish(body, ending, heard),
        }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}
