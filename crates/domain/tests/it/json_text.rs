//! Random arguments with the schema they fit: as JSON text in all its spellings, and as text with the slips that mending
//! knows. The same for the same seed.

use domain::model::StopReason;
use serde_json::{Map, Value, json};

use crate::random::Random;

/// Ways in which a reply ends before the model is done.
pub(crate) const CUTS: [StopReason; 4] =
    [StopReason::Length, StopReason::Cancelled, StopReason::Cut, StopReason::ContextFull];

/// Pieces of texts that are nearly JSON.
pub(crate) const PIECES: [&str; 48] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "'",
    "“",
    "”",
    "‘",
    "\\",
    "\\\"",
    "\\\\",
    "\\n",
    "\\u00e9",
    "\\ud83d",
    "\\d",
    "//",
    "/*",
    "*/",
    "#",
    "\n",
    " ",
    "\t",
    "\0",
    "```",
    "json",
    "path",
    "\"path\"",
    "limit",
    "arguments",
    "name",
    "read",
    "true",
    "None",
    "null",
    "NaN",
    "5",
    "-1.5e3",
    "007",
    "é",
    "🚀",
    "\u{feff}",
    "<",
    "{\"path\":\"a\"}",
    "{'path': 'a\\\\b'}",
    "mode",
];

const KEYS: [&str; 8] = ["path", "limit", "a b", "x/y~z", "käse", "n1", "_in", "Zeit"];
const CHOICES: [&str; 4] = ["fast", "slow", "very slow", "Äon"];
const WORDS: [&str; 20] = [
    "a",
    "C:\\dir\\new",
    "\\\\",
    "\"",
    "'",
    "’",
    "“x”",
    "{",
    "}]",
    "```json\n",
    "null",
    "5",
    "True",
    "é🚀",
    "\n",
    "\t\u{1}",
    "</tool_call>",
    "//",
    "#x",
    ", \"b\": ",
];
const NUMBERS: [&str; 6] = ["0.1", "-2.5e-3", "1e3", "9007199254740993", "-0.25", "31.4159"];
const INTEGERS: [&str; 6] = ["0", "7", "-12", "9007199254740993", "18446744073709551615", "-9223372036854775808"];

#[derive(Debug, Clone)]
enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
    Choice,
    List(Box<Kind>),
    Object(Vec<Member>),
}

#[derive(Debug, Clone)]
struct Member {
    key: &'static str,
    kind: Kind,
    required: bool,
}

/// The shape of some arguments.
#[derive(Debug, Clone)]
pub(crate) struct Sample(Kind);

/// How a value is written: as JSON, or with slips.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Slips { texts: usize },
}

impl Sample {
    /// A shape with at least one argument that must be there.
    pub(crate) fn draw(random: &mut Random) -> Self {
        let Kind::Object(mut members) = object(random, 3) else { unreachable!("an object was drawn") };
        members[0].required = true;
        Self(Kind::Object(members))
    }

    pub(crate) fn schema(&self) -> Value {
        schema(&self.0)
    }

    /// JSON text that fits, and its value.
    pub(crate) fn text(&self, random: &mut Random) -> (String, Value) {
        written(&self.0, random, Style::Plain)
    }

    /// The same with slips in it and around it.
    pub(crate) fn slipped(&self, random: &mut Random) -> (String, Value) {
        let (text, value) = written(&self.0, random, Style::Slips { texts: 2 });
        let object = text.starts_with('{');
        let text = match random.below(9) {
            0 => format!("\u{feff}{text}"),
            1 => format!("```json\n{text}\n```"),
            2 if object => format!("Here is the call: {text}\nThat's all."),
            3 if object => format!("I call it.\n~~~\n{text}\n~~~\nDone"),
            4 => format!("[{text} ,]"),
            5 => format!("{{\"arguments\": {text}}}"),
            6 => format!("{{'name': 'read', 'args': {text}}}"),
            7 => Value::from(text).to_string(),
            _ => text,
        };
        (text, value)
    }
}

fn kind(random: &mut Random, depth: usize) -> Kind {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => Kind::Integer,
        1 => Kind::Number,
        2 => Kind::Boolean,
        3 => Kind::Choice,
        4 | 5 => Kind::Text,
        6 => Kind::List(Box::new(kind(random, depth - 1))),
        _ => object(random, depth - 1),
    }
}

fn object(random: &mut Random, depth: usize) -> Kind {
    let first = random.below(KEYS.len());
    let count = 1 + random.below(4);
    let member = |index: usize| {
        let kind = kind(random, depth);
        Member { key: KEYS[(first + index) % KEYS.len()], kind, required: random.once_in(2) }
    };
    Kind::Object((0..count).map(member).collect())
}

fn schema(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Integer => json!({"type": "integer"}),
        Kind::Number => json!({"type": "number"}),
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::Choice => json!({"type": "string", "enum": CHOICES}),
        Kind::List(item) => json!({"type": "array", "items": schema(item)}),
        Kind::Object(members) => {
            let properties: Map<String, Value> =
                members.iter().map(|member| (member.key.to_owned(), schema(&member.kind))).collect();
            let required: Vec<_> = members.iter().filter(|member| member.required).map(|member| member.key).collect();
            json!({"type": "object", "properties": properties, "required": required})
        }
    }
}

fn written(kind: &Kind, random: &mut Random, style: Style) -> (String, Value) {
    let slips = style != Style::Plain;
    match kind {
        Kind::Text => words(random, style),
        Kind::Integer => number(random, &INTEGERS, slips),
        Kind::Number => number(random, &NUMBERS, slips),
        Kind::Boolean => boolean(random, slips),
        Kind::Choice => choice(random, slips),
        Kind::List(item) => list(item, random, style),
        Kind::Object(members) => members_of(members, random, style),
    }
}

fn words(random: &mut Random, style: Style) -> (String, Value) {
    if style != Style::Plain && random.once_in(8) {
        let bare = ["5", "1.50", "true", "False", "{ 'a' : 1 }"][random.below(5)];
        return (bare.to_owned(), json!(bare));
    }
    let count = random.below(5);
    let text: String = (0..count).map(|_| WORDS[random.below(WORDS.len())]).collect();
    (quoted(&text, random, style), json!(text))
}

fn number(random: &mut Random, numbers: &[&str], slips: bool) -> (String, Value) {
    let number = numbers[random.below(numbers.len())];
    let value = serde_json::from_str(number).expect("it is a number");
    let text = if slips && random.once_in(3) { format!("\" {number}\"") } else { number.to_owned() };
    (text, value)
}

fn boolean(random: &mut Random, slips: bool) -> (String, Value) {
    let value = random.once_in(2);
    let spelled: [&str; 3] = if value { ["true", "True", "'TRUE '"] } else { ["false", "False", "\"False\""] };
    (spelled[if slips { random.below(3) } else { 0 }].to_owned(), json!(value))
}

fn choice(random: &mut Random, slips: bool) -> (String, Value) {
    let value = CHOICES[random.below(CHOICES.len())];
    let text =
        if slips && random.once_in(2) { format!("'{}\\n '", value.to_uppercase()) } else { format!("{value:?}") };
    (text, json!(value))
}

fn list(item: &Kind, random: &mut Random, style: Style) -> (String, Value) {
    let (texts, values): (Vec<_>, Vec<_>) = (0..random.below(4)).map(|_| written(item, random, style)).unzip();
    let one = matches!(item, Kind::Integer | Kind::Boolean) && values.len() == 1;
    if style != Style::Plain && one && random.once_in(2) {
        return (texts.concat(), Value::Array(values));
    }
    let inner = joined(&texts, random, style);
    (as_text(format!("[{inner}]"), random, style), Value::Array(values))
}

fn members_of(members: &[Member], random: &mut Random, style: Style) -> (String, Value) {
    let (mut texts, mut values) = (Vec::new(), Map::new());
    for member in members {
        if !member.required && random.once_in(3) {
            if style != Style::Plain && random.once_in(2) {
                texts.push(format!("{}: None", key(member.key, random, style)));
            }
            continue;
        }
        let (text, value) = written(&member.kind, random, style);
        texts.push(format!(
            "{}{}:{}{text}",
            key(member.key, random, style),
            blank(random, style),
            blank(random, style)
        ));
        values.insert(member.key.to_owned(), value);
    }
    if random.once_in(6) {
        texts.push("\"unknown\":{\"n\":[1,null]}".to_owned());
        values.insert("unknown".to_owned(), json!({"n": [1, null]}));
    }
    let inner = joined(&texts, random, style);
    (as_text(format!("{{{inner}}}"), random, style), Value::Object(values))
}

fn key(key: &str, random: &mut Random, style: Style) -> String {
    if style != Style::Plain {
        match random.below(4) {
            0 if key.chars().all(|letter| letter.is_alphanumeric() || letter == '_') => return key.to_owned(),
            1 => return format!("' {} '", key.to_uppercase()),
            _ => {}
        }
    }
    quoted(key, random, style)
}

fn joined(texts: &[String], random: &mut Random, style: Style) -> String {
    let mut inner = blank(random, style);
    for (index, text) in texts.iter().enumerate() {
        let last = index + 1 == texts.len();
        let comma = if !last || (style != Style::Plain && random.once_in(4)) { "," } else { "" };
        inner.push_str(&format!("{text}{}{comma}{}", blank(random, style), blank(random, style)));
    }
    inner
}

fn blank(random: &mut Random, style: Style) -> String {
    let plain = ["", "", "", " ", "\n", "\t", "\r\n  "];
    let slips = ["", "", " ", "\\n", "/* {\"a\": */", " // it's\n", " # \\d\n"];
    match style {
        Style::Plain => plain[random.below(plain.len())],
        Style::Slips { .. } => slips[random.below(slips.len())],
    }
    .to_owned()
}

/// A list or an object, sometimes sent as text.
fn as_text(text: String, random: &mut Random, style: Style) -> String {
    match style {
        // What is inside may hold a text of its own; deeper ones than three are refused.
        Style::Slips { texts } if texts > 0 && !text.contains("\\\"{") && !text.contains('\'') && random.once_in(9) => {
            if text.contains("\\\\") || text.contains("\"[") || text.contains("\"{") {
                text
            } else {
                Value::from(text).to_string()
            }
        }
        Style::Plain | Style::Slips { .. } => text,
    }
}

/// Text in quotes, in one of the spellings that a text has.
fn quoted(text: &str, random: &mut Random, style: Style) -> String {
    let (open, close) = match style {
        Style::Plain => ("\"", "\""),
        Style::Slips { .. } => [("\"", "\""), ("'", "'"), ("“", "”"), ("‘", "’"), ("\\\"", "\\\"")][random.below(5)],
    };
    let mut out = open.to_owned();
    for letter in text.chars() {
        let stands = match letter {
            '"' | '\\' => false,
            '\'' => open != "'",
            '“' | '”' => open != "“",
            '‘' | '’' => open != "‘",
            letter => letter >= ' ' || style != Style::Plain,
        };
        let short = ["\"", "\\"].contains(&letter.to_string().as_str()) && open != "\\\"" && !random.once_in(3);
        match letter {
            _ if short => out.push_str(&format!("\\{letter}")),
            '\n' if random.once_in(2) => out.push_str("\\n"),
            '/' if random.once_in(2) => out.push_str("\\/"),
            _ if stands && !random.once_in(12) => out.push(letter),
            _ => letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04X}"))),
        }
    }
    out + close
}

/// How many backslashes the texts of a text hold, read letter by letter; nothing if an escape is not JSON's.
pub(crate) fn backslashes(text: &str) -> Option<usize> {
    let (mut count, mut letters) = (0, text.chars().peekable());
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            continue;
        }
        match letters.next()? {
            '\\' => count += 1,
            'u' => {
                let digits: String = letters.clone().take(4).collect();
                count += usize::from(digits.eq_ignore_ascii_case("005c"));
            }
            '"' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {}
            _ => return None,
        }
    }
    Some(count)
}

/// Backslashes in all keys and texts of a value.
pub(crate) fn backslashes_of(value: &Value) -> usize {
    let of = |text: &str| text.matches('\\').count();
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => of(text),
        Value::Array(items) => items.iter().map(backslashes_of).sum(),
        Value::Object(members) => members.iter().map(|(key, value)| of(key) + backslashes_of(value)).sum(),
    }
}
