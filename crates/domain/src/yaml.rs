//! Reads YAML that people write by hand into a tree of texts, lists and maps, each with its line. Tags, anchors, aliases
//! and repeated keys are faults of the place where they stand, so that the rest can still be used. It knows no schema
//! and guesses no types beyond those of the YAML 1.2 core schema.

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its line, from 1.
    pub line: usize,
    /// Its first letter in that line, from 1.
    pub column: usize,
    /// What it is.
    pub value: Value,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A scalar without quotes: a text, number, truth value or nothing, as its reader takes it.
    Plain(String),
    /// A scalar that can only be a text.
    Quoted(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<(Key, Node)>),
    /// Something that is not taken, and why.
    Refused(String),
}

/// A key of a mapping with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Its line, from 1.
    pub line: usize,
    /// Its first letter in that line, from 1.
    pub column: usize,
    /// The key.
    pub text: String,
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {says}")]
pub struct YamlFault {
    /// The line, from 1.
    pub line: usize,
    /// The letter in that line, from 1, where it is known.
    pub column: Option<usize>,
    /// What is wrong there.
    pub says: String,
}

/// The deepest nesting that is read.
const DEEPEST: usize = 32;

/// Reads the one document of a text.
///
/// # Errors
/// If it is no YAML, nests too deep, or holds more than one document.
pub fn parse(text: &str) -> Result<Node, YamlFault> {
    let mut events = Events { parser: Parser::new_from_str(text), peeked: None };
    let nothing = Node { line: 1, column: 1, value: Value::Plain(String::new()) };
    let mut root = None;
    while let Some((event, span)) = events.next()? {
        match event {
            Event::DocumentStart(_) if root.is_some() => {
                return Err(fault(place(span), "a second document begins; there may be one"));
            }
            Event::DocumentStart(_) | Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {}
            event @ (Event::Alias(_)
            | Event::Scalar(..)
            | Event::SequenceStart(..)
            | Event::SequenceEnd
            | Event::MappingStart(..)
            | Event::MappingEnd) => root = Some(node(event, span, &mut events, 0)?),
        }
    }
    Ok(root.unwrap_or(nothing))
}

impl Node {
    /// The first thing in it that is not taken, itself included.
    pub fn first_fault(&self) -> Option<YamlFault> {
        match &self.value {
            Value::Plain(_) | Value::Quoted(_) => None,
            Value::Refused(says) => Some(fault((self.line, self.column), says)),
            Value::List(items) => items.iter().find_map(Node::first_fault),
            Value::Map(pairs) => pairs.iter().find_map(|(_, node)| node.first_fault()),
        }
    }

    /// Whether it is nothing: empty, `~` or `null` without quotes.
    pub fn is_nothing(&self) -> bool {
        matches!(&self.value, Value::Plain(text) if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The text of a scalar that is something.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Plain(text) if !self.is_nothing() => Some(text),
            Value::Quoted(text) => Some(text),
            Value::Plain(_) | Value::List(_) | Value::Map(_) | Value::Refused(_) => None,
        }
    }

    /// A truth value without quotes.
    pub fn truth(&self) -> Option<bool> {
        match &self.value {
            Value::Plain(text) => match text.as_str() {
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            },
            Value::Quoted(_) | Value::List(_) | Value::Map(_) | Value::Refused(_) => None,
        }
    }

    /// A number without quotes that is read whole, such as a whole number or one with a fraction.
    pub fn number<N: std::str::FromStr>(&self) -> Option<N> {
        match &self.value {
            Value::Plain(text) => text.parse().ok(),
            Value::Quoted(_) | Value::List(_) | Value::Map(_) | Value::Refused(_) => None,
        }
    }

    /// The items of a list.
    pub fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            Value::Plain(_) | Value::Quoted(_) | Value::Map(_) | Value::Refused(_) => None,
        }
    }

    /// The pairs of a map.
    pub fn map(&self) -> Option<&[(Key, Node)]> {
        match &self.value {
            Value::Map(pairs) => Some(pairs),
            Value::Plain(_) | Value::Quoted(_) | Value::List(_) | Value::Refused(_) => None,
        }
    }

    /// The value of a key of a map.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.map()?.iter().find(|(known, _)| known.text == key).map(|(_, node)| node)
    }
}

/// The events of the parser, one of which may be looked at before it is taken.
struct Events<'a> {
    parser: Parser<'a, StrInput<'a>>,
    peeked: Option<(Event<'a>, Span)>,
}

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, YamlFault> {
        if let Some(event) = self.peeked.take() {
            return Ok(Some(event));
        }
        let event = self.parser.next_event().transpose();
        event.map_err(|error| fault((error.marker().line(), error.marker().col() + 1), error.info()))
    }

    /// The next event of a list or map that has begun, or none at its end.
    fn inside(&mut self, began: Place) -> Result<Option<(Event<'a>, Span)>, YamlFault> {
        match self.next()? {
            Some((Event::SequenceEnd | Event::MappingEnd, _)) => Ok(None),
            Some(event) => Ok(Some(event)),
            None => Err(fault(began, "what begins here has no end")),
        }
    }
}

fn node<'a>(event: Event<'a>, span: Span, events: &mut Events<'a>, depth: usize) -> Result<Node, YamlFault> {
    let at = place(span);
    if depth > DEEPEST {
        return Err(fault(at, "this nests too deep"));
    }
    let (value, anchor, tag) = match event {
        Event::Scalar(text, style, anchor, tag) => (scalar(&text, style), anchor, tag),
        Event::SequenceStart(anchor, tag) => (list(at, events, depth)?, anchor, tag),
        Event::MappingStart(anchor, tag) => (map(at, events, depth)?, anchor, tag),
        Event::Alias(_) => (Value::Refused("an alias is not taken; write the value out".to_owned()), 0, None),
        Event::Nothing
        | Event::StreamStart
        | Event::StreamEnd
        | Event::DocumentStart(_)
        | Event::DocumentEnd
        | Event::SequenceEnd
        | Event::MappingEnd => return Err(fault(at, "a value is missing")),
    };
    Ok(Node { line: at.0, column: at.1, value: refused(anchor, tag.as_deref()).unwrap_or(value) })
}

fn refused(anchor: usize, tag: Option<&Tag>) -> Option<Value> {
    let says = match (anchor, tag) {
        (0, None) => return None,
        (_, Some(tag)) => format!("the tag `{}{}` is not taken", tag.handle, tag.suffix),
        (_, None) => "an anchor is not taken; write the value out".to_owned(),
    };
    Some(Value::Refused(says))
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    match style {
        ScalarStyle::Plain => Value::Plain(text.to_owned()),
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted | ScalarStyle::Literal | ScalarStyle::Folded => {
            Value::Quoted(text.to_owned())
        }
    }
}

fn list<'a>(began: Place, events: &mut Events<'a>, depth: usize) -> Result<Value, YamlFault> {
    let mut items = Vec::new();
    while let Some((event, span)) = events.inside(began)? {
        items.push(node(event, span, events, depth + 1)?);
    }
    Ok(Value::List(items))
}

fn map<'a>(began: Place, events: &mut Events<'a>, depth: usize) -> Result<Value, YamlFault> {
    let mut pairs: Vec<(Key, Node)> = Vec::new();
    while let Some((event, span)) = events.inside(began)? {
        let key = node(event, span, events, depth + 1)?;
        let (event, span) = events.next()?.ok_or_else(|| fault((key.line, key.column), "a value is missing"))?;
        let mut value = node(event, span, events, depth + 1)?;
        let name = match key.text() {
            Some(name) => name.to_owned(),
            None => {
                let says = key.first_fault().map_or("a key is a text".to_owned(), |fault| fault.says);
                value = Node { line: key.line, column: key.column, value: Value::Refused(says) };
                String::new()
            }
        };
        if let Some((first, _)) = pairs.iter().find(|(known, _)| known.text == name && !name.is_empty()) {
            let says = format!("the key `{name}` stands twice; it stands first in line {}", first.line);
            value = Node { line: key.line, column: key.column, value: Value::Refused(says) };
        }
        pairs.push((Key { line: key.line, column: key.column, text: name }, value));
    }
    Ok(Value::Map(pairs))
}

/// A line and a letter in it, both from 1.
type Place = (usize, usize);

fn place(span: Span) -> Place {
    (span.start.line(), span.start.col() + 1)
}

fn fault((line, column): Place, says: &str) -> YamlFault {
    YamlFault { line: line.max(1), column: Some(column), says: says.to_owned() }
}

#[cfg(test)]
mod tests;
