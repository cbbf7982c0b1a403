//! The dialect of Qwen 3 Coder, Qwen 3.5, Nemotron Nano 3, Step 3.5: a call is XML in `<tool_call>` tags, each argument
//! between tags of its own, without value types.

use std::sync::Arc;

use super::form::{Form, Marker, Part, Section, THINK_TAGS};
use super::heard::Heard;
use super::reader::{Finish, Progress, Reader, Tail};
use super::tag::{Named, named_tag, plain_tag};
use super::tagged::{At, Tagged, Tags, Token, framed};
use super::tags_or_object::TagsOrObject;
use super::typed::{Kinds, members, written};
use super::{Ending, arguments, hermes};
use crate::protocol::message::{Call, Tool};

const OPENER: &str = "<tool_call>";
const CLOSER: &str = "</tool_call>";
const FUNCTION: &str = "<function=";
const FUNCTION_END: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const PARAMETER_END: &str = "</parameter>";
const TAIL: Tail = Tail { closers: &[CLOSER], others: &[OPENER, "<|im_end|>", "<|endoftext|>", "<|im_start|>"] };

pub(super) const FORM: Form = Form {
    name: "qwen_xml",
    markers: &[
        Marker::opener(OPENER, 0),
        Marker::bare(FUNCTION, 1),
        Marker::stray(CLOSER),
        Marker::stray(FUNCTION_END),
        Marker::stray(PARAMETER_END),
    ],
    reasoning: &THINK_TAGS,
    ends: &["<tool_response>"],
    closers: &[CLOSER, FUNCTION_END],
    open,
    opening: OPENER,
    tool_block,
    reply,
    result: hermes::FORM.result,
    frame,
    section: Section::NONE,
};

fn open(number: u8, tools: &Arc<[Tool]>) -> Box<dyn Reader> {
    match number {
        0 => Box::new(TagsOrObject::new(Tagged::new(Xml { bare: false }, tools), TAIL)),
        _ => Box::new(Bare { call: Tagged::new(Xml { bare: true }, tools), tools: Arc::clone(tools), known: false }),
    }
}

/// The tags. `bare`: the frame was opened by the head of a function, and ends with it.
#[derive(Debug, Clone, Copy)]
struct Xml {
    bare: bool,
}

impl Tags for Xml {
    const LONGEST: usize = PARAMETER_END.len();
    const CLOSER: &'static str = CLOSER;

    fn token(self, rest: &str, at: At) -> Token {
        if self.bare && at == At::Start {
            return head(rest, "").unwrap_or(Token::Other);
        }
        let heads = [head(rest, FUNCTION), head(rest, "<function name="), argument(rest, PARAMETER)];
        let slip = argument(rest, "<parameter name=");
        if let Some(token) = heads.into_iter().chain([slip]).flatten().min_by_key(|token| *token == Token::Wait) {
            return token;
        }
        let function_end = if self.bare { Token::FrameEnd } else { Token::CallEnd };
        let frame_end = Token::FrameEnd;
        plain_tag(rest, &[(PARAMETER_END, Token::Stray), (FUNCTION_END, function_end), (CLOSER, frame_end)])
    }

    fn value_end(self, rest: &str) -> Option<(usize, usize)> {
        rest.find(PARAMETER_END).map(|at| (at, PARAMETER_END.len()))
    }
}

fn head(rest: &str, head: &str) -> Option<Token> {
    token_of(named_tag(rest, head), Token::Call)
}

fn argument(rest: &str, head: &str) -> Option<Token> {
    token_of(named_tag(rest, head), |name, length| Token::Argument(name, super::tagged::Form::BySchema, length))
}

fn token_of(tag: Named, token: impl Fn(String, usize) -> Token) -> Option<Token> {
    match tag {
        Named::Wait => Some(Token::Wait),
        Named::No => None,
        Named::Is(name, length) => Some(token(name, length)),
    }
}

/// A function without `<tool_call>` before it: a known slip. It counts for names of tools on offer only.
#[derive(Debug, Clone)]
struct Bare {
    call: Tagged<Xml>,
    tools: Arc<[Tool]>,
    known: bool,
}

impl Reader for Bare {
    fn read(&mut self, body: &str, heard: &mut Heard) -> Progress {
        if !self.known {
            match named_tag(body, "") {
                Named::Wait => return Progress::Open,
                Named::Is(name, _) if self.tools.iter().any(|tool| tool.name == name) => self.known = true,
                Named::No | Named::Is(..) => return Progress::Text,
            }
        }
        self.call.read(body, heard)
    }

    fn finish(&mut self, body: &str, ending: Ending, heard: &mut Heard) -> Finish {
        if self.known { self.call.finish(body, ending, heard) } else { Finish::Text }
    }

    fn boxed(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

fn tool_block(tools: &[Tool]) -> String {
    let example = "<tool_call>\n<function=name>\n<parameter=argument>\nvalue\n</parameter>\n</function>\n</tool_call>";
    arguments::tool_block(tools, "To call one, write its name and each argument in tags of its own:", example)
}

fn reply(text: &str, calls: &[Call], tools: &[Tool]) -> String {
    arguments::reply_in_tags(text, calls, (OPENER, CLOSER), |call| xml(call, tools))
}

/// The call in tags, if they can hold it.
fn xml(call: &Call, tools: &[Tool]) -> Option<String> {
    let mut xml = format!("{OPENER}\n{FUNCTION}{}>\n", arguments::tag_name(&call.name)?);
    for (key, value) in members(&call.arguments)? {
        let kinds = Kinds::of_argument(tools, &call.name, &key);
        let value = written(kinds, value.get(), |way| !way.contains(PARAMETER_END))?;
        xml.push_str(&format!("{PARAMETER}{}>{}{PARAMETER_END}\n", arguments::tag_name(&key)?, framed(&value)));
    }
    Some(xml + FUNCTION_END + "\n" + CLOSER)
}

fn frame(tool: &Tool) -> Vec<Part> {
    let tags = |key: &str, _: bool| (format!("{PARAMETER}{key}>\n"), format!("\n{PARAMETER_END}\n"));
    let mut parts = vec![Part::text(format!("\n{FUNCTION}{}>\n", tool.name))];
    parts.extend(arguments::parts(tool, tags));
    parts.push(Part::text(format!("{FUNCTION_END}\n{CLOSER}")));
    parts
}
