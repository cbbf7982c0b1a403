//! Tool-call dialects: how a model writes text, reasoning and calls in one stream. One file each: its markers, the reader
//! of its frames, its renderer for templates that know no tools, and the frame that a grammar must follow.
//! Pure text: no tokens, no engine; whether arguments fit a schema is not asked here.

mod arguments;
mod automaton;
mod bare_call;
mod call_body;
mod call_list;
mod detect;
mod dsml;
mod foreign;
mod form;
mod gemma;
mod glm;
mod harmony;
mod heard;
mod hermes;
mod json;
mod json_call;
mod kimi;
mod lines;
mod literal;
mod llama;
mod mistral;
mod named_call;
mod nest;
mod object;
mod parser;
mod pythonic;
mod qwen;
mod reader;
mod scanner;
mod tables;
mod tag;
mod tagged;
mod tags_or_object;
mod typed;

use serde::{Deserialize, Serialize};

use crate::protocol::message::{Call, Tool};

pub use detect::{Source, detect};
pub use form::Part;
pub use parser::{LARGEST_FRAME, Parser};

/// A dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// JSON in `<tool_call>` tags.
    Hermes,
    /// XML in `<tool_call>` tags.
    QwenXml,
    /// Gemma's own notation.
    Gemma,
    /// Invocations in tags that hold `DSML`.
    Dsml,
    /// A list of Python calls.
    Pythonic,
    /// Keys and values in tags, in `<tool_call>` tags.
    Glm,
    /// Bare JSON, as Llama writes it.
    Llama,
    /// A name in a `<function=...>` header, and JSON.
    LlamaHeader,
    /// `[TOOL_CALLS]` and a JSON list.
    Mistral,
    /// `[TOOL_CALLS]`, a name, `[ARGS]` and JSON.
    MistralArgs,
    /// A section of calls with ids, as Kimi writes it.
    Kimi,
    /// Messages in channels, as gpt-oss writes them.
    Harmony,
    /// Plain JSON, for models of which nothing is known.
    Json,
}

impl Dialect {
    /// All of them, each at the place of its number.
    pub const ALL: [Dialect; 13] = [
        Dialect::Hermes,
        Dialect::QwenXml,
        Dialect::Gemma,
        Dialect::Dsml,
        Dialect::Pythonic,
        Dialect::Glm,
        Dialect::Llama,
        Dialect::LlamaHeader,
        Dialect::Mistral,
        Dialect::MistralArgs,
        Dialect::Kimi,
        Dialect::Harmony,
        Dialect::Json,
    ];

    fn form(self) -> &'static form::Form {
        match self {
            Dialect::Hermes => &hermes::FORM,
            Dialect::QwenXml => &qwen::FORM,
            Dialect::Gemma => &gemma::FORM,
            Dialect::Dsml => &dsml::FORM,
            Dialect::Pythonic => &pythonic::FORM,
            Dialect::Glm => &glm::FORM,
            Dialect::Llama => &llama::JSON,
            Dialect::LlamaHeader => &llama::HEADER,
            Dialect::Mistral => &mistral::LIST,
            Dialect::MistralArgs => &mistral::NAMED,
            Dialect::Kimi => &kimi::FORM,
            Dialect::Harmony => &harmony::FORM,
            Dialect::Json => &json::FORM,
        }
    }

    /// Its name in records and settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.form().name
    }

    /// The dialect of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// What stands first in a reply that must hold a call. `thinking`: the template has opened the reasoning channel, which
    /// is closed then.
    #[must_use]
    pub fn opening(self, thinking: bool) -> String {
        let form = self.form();
        let closer = form.reasoning.iter().find(|marker| thinking && marker.role == form::Role::Thought);
        format!("{}{}", closer.map_or("", |marker| marker.text), form.opening)
    }

    /// The tools as a part of the system text, for templates that know none.
    #[must_use]
    pub fn tool_block(self, tools: &[Tool]) -> String {
        (self.form().tool_block)(tools)
    }

    /// A reply as the model wrote it, with the tools that were on offer.
    #[must_use]
    pub fn reply(self, text: &str, calls: &[Call], tools: &[Tool]) -> String {
        (self.form().reply)(text, calls, tools)
    }

    /// A result of a tool, for templates without a place for one.
    #[must_use]
    pub fn result(self, tool: &str, text: &str) -> String {
        (self.form().result)(tool, text)
    }

    /// What may stand behind the opener of a frame, or behind a call in it, up to the end of the next call: one of these
    /// rows of parts, for a grammar.
    #[must_use]
    pub fn rows<'a>(self, tools: impl Iterator<Item = &'a Tool>, first: bool) -> Vec<Vec<Part>> {
        let form = self.form();
        let before = if first { form.section.begin } else { form.section.between };
        let row = |tool| [vec![Part::text(before)], (form.frame)(tool)].concat();
        let mut rows: Vec<Vec<Part>> = tools.map(row).collect();
        if !first && !form.section.end.is_empty() {
            rows.push(vec![Part::text(form.section.end)]);
        }
        rows
    }

    /// True for a marker of its frames or of its reasoning channel, which an engine may take for a control token.
    #[must_use]
    pub fn has_marker(self, text: &str) -> bool {
        let form = self.form();
        form.markers.iter().chain(form.reasoning).any(|marker| marker.text == text)
    }

    /// True if a prompt that ends so has opened the reasoning channel.
    #[must_use]
    pub fn opens_reasoning(self, end: &str) -> bool {
        let opens = |marker: &&form::Marker| marker.role == form::Role::Think;
        self.form().reasoning.iter().filter(opens).any(|marker| end.trim_end().ends_with(marker.text.trim_end()))
    }

    /// The spellings of all its markers: those of frames, of the reasoning channel, and turn-end and role markers.
    pub fn markers(self) -> impl Iterator<Item = &'static str> {
        let form = self.form();
        let own = form.markers.iter().chain(form.reasoning).map(|marker| marker.text);
        own.chain(form.ends.iter().copied()).chain(form::COMMON_ENDS)
    }
}

/// What a parser gives while a stream runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text of the answer.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// A call began; its name is known.
    CallBegan(String),
    /// A piece of that call's arguments, byte for byte.
    Arguments(String),
}

/// What the whole stream was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Text of the answer.
    pub text: String,
    /// Reasoning.
    pub reasoning: String,
    /// Calls and faulty frames, in order.
    pub calls: Vec<ParsedCall>,
    /// Frames of this dialect, which is not the model's, stand in the text and are no calls.
    pub foreign: Option<Dialect>,
}

/// One frame of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParsedCall {
    /// The id that the dialect's wire gave it; empty for most.
    pub id: String,
    /// The tool's name as written; empty if the frame holds none.
    pub name: String,
    /// The arguments as written, or as JSON where the dialect writes them otherwise; the whole body of a frame without a
    /// name.
    pub arguments: String,
    /// What is wrong with the frame.
    pub fault: Option<Fault>,
    /// It was written in another dialect and taken all the same (LOOP-38).
    pub recovered: bool,
}

/// Why a frame is no call that may run (LOOP-34).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The stream ended inside it.
    Incomplete(Missing),
    /// It is larger than [`LARGEST_FRAME`].
    TooLarge,
    /// It is not written as a call is.
    NoCall,
}

/// What an incomplete frame lacks first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The name of the tool.
    Name,
    /// The rest of the arguments.
    Arguments,
    /// What closes the frame.
    Closer,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Missing::Name => "the name of the tool is missing",
            Missing::Arguments => "the rest of the arguments is missing",
            Missing::Closer => "the end of the call is missing",
        })
    }
}

/// How a stream ended, as far as a parser must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The model ended it.
    Natural,
    /// Something else did.
    Cut,
}
