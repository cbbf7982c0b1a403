//! The dialect of GLM 4.5 and later: in `<tool_call>` tags the name, then each argument's key and value in tags, without
//! value types.

use std::sync::Arc;

use super::form::{Form, Marker, Part, Section, THINK_TAGS};
use super::reader::{Reader, Tail};
use super::tag::plain_tag;
use super::tagged::{At, Tagged, Tags, Token, framed};
use super::tags_or_object::TagsOrObject;
use super::typed::{Kinds, members, written};
use super::{arguments, hermes};
use crate::protocol::message::{Call, Tool};

const OPENER: &str = "<tool_call>";
const CLOSER: &str = "</tool_call>";
const KEY: &str = "<arg_key>";
const KEY_END: &str = "</arg_key>";
const VALUE: &str = "<arg_value>";
const VALUE_END: &str = "</arg_value>";
const TAIL: Tail = Tail { closers: &[CLOSER], others: &[OPENER, "<|observation|>", "<|user|>", "<|endoftext|>"] };

pub(super) const FORM: Form = Form {
    name: "glm",
    markers: &[
        Marker::opener(OPENER, 0),
        Marker::stray(CLOSER),
        Marker::stray(KEY),
        Marker::stray(KEY_END),
        Marker::stray(VALUE),
        Marker::stray(VALUE_END),
    ],
    reasoning: &THINK_TAGS,
    ends: &["<|observation|>", "<|user|>", "<|assistant|>", "<|system|>", "<tool_response>"],
    closers: &[CLOSER],
    open,
    opening: OPENER,
    tool_block,
    reply,
    result: hermes::FORM.result,
    frame,
    section: Section::NONE,
};

fn open(_: u8, tools: &Arc<[Tool]>) -> Box<dyn Reader> {
    Box::new(TagsOrObject::new(Tagged::new(Pairs, tools), TAIL))
}

#[derive(Debug, Clone, Copy)]
struct Pairs;

impl Tags for Pairs {
    const LONGEST: usize = VALUE_END.len();
    const CLOSER: &'static str = CLOSER;

    fn token(self, rest: &str, at: At) -> Token {
        match at {
            At::Start => name(rest),
            At::Frame => plain_tag(rest, &[(CLOSER, Token::FrameEnd), (VALUE_END, Token::Stray)]),
            At::Call if rest.starts_with(KEY) => pair(rest).unwrap_or(Token::Other),
            At::Call => {
                plain_tag(rest, &[(KEY, |_| Token::Wait), (CLOSER, Token::FrameEnd), (VALUE_END, Token::Stray)])
            }
        }
    }

    fn value_end(self, rest: &str) -> Option<(usize, usize)> {
        rest.find(VALUE_END).map(|at| (at, VALUE_END.len()))
    }
}

/// The name ends where a line or a tag does.
fn name(rest: &str) -> Token {
    match rest.find(['\n', '<']) {
        Some(end) => match arguments::tag_name(rest[..end].trim_ascii_end()) {
            Some(name) => Token::Call(name.to_owned(), end),
            None => Token::Other,
        },
        None if rest.len() <= LONGEST_NAME => Token::Wait,
        None => Token::Other,
    }
}

const LONGEST_NAME: usize = 256;

/// A key and the opener of its value; none if it is no such thing.
fn pair(rest: &str) -> Option<Token> {
    let inside = &rest[KEY.len()..];
    let Some(end) = inside.find(KEY_END) else {
        return (inside.len() <= LONGEST_NAME).then_some(Token::Wait);
    };
    let key = arguments::tag_name(inside[..end].trim_ascii())?;
    let behind = inside[end + KEY_END.len()..].trim_ascii_start();
    if let Some(value) = behind.strip_prefix(VALUE) {
        return Some(Token::Argument(key.to_owned(), super::tagged::Form::BySchema, rest.len() - value.len()));
    }
    VALUE.starts_with(behind).then_some(Token::Wait)
}

fn tool_block(tools: &[Tool]) -> String {
    let example = "<tool_call>name\n<arg_key>argument</arg_key>\n<arg_value>value</arg_value>\n</tool_call>";
    arguments::tool_block(tools, "To call one, write its name, then each argument's key and value in tags:", example)
}

fn reply(text: &str, calls: &[Call], tools: &[Tool]) -> String {
    arguments::reply_in_tags(text, calls, (OPENER, CLOSER), |call| pairs(call, tools))
}

/// The call in tags, if they can hold it.
fn pairs(call: &Call, tools: &[Tool]) -> Option<String> {
    let name = arguments::tag_name(&call.name).filter(|name| !name.starts_with('{'))?;
    let mut pairs = format!("{OPENER}{name}\n");
    for (key, value) in members(&call.arguments)? {
        let kinds = Kinds::of_argument(tools, &call.name, &key);
        let value = written(kinds, value.get(), |way| !way.contains(VALUE_END))?;
        let key = arguments::tag_name(&key)?;
        pairs.push_str(&format!("{KEY}{key}{KEY_END}\n{VALUE}{}{VALUE_END}\n", value_in_tags(value)));
    }
    Some(pairs + CLOSER)
}

/// Tags belong to a line of their own only where a newline at the end of the value would be taken for theirs.
fn value_in_tags(value: String) -> String {
    if value.starts_with('\n') || value.ends_with('\n') { framed(&value) } else { value }
}

fn frame(tool: &Tool) -> Vec<Part> {
    let tags = |key: &str, _: bool| (format!("{KEY}{key}{KEY_END}\n{VALUE}"), format!("{VALUE_END}\n"));
    let mut parts = vec![Part::text(format!("{}\n", tool.name))];
    parts.extend(arguments::parts(tool, tags));
    parts.push(Part::text(CLOSER));
    parts
}
