//! What was read: a value that remembers where in which text each part stood, and its numbers as they were written.

use std::ops::Range;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::pointer::Pointer;
use super::{LostDigits, decimal};

/// A value and its place in the text that it was read from.
#[derive(Debug, Clone)]
pub(super) struct Node {
    source: Rc<str>,
    span: Range<usize>,
    pub(super) what: What,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    Null,
    Bool(bool),
    /// A number of JSON, as written.
    Number(String),
    /// Text without its delimiters, escapes decoded.
    Text(String),
    List(Vec<Node>),
    Object(Object),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    /// In the order in which they were written.
    pub(super) members: Vec<(String, Node)>,
    /// The first key that stands twice, if one does.
    pub(super) twice: Option<String>,
}

impl Node {
    pub(super) fn new(source: Rc<str>, span: Range<usize>, what: What) -> Self {
        Self { source, span, what }
    }

    /// The bytes it was read from.
    pub(super) fn slice(&self) -> &str {
        &self.source[self.span.clone()]
    }

    /// Another value in its place.
    pub(super) fn with(&self, what: What) -> Self {
        Self { source: Rc::clone(&self.source), span: self.span.clone(), what }
    }

    /// The value as JSON text, numbers as they were written.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) {
        match &self.what {
            What::Null => out.push_str("null"),
            What::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            What::Number(number) => out.push_str(number),
            What::Text(text) => out.push_str(&quoted(text)),
            What::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            What::Object(object) => {
                out.push('{');
                for (index, (key, value)) in object.members.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    out.push_str(&quoted(key));
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// The value, unless a number in it would lose digits.
    pub(super) fn value(&self) -> Result<Value, LostDigits> {
        self.value_at(&Pointer::Root)
    }

    fn value_at(&self, at: &Pointer<'_>) -> Result<Value, LostDigits> {
        Ok(match &self.what {
            What::Null => Value::Null,
            What::Bool(value) => (*value).into(),
            What::Number(number) => match decimal::held(number) {
                Some(number) => number.into(),
                None => return Err(LostDigits { path: at.to_string(), number: number.clone() }),
            },
            What::Text(text) => text.as_str().into(),
            What::List(items) => {
                let item = |(index, item): (usize, &Self)| item.value_at(&Pointer::Index(at, index));
                Value::Array(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
            }
            What::Object(object) => {
                let member = |(key, value): &(String, Self)| Ok((key.clone(), value.value_at(&Pointer::Key(at, key))?));
                Value::Object(object.members.iter().map(member).collect::<Result<Map<_, _>, _>>()?)
            }
        })
    }

    /// The first place that nobody may decide about, and why.
    pub(super) fn unsound(&self) -> Option<(String, String)> {
        self.unsound_at(&Pointer::Root)
    }

    fn unsound_at(&self, at: &Pointer<'_>) -> Option<(String, String)> {
        match &self.what {
            What::Null | What::Bool(_) | What::Text(_) => None,
            What::Number(number) if decimal::is_finite(number) => None,
            What::Number(number) => Some((at.to_string(), format!("the number {number} is out of all bounds"))),
            What::List(items) => {
                let mut items = items.iter().enumerate();
                items.find_map(|(index, item)| item.unsound_at(&Pointer::Index(at, index)))
            }
            What::Object(Object { twice: Some(key), .. }) => Some((
                Pointer::Key(at, key).to_string(),
                format!("the key {} stands twice; write it once", quoted(key)),
            )),
            What::Object(object) => {
                let mut members = object.members.iter();
                members.find_map(|(key, value)| value.unsound_at(&Pointer::Key(at, key)))
            }
        }
    }
}

/// Text as a string of JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
