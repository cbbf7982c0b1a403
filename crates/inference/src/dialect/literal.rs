//! Turns the value notation of a dialect into JSON text: Python's for pythonic calls, Gemma's own. It reads expressions
//! that are whole. What has no reading as JSON is left as it is written, so that the check of arguments
//! refuses it.

use super::typed::{json_text, json_value};

/// Brackets in brackets; more is no call.
const DEEPEST: usize = 64;

/// How a dialect writes values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// Python: quoted with either quote, escapes, tuples.
    Python,
    /// Gemma: texts between marks without escapes, bare keys.
    Gemma,
}

/// The marks of Gemma's texts; the second is that of its function models.
pub(super) const MARKS: [&str; 2] = ["<|\"|>", "<escape>"];

/// The expression has no reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unread;

/// Reads values from the start of a text.
#[derive(Debug)]
pub(super) struct Values<'a> {
    notation: Notation,
    text: &'a str,
    depth: usize,
}

impl<'a> Values<'a> {
    pub(super) fn new(notation: Notation, text: &'a str) -> Values<'a> {
        Values { notation, text, depth: 0 }
    }

    /// What was not read yet, from the first letter that is no blank.
    pub(super) fn rest(&mut self) -> &'a str {
        self.text = self.text.trim_ascii_start();
        self.text
    }

    /// Takes a sign if it stands next.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        match self.rest().strip_prefix(sign) {
            Some(rest) => self.text = rest,
            None => return false,
        }
        true
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), Unread> {
        if self.take(sign) { Ok(()) } else { Err(Unread) }
    }

    /// A name as functions, arguments and bare keys have it.
    pub(super) fn name(&mut self) -> Result<&'a str, Unread> {
        let rest = self.rest();
        let end = rest.find(|letter: char| !is_name_letter(letter)).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        self.text = rest;
        if name.is_empty() { Err(Unread) } else { Ok(name) }
    }

    /// The members up to the closing sign, as one JSON object: `name=value` in calls of Python, `key:value` else.
    pub(super) fn members(&mut self, between: &str, close: &str) -> Result<String, Unread> {
        let mut json = String::from("{");
        while !self.take(close) {
            if json.len() > 1 {
                self.expect(",")?;
                if self.take(close) {
                    break;
                }
                json.push_str(", ");
            }
            if between == "=" && json.len() == 1 && self.take("**{") {
                // Names that are none in Python stand in a dictionary.
                let rest = self.members(":", "}")?;
                self.expect(close)?;
                return Ok(rest);
            }
            let key = self.key(between == "=")?;
            self.expect(between)?;
            json.push_str(&key);
            json.push_str(": ");
            json.push_str(&self.value()?);
        }
        json.push('}');
        Ok(json)
    }

    fn key(&mut self, bare: bool) -> Result<String, Unread> {
        let quoted = self.text_value()?;
        match quoted {
            Some(key) if !bare => Ok(key),
            Some(_) => Err(Unread),
            None if bare || self.notation == Notation::Gemma => Ok(json_text(self.name()?)),
            None => Err(Unread),
        }
    }

    /// One value as JSON.
    pub(super) fn value(&mut self) -> Result<String, Unread> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Unread);
        }
        let value = self.any_value();
        self.depth -= 1;
        value
    }

    fn any_value(&mut self) -> Result<String, Unread> {
        if let Some(text) = self.text_value()? {
            return Ok(text);
        }
        if self.take("{") {
            return self.members(":", "}");
        }
        if self.take("[") {
            return self.items("]");
        }
        if self.notation == Notation::Python && self.take("(") {
            return self.items(")");
        }
        self.word()
    }

    fn items(&mut self, close: &str) -> Result<String, Unread> {
        let mut json = String::from("[");
        while !self.take(close) {
            if json.len() > 1 {
                self.expect(",")?;
                if self.take(close) {
                    break;
                }
                json.push_str(", ");
            }
            json.push_str(&self.value()?);
        }
        json.push(']');
        Ok(json)
    }

    /// A number or one of the words for true, false and nothing. Another word stays and makes the JSON a broken one.
    fn word(&mut self) -> Result<String, Unread> {
        let rest = self.rest();
        let end = rest.find(|letter: char| !is_word_letter(letter)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.text = rest;
        if word.is_empty() { Err(Unread) } else { Ok(json_value(word).unwrap_or(word).to_owned()) }
    }

    /// A text as JSON, if one stands next.
    fn text_value(&mut self) -> Result<Option<String>, Unread> {
        let rest = self.rest();
        match self.notation {
            Notation::Python => self.python_text(rest),
            Notation::Gemma => self.gemma_text(rest),
        }
    }

    fn gemma_text(&mut self, rest: &'a str) -> Result<Option<String>, Unread> {
        for mark in MARKS {
            if let Some(inside) = rest.strip_prefix(mark) {
                let end = inside.find(mark).ok_or(Unread)?;
                self.text = &inside[end + mark.len()..];
                return Ok(Some(json_text(&inside[..end])));
            }
        }
        if !rest.starts_with('"') {
            return Ok(None);
        }
        let (json, length) = quoted(rest, "\"")?;
        let json = if json_value(&rest[..length]).is_some() { rest[..length].to_owned() } else { json };
        self.text = &rest[length..];
        Ok(Some(json))
    }

    fn python_text(&mut self, rest: &'a str) -> Result<Option<String>, Unread> {
        let Some(mark) = PYTHON_MARKS.iter().find(|mark| rest.starts_with(**mark)) else { return Ok(None) };
        let (json, length) = quoted(rest, mark)?;
        self.text = &rest[length..];
        Ok(Some(json))
    }
}

/// Longer ones first.
pub(super) const PYTHON_MARKS: [&str; 4] = ["\"\"\"", "'''", "\"", "'"];

fn is_name_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

fn is_word_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '+' | '.')
}

/// A text in Python's quotes as JSON, and the bytes it took.
fn quoted(rest: &str, mark: &str) -> Result<(String, usize), Unread> {
    let mut json = String::from("\"");
    let mut at = mark.len();
    loop {
        let here = rest.get(at..).ok_or(Unread)?;
        if here.starts_with(mark) {
            json.push('"');
            return Ok((json, at + mark.len()));
        }
        let letter = here.chars().next().ok_or(Unread)?;
        if letter == '\\' {
            at += escape(&here[1..], &mut json)? + 1;
        } else {
            push_letter(letter, &mut json);
            at += letter.len_utf8();
        }
    }
}

/// What stands after a backslash; gives the bytes it took. An escape that Python does not know stays as it is and makes
/// the JSON a broken one: it has two readings (LOOP-41).
fn escape(rest: &str, json: &mut String) -> Result<usize, Unread> {
    let letter = rest.chars().next().ok_or(Unread)?;
    match letter {
        '\\' | '"' | 'n' | 't' | 'r' | 'b' | 'f' => json.extend(['\\', letter]),
        '\'' => json.push('\''),
        'a' => json.push_str("\\u0007"),
        'v' => json.push_str("\\u000b"),
        '\n' => {}
        'u' => json.push_str("\\u"),
        'x' => return code(rest, 2, json),
        'U' => return code(rest, 8, json),
        // JSON reads a slash, Python a backslash and a slash.
        '/' => return Err(Unread),
        _ if letter.is_control() => return Err(Unread),
        _ => {
            json.push('\\');
            push_letter(letter, json);
        }
    }
    Ok(letter.len_utf8())
}

fn code(rest: &str, digits: usize, json: &mut String) -> Result<usize, Unread> {
    let number = rest.get(1..=digits).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let number = number.ok_or(Unread)?;
    let number = u32::from_str_radix(number, 16).map_err(|_| Unread)?;
    push_letter(char::from_u32(number).ok_or(Unread)?, json);
    Ok(1 + digits)
}

fn push_letter(letter: char, json: &mut String) {
    let mut buffer = [0; 4];
    let text = json_text(letter.encode_utf8(&mut buffer));
    json.push_str(&text[1..text.len() - 1]);
}

pub(super) mod write;

#[cfg(test)]
mod tests;
