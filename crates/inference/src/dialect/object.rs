//! Reads the JSON object of one call while it streams: where its name and its arguments begin and end, and when it is
//! whole. It keeps places in the text, so that arguments stay byte for byte; whether they are good is not asked here.

use std::ops::Range;

use super::Missing;
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
    /// Objects that hold name and arguments one level deeper, under `function`.
    nested: u32,
    /// Where no tag says that this is a call, its keys must.
    strict: bool,
    announced: bool,
    sent: usize,
}

/// The longest name that is taken for one where no tag says that a call stands there.
const LONGEST_BARE_NAME: usize = 256;

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
            nested: 0,
            strict: false,
            announced: false,
            sent: 0,
        }
    }

    /// An object of which nothing but its keys says that it is a call: the name must come first, and before the arguments
    /// nothing but what goes with it. So what is no call is known soon. `begun`: behind its opening brace.
    pub(super) fn strict(begun: bool) -> CallObject {
        let place = if begun { Place::Key } else { Place::Start };
        CallObject { place, strict: true, ..CallObject::new() }
    }

    /// Reads on to the end of `body`, which must begin with all that was given before, and tells what is known.
    pub(super) fn read(&mut self, body: &str, heard: &mut Heard) -> Object {
        let progress = self.advance(body);
        self.announce(body, heard);
        progress
    }

    /// Reads on and tells nothing.
    pub(super) fn look(&mut self, body: &str) -> Object {
        self.advance(body)
    }

    /// Tells what is known.
    pub(super) fn tell(&mut self, body: &str, heard: &mut Heard) {
        self.announce(body, heard);
    }

    /// The name, once it is whole.
    pub(super) fn name(&self, body: &str) -> Option<String> {
        self.text(body, self.name.clone())
    }

    /// What is missing in an object that is not whole.
    pub(super) fn missing(&self) -> Missing {
        match (self.announced, self.is_whole()) {
            (false, _) => Missing::Name,
            (true, false) => Missing::Arguments,
            (true, true) => Missing::Closer,
        }
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
            let Some(name) = self.name(body) else { return };
            heard.began(&name, "");
            self.announced = true;
        }
        let id = self.id.take();
        if let Some(id) = self.text(body, id) {
            heard.identified(&id);
        }
        let Some(from) = self.arguments_from else { return };
        if body.as_bytes().get(from) == Some(&b'"') {
            return self.announce_text(from, body, heard);
        }
        let to = self.arguments_to.unwrap_or(self.read);
        let from = from.max(self.sent);
        if from < to {
            heard.arguments(&body[from..to]);
            self.sent = to;
        }
    }

    /// Arguments as a JSON text, as remote APIs have them, are given once they are whole (a known slip elsewhere).
    fn announce_text(&mut self, from: usize, body: &str, heard: &mut Heard) {
        let Some(to) = self.arguments_to.filter(|to| self.sent < *to) else { return };
        let text: Result<String, _> = serde_json::from_str(&body[from..to]);
        heard.arguments(text.as_deref().unwrap_or(&body[from..to]));
        self.sent = to;
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
            return !self.strict || self.key_fits();
        }
        !self.strict || at - from <= LONGEST_BARE_NAME
    }

    /// As the keys of a call do, in their order.
    fn key_fits(&self) -> bool {
        match self.key.as_str() {
            "name" | "type" | "id" | "function" => true,
            "arguments" | "parameters" => self.name.is_some(),
            _ => self.arguments_to.is_some(),
        }
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
            b'{' if self.key == "function" => {
                self.nested += 1;
                self.place = Place::Key;
            }
            _ if self.strict && self.arguments_from.is_none() && byte != b'"' => return false,
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
        !self.strict || self.arguments_from.is_some() || at - self.value <= LONGEST_BARE_NAME
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
            b'}' if self.nested > 0 => self.nested -= 1,
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
