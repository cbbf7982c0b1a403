//! A prompt as the JSON of an Ollama chat. Arguments are objects here and go out as the bytes they came in.

use std::borrow::Cow;

use domain::context::{Item, MadeCall, Prompt};
use domain::tool::ToolSpec;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::remote::engine::RemoteOptions;
use crate::remote::wire::{reasoning_fields, spoken, temperature};

#[derive(Debug, Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    stream: bool,
    options: Sampling,
    #[serde(flatten)]
    reasoning: Map<String, Value>,
}

/// What the engine is told of window and sampling.
#[derive(Debug, Serialize)]
struct Sampling {
    num_ctx: u32,
    num_predict: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Cow<'a, str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Call<'a> {
    id: &'a str,
    function: Function<'a>,
}

#[derive(Debug, Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a RawValue,
}

/// The body of a request for a reply of at most so many tokens. There is no field that forbids or forces calls; one that
/// is made against the rule is rejected by whoever asked.
pub(super) fn body(options: &RemoteOptions, prompt: &Prompt, most: u32) -> serde_json::Result<Vec<u8>> {
    let system = prompt.system();
    let system = (!system.is_empty()).then(|| message("system", system));
    let turns = prompt.turns().iter().map(|item| turn(item));
    let body = Body {
        model: &options.model,
        messages: system.into_iter().map(Ok).chain(turns).collect::<serde_json::Result<_>>()?,
        tools: prompt.prefix.tools.iter().map(|tool| tool_value(tool)).collect(),
        stream: true,
        options: Sampling {
            num_ctx: options.window,
            num_predict: most,
            temperature: temperature(options.temperature, prompt.variation),
        },
        reasoning: reasoning_fields(options.reasoning.as_ref()),
    };
    serde_json::to_vec(&body)
}

fn message<'a>(role: &'static str, content: Cow<'a, str>) -> Message<'a> {
    Message { role, content, tool_calls: Vec::new(), tool_name: None, tool_call_id: None }
}

fn turn(item: &Item) -> serde_json::Result<Message<'_>> {
    Ok(match item {
        Item::Summary { text } => message("system", Cow::Borrowed(text)),
        Item::Person { text, aside } => message("user", spoken(text, aside.as_deref())),
        Item::Result { call, tool, text } => Message {
            tool_name: Some(tool.as_str()),
            tool_call_id: Some(call.as_str()),
            ..message("tool", Cow::Borrowed(text))
        },
        Item::Model { text, calls, .. } => Message {
            tool_calls: calls.iter().map(call_value).collect::<serde_json::Result<_>>()?,
            ..message("assistant", Cow::Borrowed(text))
        },
    })
}

fn call_value(call: &MadeCall) -> serde_json::Result<Call<'_>> {
    let arguments = serde_json::from_str(&call.arguments)?;
    Ok(Call { id: call.id.as_str(), function: Function { name: call.tool.as_str(), arguments } })
}

fn tool_value(tool: &ToolSpec) -> Value {
    let function =
        json!({ "name": tool.name.as_str(), "description": tool.description, "parameters": tool.schema.json() });
    json!({ "type": "function", "function": function })
}
