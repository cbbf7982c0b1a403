//! Reads the JSON object of one call while it streams: where its name and its arguments begin and end, and when it is
//! whole. It keeps places in the text, so that arguments stay byte for byte; whether they are good is not asked here.

use std::ops::Range;

/// The keys under which arguments are accepted. The second is a known slip (LOOP-36).
const ARGUMENT_KEYS: [&str; 2] = ["arguments", "parameters"];

/// How far the object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// More must come.
    Open,
    /// The object closed right before this byte.
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
    InText,
    InNest,
    InScalar,
    AfterValue,
    End,
}

/// The reader. It is given the whole body so far and goes on where it stood.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    read: usize,
    place: Place,
    depth: u32,
    quoted: bool,
    escaped: bool,
    key: String,
    value: usize,
    /// Where the name's JSON text stands.
    pub(super) name: Option<Range<usize>>,
    /// Where the arguments begin.
    pub(super) arguments_from: Option<usize>,
    /// Where they end, once they have.
    pub(super) arguments_to: Option<usize>,
}

impl Frame {
    pub(super) fn new() -> Frame {
        Frame {
            read: 0,
            place: Place::Start,
            depth: 0,
            quoted: false,
            escaped: false,
            key: String::new(),
            value: 0,
            name: None,
            arguments_from: None,
            arguments_to: None,
        }
    }

    /// How many bytes of the body were looked at.
    pub(super) fn read(&self) -> usize {
        self.read
    }

    /// Reads on to the end of `body`, which must begin with all that was given before.
    pub(super) fn advance(&mut self, body: &str) -> Progress {
        let bytes = body.as_bytes();
        while self.read < bytes.len() {
            let at = self.read;
            self.read += 1;
            if !self.step(body, at, bytes[at]) {
                return Progress::Broken;
            }
            if self.place == Place::End {
                return Progress::Closed(self.read);
            }
        }
        Progress::Open
    }

    /// One byte. All that matters is ASCII, and no byte of a longer code point is.
    fn step(&mut self, body: &str, at: usize, byte: u8) -> bool {
        match self.place {
            Place::Start => self.start(byte),
            Place::Key => self.before_key(at, byte),
            Place::InKey(from) => self.in_key(body, from, at, byte),
            Place::Colon => self.before_colon(byte),
            Place::Value => self.before_value(at, byte),
            Place::InText => self.in_text(at, byte),
            Place::InNest => self.in_nest(at, byte),
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
        if self.closes_text(byte) {
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
        self.place = match byte {
            b'"' => Place::InText,
            b'{' | b'[' => {
                self.depth = 1;
                Place::InNest
            }
            b',' | b'}' | b']' | b':' => return false,
            _ => Place::InScalar,
        };
        true
    }

    fn in_text(&mut self, at: usize, byte: u8) -> bool {
        if self.closes_text(byte) {
            self.end_value(at + 1);
        }
        true
    }

    fn in_nest(&mut self, at: usize, byte: u8) -> bool {
        if self.quoted {
            self.quoted = !self.closes_text(byte);
            return true;
        }
        match byte {
            b'"' => self.quoted = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        if self.depth == 0 {
            self.end_value(at + 1);
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
        } else if self.arguments_from == Some(self.value) {
            self.arguments_to = Some(to);
        }
    }

    fn closes_text(&mut self, byte: u8) -> bool {
        if self.escaped {
            self.escaped = false;
            return false;
        }
        self.escaped = byte == b'\\';
        byte == b'"'
    }
}
