//! Reads a value that was meant as JSON, with the slips that have one reading. It never closes what is open, never
//! guesses at an escape, and takes no value beyond those of JSON and Python's three words.

use std::collections::HashSet;
use std::rc::Rc;

use super::pointer::escaped;
use super::step::{Did, Step, note};
use super::tree::{Node, Object, What, quoted};
use super::{MOST_KEYS, MOST_LEVELS, decimal};

mod text;

/// A value and what had to be overlooked to read it.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) node: Node,
    pub(super) steps: Vec<Step>,
    /// What is left for texts within it.
    pub(super) room: Room,
    /// Steps of work.
    pub(super) work: usize,
}

/// Why a text is no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// It ends too early; says what is open.
    Open(String),
    /// There is no reading of it, or there are two.
    Bad { path: String, reason: String },
    /// Too many levels or keys.
    TooLarge,
}

/// How many levels and keys a text may still have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) levels: usize,
    pub(super) keys: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { levels: MOST_LEVELS, keys: MOST_KEYS }
    }
}

/// A place in a text that only moves forward.
pub(super) struct Reader<'t> {
    source: &'t Rc<str>,
    at: usize,
    room: Room,
    path: String,
    steps: Vec<Step>,
    work: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(source: &'t Rc<str>, room: Room) -> Self {
        Self { source, at: 0, room, path: String::new(), steps: Vec::new(), work: 0 }
    }

    /// The text as one value with nothing around it.
    pub(super) fn whole(mut self) -> Result<Read, Fault> {
        if self.take("\u{feff}") {
            self.slip(Did::ByteOrderMark);
        }
        let node = self.value()?;
        self.blank()?;
        match self.peek() {
            None => Ok(self.done(node)),
            Some(_) => Err(self.unexpected("nothing more")),
        }
    }

    pub(super) fn done(self, node: Node) -> Read {
        Read { node, steps: self.steps, room: self.room, work: self.work + self.at }
    }

    /// Goes on at that place, which lies ahead.
    pub(super) fn skip_to(&mut self, at: usize) {
        self.at = self.at.max(at);
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.source[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn take(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    pub(super) fn slip(&mut self, did: Did) {
        let path = &self.path;
        note(&mut self.steps, || path.clone(), did);
    }

    /// Reads over blanks, comments and newlines that were written as `\n`.
    pub(super) fn blank(&mut self) -> Result<(), Fault> {
        loop {
            self.work += 1;
            if self.take(" ") || self.take("\n") || self.take("\t") || self.take("\r") {
                continue;
            }
            if self.take("\\n") || self.take("\\r") || self.take("\\t") {
                self.slip(Did::WrittenNewline);
                continue;
            }
            if !self.comment()? {
                return Ok(());
            }
        }
    }

    fn comment(&mut self) -> Result<bool, Fault> {
        let rest = self.rest();
        let length = if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inner) = rest.strip_prefix("/*") {
            inner.find("*/").map(|end| end + 4).ok_or_else(|| self.open("a comment"))?
        } else {
            return Ok(false);
        };
        self.at += length;
        self.slip(Did::Comment);
        Ok(true)
    }

    pub(super) fn value(&mut self) -> Result<Node, Fault> {
        self.blank()?;
        let start = self.at;
        let what = match self.peek() {
            None => return Err(self.open("a value")),
            Some('{') => self.object()?,
            Some('[') => self.list()?,
            Some('-' | '0'..='9') => self.number()?,
            Some(_) => match self.quote() {
                Some(quote) => What::Text(self.text(quote)?),
                None => self.word()?,
            },
        };
        Ok(Node::new(Rc::clone(self.source), start..self.at, what))
    }

    fn object(&mut self) -> Result<What, Fault> {
        self.enter()?;
        let (mut object, mut seen) = (Object::default(), HashSet::new());
        loop {
            self.blank()?;
            if self.closes('}', !object.members.is_empty())? {
                return Ok(What::Object(object));
            }
            let key = self.key()?;
            if !seen.insert(key.clone()) {
                object.twice.get_or_insert_with(|| key.clone());
            }
            let value = self.within(&key, |reader| {
                reader.blank()?;
                if !reader.take(":") {
                    return Err(reader.unexpected("a colon"));
                }
                let value = reader.value()?;
                reader.separated('}', &value)?;
                Ok(value)
            })?;
            object.members.push((key, value));
            if self.take("}") {
                self.room.levels += 1;
                return Ok(What::Object(object));
            }
            self.take(",");
        }
    }

    fn list(&mut self) -> Result<What, Fault> {
        self.enter()?;
        let mut items = Vec::new();
        loop {
            self.blank()?;
            if self.closes(']', !items.is_empty())? {
                return Ok(What::List(items));
            }
            let item = self.within(&items.len().to_string(), |reader| {
                let item = reader.value()?;
                reader.separated(']', &item)?;
                Ok(item)
            })?;
            items.push(item);
            if self.take("]") {
                self.room.levels += 1;
                return Ok(What::List(items));
            }
            self.take(",");
        }
    }

    fn enter(&mut self) -> Result<(), Fault> {
        self.at += 1;
        self.room.levels = self.room.levels.checked_sub(1).ok_or(Fault::TooLarge)?;
        Ok(())
    }

    /// Takes a closer that stands where a member could begin: after an opener, or behind a comma too many.
    fn closes(&mut self, closer: char, behind_comma: bool) -> Result<bool, Fault> {
        match self.peek() {
            None => Err(self.open(if closer == '}' { "an object" } else { "a list" })),
            Some(letter) if letter == closer => {
                if behind_comma {
                    self.slip(Did::TrailingComma);
                }
                self.at += 1;
                self.room.levels += 1;
                Ok(true)
            }
            Some(_) => Ok(false),
        }
    }

    /// Stands before a comma or the closer, or says what is wrong.
    fn separated(&mut self, closer: char, before: &Node) -> Result<(), Fault> {
        let end = self.at;
        self.blank()?;
        match self.peek() {
            None => {
                self.path.truncate(self.path.rfind('/').unwrap_or(0));
                Err(self.open(if closer == '}' { "an object" } else { "a list" }))
            }
            Some(letter) if letter == closer || letter == ',' => Ok(()),
            Some(_) if matches!(before.what, What::Text(_)) => Err(self.bad(format!(
                "the quote before {} ends the text, but more follows; write \\\" for a quote inside a text, or a comma \
                 behind it",
                self.place(end)
            ))),
            Some(_) => Err(self.unexpected(&format!("a comma or {closer}"))),
        }
    }

    fn within<T>(&mut self, part: &str, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(&escaped(part));
        let read = read(self);
        self.path.truncate(length);
        read
    }

    fn key(&mut self) -> Result<String, Fault> {
        self.room.keys = self.room.keys.checked_sub(1).ok_or(Fault::TooLarge)?;
        if let Some(quote) = self.quote() {
            return self.text(quote);
        }
        let starts = |letter: char| letter.is_alphabetic() || matches!(letter, '_' | '$');
        let goes_on = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-');
        let rest = self.rest();
        if !rest.starts_with(starts) {
            return Err(self.unexpected("a key in quotes"));
        }
        let length = rest.find(|letter| !goes_on(letter)).unwrap_or(rest.len());
        self.at += length;
        self.slip(Did::BareKey);
        Ok(rest[..length].to_owned())
    }

    fn number(&mut self) -> Result<What, Fault> {
        let rest = self.rest();
        let end = rest.find(|letter: char| !is_of_word(letter)).unwrap_or(rest.len());
        let number = &rest[..end];
        if decimal::length(number) != Some(end) {
            return Err(self.bad(format!("{} is no number of JSON", excerpt(number))));
        }
        self.at += end;
        Ok(What::Number(number.to_owned()))
    }

    fn word(&mut self) -> Result<What, Fault> {
        let rest = self.rest();
        let end = rest.find(|letter: char| !is_of_word(letter)).unwrap_or(rest.len());
        let what = match &rest[..end] {
            "null" | "None" => What::Null,
            "true" | "True" => What::Bool(true),
            "false" | "False" => What::Bool(false),
            "" => return Err(self.unexpected("a value")),
            word => return Err(self.bad(format!("{} is no value of JSON; text stands in quotes", excerpt(word)))),
        };
        if rest.starts_with(|letter: char| letter.is_ascii_uppercase()) {
            self.slip(Did::PythonLiteral);
        }
        self.at += end;
        Ok(what)
    }

    pub(super) fn open(&self, what: &str) -> Fault {
        let place = if self.path.is_empty() { String::new() } else { format!(" at {}", self.path) };
        Fault::Open(format!("{what}{place} has no end"))
    }

    pub(super) fn bad(&self, reason: String) -> Fault {
        Fault::Bad { path: self.path.clone(), reason }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Fault {
        let Some(letter) = self.peek() else { return self.open("the text") };
        let found = quoted(letter.encode_utf8(&mut [0; 4]));
        self.bad(format!("found {found} at {}, where {wanted} is allowed", self.place(self.at)))
    }

    /// A place in the text for people: counted from 1, in characters.
    pub(super) fn place(&self, at: usize) -> String {
        let before = &self.source[..at];
        let line = before.matches('\n').count() + 1;
        let column = before[before.rfind('\n').map_or(0, |end| end + 1)..].chars().count() + 1;
        if line == 1 { format!("column {column}") } else { format!("line {line}, column {column}") }
    }
}

/// Letters that belong to the number or word before them, so that no part of one is read as the whole.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.' | '+' | '-' | '%')
}

/// The beginning of a text, for a sentence.
pub(super) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut letters = text.chars();
    let start: String = letters.by_ref().take(MOST).collect();
    if letters.next().is_some() { format!("{start}…") } else { start }
}
