//! What the events of a chat-completions stream say.

use domain::model::StopReason;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::fault_in_stream;
use crate::remote::reply::{Piece, Reply};
use crate::remote::wide_text::WideText;
use crate::remote::wire::{Count, Heard, Listener};

#[derive(Debug, Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
struct Choice<'a> {
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Delta<'a> {
    #[serde(default)]
    content: Option<WideText>,
    #[serde(default)]
    refusal: Option<WideText>,
    /// Engines use one of the two names, some both for the same.
    #[serde(default)]
    reasoning_content: Option<WideText>,
    #[serde(default)]
    reasoning: Option<WideText>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<CallDelta<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
struct CallDelta<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(borrow, default)]
    function: Option<FunctionDelta<'a>>,
}

#[derive(Debug, Default, Deserialize)]
struct FunctionDelta<'a> {
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: Count,
    #[serde(default)]
    completion_tokens: Count,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(default)]
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Count,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct CompletionDetails {
    #[serde(default)]
    reasoning_tokens: Count,
}

/// Hears one answer.
#[derive(Debug)]
pub(super) struct ChatListener;

impl Listener for ChatListener {
    fn hear(&mut self, event: &[u8], reply: &mut Reply<'_>) -> Heard {
        match event.trim_ascii() {
            b"" => Heard::More,
            b"[DONE]" => Heard::Over,
            event => serde_json::from_slice(event).map_or(Heard::Broken, |chunk| take(chunk, reply)),
        }
    }
}

fn take(chunk: Chunk<'_>, reply: &mut Reply<'_>) -> Heard {
    if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
        return Heard::Failed(fault_in_stream(error));
    }
    if let Some(usage) = chunk.usage {
        take_usage(usage, reply);
    }
    if let Some(choice) = chunk.choices.unwrap_or_default().into_iter().next() {
        take_delta(choice.delta.unwrap_or_default(), reply);
        reply.stop(choice.finish_reason.as_deref().and_then(stop_reason));
    }
    Heard::More
}

fn take_delta(delta: Delta<'_>, reply: &mut Reply<'_>) {
    let thought = delta.reasoning_content.filter(|text| !text.is_empty()).or(delta.reasoning);
    thought.iter().for_each(|text| reply.reason(text));
    delta.content.iter().chain(&delta.refusal).for_each(|text| reply.text(text));
    for call in delta.tool_calls.unwrap_or_default() {
        let function = call.function.unwrap_or_default();
        reply.call(Piece {
            index: call.index,
            id: call.id.unwrap_or_default(),
            name: function.name.unwrap_or_default(),
            arguments: function.arguments.map(WideText::of_arguments).unwrap_or_default(),
            closes: false,
        });
    }
}

fn take_usage(usage: WireUsage, reply: &mut Reply<'_>) {
    reply.usage.prompt = usage.prompt_tokens.positive();
    reply.usage.decoded = usage.completion_tokens.positive();
    reply.usage.reused = usage.prompt_tokens_details.and_then(|details| details.cached_tokens.known());
    reply.usage.reasoning = usage.completion_tokens_details.and_then(|details| details.reasoning_tokens.known());
}

fn stop_reason(reason: &str) -> Option<StopReason> {
    match reason {
        "stop" | "end_turn" | "eos" => Some(StopReason::Natural),
        "tool_calls" | "function_call" => Some(StopReason::Calls),
        "length" | "max_tokens" => Some(StopReason::Length),
        "content_filter" => Some(StopReason::Filtered),
        _ => None,
    }
}
