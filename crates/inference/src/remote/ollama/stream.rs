//! What the lines of an Ollama chat say. Calls come whole, as objects, or in pieces of text over several lines.

use domain::model::StopReason;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::remote::refusal::{Refused, fault_of_status};
use crate::remote::reply::{Piece, Reply};
use crate::remote::wide_text::WideText;
use crate::remote::wire::{Count, Heard, Listener};

#[derive(Debug, Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    done_reason: Option<String>,
    #[serde(default)]
    prompt_eval_count: Count,
    #[serde(default)]
    eval_count: Count,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Message<'a> {
    #[serde(default)]
    content: Option<WideText>,
    #[serde(default)]
    thinking: Option<WideText>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<Call<'a>>>,
}

#[derive(Debug, Deserialize)]
struct Call<'a> {
    #[serde(default)]
    id: Option<String>,
    #[serde(borrow, default)]
    function: Option<Function<'a>>,
}

#[derive(Debug, Deserialize)]
struct Function<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// Hears one answer.
#[derive(Debug)]
pub(super) struct ChatListener;

impl Listener for ChatListener {
    fn hear(&mut self, event: &[u8], reply: &mut Reply<'_>) -> Heard {
        match event.trim_ascii() {
            b"" => Heard::More,
            line => serde_json::from_slice(line).map_or(Heard::Broken, |line| take(line, reply)),
        }
    }
}

fn take(line: Line<'_>, reply: &mut Reply<'_>) -> Heard {
    if let Some(error) = line.error.filter(|error| !error.is_null()) {
        return Heard::Failed(fault_of_status(&Refused::in_stream(500, error)));
    }
    if let Some(message) = line.message {
        message.thinking.iter().for_each(|text| reply.reason(text));
        message.content.iter().for_each(|text| reply.text(text));
        message.tool_calls.into_iter().flatten().for_each(|call| take_call(call, reply));
    }
    if !line.done {
        return Heard::More;
    }
    reply.usage.prompt = line.prompt_eval_count.positive();
    reply.usage.decoded = line.eval_count.positive();
    reply.stop(stop_reason(line.done_reason.as_deref().unwrap_or_default(), line.eval_count));
    Heard::Over
}

fn take_call(call: Call<'_>, reply: &mut Reply<'_>) {
    let Some(function) = call.function else { return };
    let is_object = function.arguments.is_some_and(|raw| raw.get().starts_with('{'));
    reply.call(Piece {
        index: function.index,
        id: call.id.unwrap_or_default(),
        name: function.name.unwrap_or_default(),
        arguments: function.arguments.map(WideText::of_arguments).unwrap_or_default(),
        closes: is_object,
    });
}

/// Versions that give no reason still say that they are done and count what they said: that is an end. A last line
/// without those counts says nothing of a reply.
fn stop_reason(reason: &str, said: Count) -> Option<StopReason> {
    match reason {
        "stop" => Some(StopReason::Natural),
        "length" => Some(StopReason::Length),
        "" => said.positive().map(|_| StopReason::Natural),
        _ => None,
    }
}
