//! Writes the grammar of calls from the parts of a dialect's frames, as llguidance reads it. Pure text; which tokens it
//! lets through is the engine's matter.

use std::fmt::Write as _;

use inference::dialect::Part;
use serde_json::{Map, Value, json};

/// Control tokens by spelling: in a grammar they are tokens, not letters.
pub(crate) type Controls = [(String, u32)];

/// The grammar of one of these rows.
pub(crate) fn grammar(rows: &[Vec<Part>], controls: &Controls) -> String {
    let mut lark = Lark { rules: String::new(), count: 0, controls };
    let rows: Vec<String> = rows.iter().map(|row| lark.row(row)).collect();
    format!("start: {}\n{}", rows.join(" | "), lark.rules)
}

struct Lark<'a> {
    rules: String,
    count: usize,
    controls: &'a Controls,
}

impl Lark<'_> {
    fn row(&mut self, parts: &[Part]) -> String {
        let parts: Vec<String> = joined(parts).iter().map(|part| self.part(part)).collect();
        if parts.is_empty() { "\"\"".to_owned() } else { parts.join(" ") }
    }

    fn part(&mut self, part: &Part) -> String {
        match part {
            Part::Text(text) => self.text(text),
            Part::Json(schema) => {
                let schema = arguments_schema(schema);
                self.rule("", &format!("%json {schema}"))
            }
            Part::Until(end) => {
                let pattern = format!("/(.|\\n)*{}/", escaped(end));
                self.rule("[lazy]", &pattern)
            }
            Part::Optional(parts) => {
                let row = self.row(parts);
                self.rule("", &format!("({row})?"))
            }
            Part::OneOf(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| self.row(row)).collect();
                self.rule("", &rows.join(" | "))
            }
        }
    }

    fn rule(&mut self, attributes: &str, body: &str) -> String {
        let name = format!("part_{}", self.count);
        self.count += 1;
        writeln!(self.rules, "{name}{attributes}: {body}").expect("writing to a string cannot fail");
        name
    }

    /// Letters as JSON has them, control tokens by their number.
    fn text(&self, text: &str) -> String {
        let pieces = split(text, self.controls).into_iter().map(|piece| match piece {
            Piece::Letters(text) => Value::from(text).to_string(),
            Piece::Control(id) => format!("<[{id}]>"),
        });
        pieces.collect::<Vec<_>>().join(" ")
    }
}

/// The parts with neighbouring texts as one: the lexer takes the longest word that fits, and one that ends early would
/// lose to one that goes on.
fn joined(parts: &[Part]) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        match (joined.last_mut(), part) {
            (_, Part::Text(text)) if text.is_empty() => {}
            (Some(Part::Text(last)), Part::Text(text)) => last.push_str(text),
            (_, part) => joined.push(part.clone()),
        }
    }
    joined
}

/// A piece of a text: letters, or a control token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Letters.
    Letters(&'a str),
    /// The id of a control token.
    Control(u32),
}

/// A text of a dialect in letters and control tokens, the longest spelling first.
pub(crate) fn split<'a>(text: &'a str, controls: &Controls) -> Vec<Piece<'a>> {
    let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let starting =
            controls.iter().filter(|(spelling, _)| !spelling.is_empty() && rest.starts_with(spelling.as_str()));
        let Some((spelling, id)) = starting.max_by_key(|(spelling, _)| spelling.len()) else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if from < at {
            pieces.push(Piece::Letters(&text[from..at]));
        }
        pieces.push(Piece::Control(*id));
        at += spelling.len();
        from = at;
    }
    if from < text.len() {
        pieces.push(Piece::Letters(&text[from..]));
    }
    pieces
}

/// Signs with a meaning in patterns, and the one that ends a pattern.
const PATTERN_SIGNS: &str = "\\.+*?()|[]{}^$/";

/// A text as a pattern that stands for itself.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        match letter {
            '\n' => pattern.push_str("\\n"),
            letter if PATTERN_SIGNS.contains(letter) => pattern.extend(['\\', letter]),
            letter => pattern.push(letter),
        }
    }
    pattern
}

/// The schema as the grammar needs it: objects closed unless they say otherwise, blanks as templates write them, so that
/// a call replayed by a template is the text the model wrote.
fn arguments_schema(schema: &Value) -> Value {
    let mut schema = closed(schema.clone(), 0);
    if !schema.is_object() {
        schema = json!({ "type": "object", "additionalProperties": false });
    }
    schema["x-guidance"] = json!({ "whitespace_flexible": false, "item_separator": ", ", "key_separator": ": " });
    schema
}

/// Keys whose values are schemas by name, not schemas.
const NAMED: [&str; 4] = ["properties", "$defs", "definitions", "patternProperties"];
/// Keys whose values are data.
const DATA: [&str; 4] = ["enum", "const", "default", "examples"];
const DEEPEST: usize = 64;

fn closed(schema: Value, depth: usize) -> Value {
    let Value::Object(members) = schema else { return schema };
    if depth > DEEPEST {
        return Value::Object(members);
    }
    let describes_object =
        members.get("type").is_some_and(|kind| kind == "object") || members.contains_key("properties");
    let mut closed: Map<String, Value> =
        members.into_iter().map(|(key, value)| closed_member(key, value, depth)).collect();
    if describes_object && !closed.contains_key("additionalProperties") {
        closed.insert("additionalProperties".to_owned(), Value::from(false));
    }
    Value::Object(closed)
}

fn closed_member(key: String, value: Value, depth: usize) -> (String, Value) {
    if DATA.contains(&key.as_str()) {
        return (key, value);
    }
    let value = match value {
        Value::Object(named) if NAMED.contains(&key.as_str()) => {
            named.into_iter().map(|(name, schema)| (name, closed(schema, depth + 1))).collect()
        }
        Value::Object(_) => closed(value, depth + 1),
        Value::Array(items) => items.into_iter().map(|item| closed(item, depth + 1)).collect(),
        other => other,
    };
    (key, value)
}

#[cfg(test)]
mod tests;
