//! Reads the JSON object of one call while it streams: where its name and its arguments begin and end, and when it is
//! whole. It keeps places in the text, so that arguments stay byte for byte; whether they are good is not asked here.

use std::ops::Range;

use super::heard::Heard;
use super::reader::Span;

/// The keys under which arguments are accepted. All but the dialect's own are known slips (LOOP-36).
const ARGUMENT_KEYS: [&str; 2] = ["arguments", "parameters"];

/// How far the object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Object {
    /// More must come.
    Open,
    /// It closed right before this byte.
    Closed(usize),
    /// It is no such object.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Key,
    InKey(usize),
    Colon,
    Value,
    InValue(Span),
    InScalar,
    AfterValue,
    End,
}

/// The reader. It is given the whole body so far and goes on where it stood.
#[derive(Debug, Clone)]
pub(super) struct CallObject {
    read: usize,
    place: Place,
    escaped: bool,
    key: String,
    value: usize,
    name: Option<Range<usize>>,
    arguments_from: Option<usize>,
    arguments_to: Option<usize>,
    id: Option<Range<usize>>,
    announced: bool,
    sent: usize,
}

impl CallObject {
    /// Before the object.
    pub(super) fn new() -> CallObject {
        CallObject {
            read: 0,
            place: Place::Start,
            escaped: false,
            key: String::new(),
            value: 0,
            name: None,
            arguments_from: None,
            arguments_to: None,
            id: None,
            announced: false,
            sent: 0,
        }
    }

    /// Right behind its opening brace.
    pub(super) fn begun() -> CallObject {
        CallObject { place: Place::Key, ..CallObject::new() }
    }

    /// Reads on to the end of `body`, which must begin with all that was given before, and tells what is known.
    pub(super) fn read(&mut self, body: &str, heard: &mut Heard) -> Object {
        let progress = self.advance(body);
        self.announce(body, heard);
        progress
    }

    /// The name was told.
    pub(super) fn is_announced(&self) -> bool {
        self.announced
    }

    /// Arguments have begun.
    pub(super) fn has_arguments(&self) -> bool {
        self.arguments_from.is_some()
    }

    /// Arguments are whole.
    pub(super) fn is_whole(&self) -> bool {
        self.arguments_to.is_some()
    }

    fn advance(&mut self, body: &str) -> Object {
        let bytes = body.as_bytes();
        while self.read < bytes.len() {
            let at = self.read;
            self.read += 1;
            if !self.step(body, at, bytes[at]) {
                return Object::Broken;
            }
            if self.place == Place::End {
                return Object::Closed(self.read);
            }
        }
        Object::Open
    }

    fn announce(&mut self, body: &str, heard: &mut Heard) {
        if !self.announced {
            let Some(name) = self.text(body, self.name.clone()) else { return };
            let id = self.text(body, self.id.clone()).unwrap_or_default();
            heard.began(&name, &id);
            self.announced = true;
        }
        let Some(from) = self.arguments_from else { return };
        let to = self.arguments_to.unwrap_or(self.read);
        let from = from.max(self.sent);
        if from < to {
            heard.arguments(&body[from..to]);
            self.sent = to;
        }
    }

    fn text(&self, body: &str, range: Option<Range<usize>>) -> Option<String> {
        serde_json::from_str(&body[range?]).ok()
    }

    /// One byte. All that matters is ASCII, and no byte of a longer code point is.
    fn step(&mut self, body: &str, at: usize, byte: u8) -> bool {
        match self.place {
            Place::Start => self.start(byte),
            Place::Key => self.before_key(at, byte),
            Place::InKey(from) => self.in_key(body, from, at, byte),
            Place::Colon => self.before_colon(byte),
            Place::Value => self.before_value(at, byte),
            Place::InValue(span) => self.in_value(span, at, byte),
            Place::InScalar => self.in_scalar(at, byte),
            Place::AfterValue => self.after_value(byte),
            Place::End => false,
        }
    }

    fn start(&mut self, byte: u8) -> bool {
        if byte == b'{' {
            self.place = Place::Key;
        }
        byte == b'{' || byte.is_ascii_whitespace()
    }

    fn before_key(&mut self, at: usize, byte: u8) -> bool {
        match byte {
            b'"' => self.place = Place::InKey(at + 1),
            b'}' => self.place = Place::End,
            _ => return byte.is_ascii_whitespace(),
        }
        true
    }

    fn in_key(&mut self, body: &str, from: usize, at: usize, byte: u8) -> bool {
        if self.closes_key(byte) {
            body[from..at].clone_into(&mut self.key);
            self.place = Place::Colon;
        }
        true
    }

    fn before_colon(&mut self, byte: u8) -> bool {
        if byte == b':' {
            self.place = Place::Value;
        }
        byte == b':' || byte.is_ascii_whitespace()
    }

    fn before_value(&mut self, at: usize, byte: u8) -> bool {
        if byte.is_ascii_whitespace() {
            return true;
        }
        self.value = at;
        if ARGUMENT_KEYS.contains(&self.key.as_str()) && self.arguments_from.is_none() {
            self.arguments_from = Some(at);
        }
        match byte {
            b'"' | b'{' | b'[' => return self.in_value(Span::default(), at, byte),
            b',' | b'}' | b']' | b':' => return false,
            _ => self.place = Place::InScalar,
        }
        true
    }

    fn in_value(&mut self, mut span: Span, at: usize, byte: u8) -> bool {
        if span.step(byte) {
            self.end_value(at + 1);
        } else {
            self.place = Place::InValue(span);
        }
        true
    }

    fn in_scalar(&mut self, at: usize, byte: u8) -> bool {
        if byte == b',' || byte == b'}' || byte.is_ascii_whitespace() {
            self.end_value(at);
            return self.after_value(byte);
        }
        true
    }

    fn after_value(&mut self, byte: u8) -> bool {
        match byte {
            b',' => self.place = Place::Key,
            b'}' => self.place = Place::End,
            _ => return byte.is_ascii_whitespace(),
        }
        true
    }

    fn end_value(&mut self, to: usize) {
        self.place = Place::AfterValue;
        if self.key == "name" && self.name.is_none() {
            self.name = Some(self.value..to);
        } else if self.key == "id" && self.id.is_none() {
            self.id = Some(self.value..to);
        } else if self.arguments_from == Some(self.value) {
            self.arguments_to = Some(to);
        }
    }

    fn closes_key(&mut self, byte: u8) -> bool {
        if self.escaped {
            self.escaped = false;
            return false;
        }
        self.escaped = byte == b'\\';
        byte == b'"'
    }
}
