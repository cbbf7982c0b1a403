//! The dialect of DeepSeek V3.2 and V4: a block of invocations in tags that hold `DSML` between bars. Each argument says
//! whether it is a text or JSON. Models and servers write the bars in several forms; all are read, one is written.

use std::sync::Arc;

use super::arguments;
use super::form::{Form, Marker, Part, Section, THINK_TAGS};
use super::reader::Reader;
use super::tagged::{self, At, Tagged, Tags, Token};
use super::typed::members;
use crate::protocol::message::{Call, Tool};

/// The forms of a bar: the published one, doubled, and what is left of it when a text is changed to other letters.
const BARS: [&str; 6] = ["｜｜", "｜", "||", "|", "‖", "∥"];
const OPENER: &str = "<｜DSML｜tool_calls>";
const CLOSER: &str = "</｜DSML｜tool_calls>";
const INVOKE_END: &str = "</｜DSML｜invoke>";
const PARAMETER_END: &str = "</｜DSML｜parameter>";

/// The markers of each form of the bar.
macro_rules! markers {
    ($($bar:literal),*) => {
        &[$(
            Marker::opener(concat!("<", $bar, "DSML", $bar, "tool_calls>"), BLOCK),
            Marker::opener(concat!("<", $bar, "DSML", $bar, "function_calls>"), BLOCK),
            Marker::opener(concat!("<", $bar, "DSML", $bar, "invoke name="), INVOCATION),
            Marker::stray(concat!("</", $bar, "DSML", $bar, "tool_calls>")),
            Marker::stray(concat!("</", $bar, "DSML", $bar, "function_calls>")),
            Marker::stray(concat!("</", $bar, "DSML", $bar, "invoke>")),
            Marker::stray(concat!("</", $bar, "DSML", $bar, "parameter>")),
        )*]
    };
}

const BLOCK: u8 = 0;
/// An invocation without its block: a known slip.
const INVOCATION: u8 = 1;

pub(super) const FORM: Form = Form {
    name: "dsml",
    markers: markers!("｜｜", "｜", "||", "|", "‖", "∥"),
    reasoning: &THINK_TAGS,
    ends: &["<｜User｜>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<tool_result>"],
    closers: &[CLOSER, "</｜DSML｜function_calls>"],
    open,
    opening: OPENER,
    tool_block,
    reply,
    result,
    frame,
    section: Section { begin: "\n", between: "\n", end: "\n</｜DSML｜tool_calls>" },
};

fn open(number: u8, tools: &Arc<[Tool]>) -> Box<dyn Reader> {
    Box::new(Tagged::new(Dsml { bare: number == INVOCATION }, tools))
}

/// The tags. `bare`: the frame was opened by the head of an invocation, and ends with it.
#[derive(Debug, Clone, Copy)]
struct Dsml {
    bare: bool,
}

impl Tags for Dsml {
    const LONGEST: usize = "</｜｜DSML｜｜parameter>".len();
    const CLOSER: &'static str = CLOSER;

    fn token(self, rest: &str, at: At) -> Token {
        if self.bare && at == At::Start {
            return attributes(rest, 0, &named);
        }
        match tag(rest) {
            Tag::Wait => Token::Wait,
            Tag::No => Token::Other,
            Tag::Opens("invoke", length) => attributes(&rest[length..], length, &named),
            Tag::Opens("parameter", length) => attributes(&rest[length..], length, &argument),
            Tag::Closes("parameter", length) => Token::Stray(length),
            Tag::Closes("invoke", length) if self.bare => Token::FrameEnd(length),
            Tag::Closes("invoke", length) => Token::CallEnd(length),
            Tag::Closes(_, length) => Token::FrameEnd(length),
            Tag::Opens(..) => Token::Other,
        }
    }

    fn value_end(self, rest: &str) -> Option<(usize, usize)> {
        let places = rest.match_indices("</").map(|(at, _)| at);
        places.into_iter().find_map(|at| match tag(&rest[at..]) {
            Tag::Closes("parameter", length) => Some((at, length)),
            Tag::Closes(..) | Tag::Opens(..) | Tag::Wait | Tag::No => None,
        })
    }
}

/// A tag up to its word; a closing one up to its end.
enum Tag {
    Wait,
    No,
    Opens(&'static str, usize),
    Closes(&'static str, usize),
}

const WORDS: [&str; 4] = ["invoke", "parameter", "tool_calls", "function_calls"];

fn tag(rest: &str) -> Tag {
    let spellings = BARS.iter().flat_map(|bar| WORDS.iter().map(move |word| (bar, *word)));
    let mut may_come = false;
    for (bar, word) in spellings {
        let [opens, closes] = [["<", bar, "DSML", bar, word, ""], ["</", bar, "DSML", bar, word, ">"]];
        match starts_with(rest, &opens) {
            Start::Whole(length) => return Tag::Opens(word, length),
            Start::Part => may_come = true,
            Start::No => {}
        }
        match starts_with(rest, &closes) {
            Start::Whole(length) => return Tag::Closes(word, length),
            Start::Part => may_come = true,
            Start::No => {}
        }
    }
    if may_come { Tag::Wait } else { Tag::No }
}

enum Start {
    Whole(usize),
    Part,
    No,
}

fn starts_with(text: &str, parts: &[&str]) -> Start {
    let mut rest = text;
    for part in parts {
        match rest.strip_prefix(part) {
            Some(behind) => rest = behind,
            None if part.starts_with(rest) => return Start::Part,
            None => return Start::No,
        }
    }
    Start::Whole(text.len() - rest.len())
}

/// No tag has longer attributes.
const LONGEST_ATTRIBUTES: usize = 512;

/// Reads attributes up to the end of their tag. In a bare frame the name follows the opener without its key.
fn attributes(rest: &str, before: usize, token: &dyn Fn(&str, usize) -> Option<Token>) -> Token {
    match rest.find(['>', '\n']) {
        Some(end) if rest.as_bytes()[end] == b'>' => token(&rest[..end], before + end + 1).unwrap_or(Token::Other),
        None if rest.len() <= LONGEST_ATTRIBUTES => Token::Wait,
        Some(_) | None => Token::Other,
    }
}

fn named(attributes: &str, length: usize) -> Option<Token> {
    let attributes = attributes.trim_ascii();
    let value = attributes.strip_prefix("name=").unwrap_or(attributes);
    Some(Token::Call(unescaped(first_value(value)?.0), length))
}

fn argument(attributes: &str, length: usize) -> Option<Token> {
    let (name, rest) = first_value(attributes.trim_ascii().strip_prefix("name=")?)?;
    let form = match rest.trim_ascii().strip_prefix("string=").map(|value| value.trim_matches(['"', '\''])) {
        Some("true") => tagged::Form::Text,
        Some("false") => tagged::Form::Json,
        Some(_) | None => tagged::Form::BySchema,
    };
    Some(Token::Argument(unescaped(name), form, length))
}

/// The value of an attribute and what stands behind it; without quotes, a known slip, it ends at a blank.
fn first_value(text: &str) -> Option<(&str, &str)> {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote);
        }
    }
    let (value, rest) = text.split_once(' ').unwrap_or((text, ""));
    (!value.is_empty()).then_some((value, rest))
}

/// Letters that cannot stand in an attribute, and how they are written there.
const ESCAPES: [(&str, &str); 5] = [("&", "&amp;"), ("\"", "&quot;"), ("<", "&lt;"), (">", "&gt;"), ("\n", "&#10;")];

fn escaped(name: &str) -> String {
    ESCAPES.iter().fold(name.to_owned(), |name, (letter, written)| name.replace(letter, written))
}

fn unescaped(name: &str) -> String {
    ESCAPES.iter().rev().fold(name.to_owned(), |name, (letter, written)| name.replace(written, letter))
}

fn tool_block(tools: &[Tool]) -> String {
    let example = "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"name\">\n\
         <｜DSML｜parameter name=\"argument\" string=\"true|false\">value</｜DSML｜parameter>\n\
         </｜DSML｜invoke>\n</｜DSML｜tool_calls>";
    let how = "To call some, write a block as below. A text is written as it is, with string=\"true\"; any other value as \
         JSON, with string=\"false\":";
    arguments::tool_block(tools, how, example)
}

fn reply(text: &str, calls: &[Call], _: &[Tool]) -> String {
    if calls.is_empty() {
        return text.to_owned();
    }
    let calls: String = calls.iter().map(written_call).collect();
    format!("{text}{OPENER}\n{calls}{CLOSER}")
}

fn written_call(call: &Call) -> String {
    let members = members(&call.arguments).unwrap_or_default();
    let parameters: String = members.iter().map(|(key, value)| parameter(key, value.get())).collect();
    format!("<｜DSML｜invoke name=\"{}\">\n{parameters}{INVOKE_END}\n", escaped(&call.name))
}

fn parameter(key: &str, json: &str) -> String {
    let text = serde_json::from_str::<String>(json).ok().filter(|text| !holds_closer(text));
    // JSON holds `<` in texts alone, and there it can be spelled so that nothing looks like a tag.
    let value = text.clone().unwrap_or_else(|| json.replace('<', "\\u003c"));
    let name = escaped(key);
    format!("{}{value}{PARAMETER_END}\n", parameter_head(&name, text.is_some()))
}

fn parameter_head(name: &str, is_text: bool) -> String {
    format!("<｜DSML｜parameter name=\"{name}\" string=\"{is_text}\">")
}

fn holds_closer(text: &str) -> bool {
    Dsml { bare: false }.value_end(text).is_some()
}

fn result(_: &str, text: &str) -> String {
    format!("<tool_result>{text}</tool_result>")
}

fn frame(tool: &Tool) -> Vec<Part> {
    let tags = |key: &str, is_text: bool| (parameter_head(key, is_text), format!("{PARAMETER_END}\n"));
    let mut parts = vec![Part::text(format!("<｜DSML｜invoke name=\"{}\">\n", tool.name))];
    parts.extend(arguments::parts(tool, tags));
    parts.push(Part::text(INVOKE_END));
    parts
}
