//! Writes JSON in the value notation of a dialect, so that reading gives it back.

use serde_json::value::RawValue;

use super::{MARKS, Notation, is_name_letter};
use crate::dialect::typed::{json_text, members};

/// A JSON value. Numbers keep their digits.
pub(in crate::dialect) fn value(notation: Notation, json: &str) -> String {
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return text_in(notation, &text);
    }
    if let Some(members) = members(json) {
        let member = |(key, value): (String, Box<RawValue>)| {
            format!("{}:{}{}", key_in(notation, &key), blank(notation), self::value(notation, value.get()))
        };
        return format!("{{{}}}", joined(notation, members.into_iter().map(member)));
    }
    if let Ok(items) = serde_json::from_str::<Vec<Box<RawValue>>>(json) {
        return format!("[{}]", joined(notation, items.into_iter().map(|item| value(notation, item.get()))));
    }
    match (notation, json) {
        (Notation::Python, "true") => "True".to_owned(),
        (Notation::Python, "false") => "False".to_owned(),
        (Notation::Python, "null") => "None".to_owned(),
        (Notation::Python | Notation::Gemma, other) => other.to_owned(),
    }
}

fn joined(notation: Notation, parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(&format!(",{}", blank(notation)))
}

/// Python is written with blanks behind its signs, Gemma without.
fn blank(notation: Notation) -> &'static str {
    match notation {
        Notation::Python => " ",
        Notation::Gemma => "",
    }
}

fn text_in(notation: Notation, text: &str) -> String {
    match notation {
        Notation::Python => json_text(text),
        Notation::Gemma if MARKS.iter().any(|mark| text.contains(mark)) => json_text(text).replace('<', "\\u003c"),
        Notation::Gemma => format!("{}{text}{}", MARKS[0], MARKS[0]),
    }
}

/// A key in an object: bare where the notation has bare keys and the key looks like a name.
fn key_in(notation: Notation, key: &str) -> String {
    let bare = notation == Notation::Gemma && !key.is_empty() && key.chars().all(is_name_letter);
    if bare { key.to_owned() } else { text_in(notation, key) }
}

/// The members of a JSON object as arguments of a Python call.
pub(in crate::dialect) fn arguments(json: &str) -> String {
    let members = members(json).unwrap_or_default();
    if !members.iter().all(|(key, _)| is_identifier(key)) {
        return format!("**{}", value(Notation::Python, json));
    }
    let member =
        |(key, value): (String, Box<RawValue>)| format!("{key}={}", self::value(Notation::Python, value.get()));
    joined(Notation::Python, members.into_iter().map(member))
}

fn is_identifier(key: &str) -> bool {
    key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && key.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
}
