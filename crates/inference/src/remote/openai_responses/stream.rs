//! What the events of a responses stream say. Items begin, grow and end; what an item holds at its end counts only
//! where no piece of it came before.

use std::collections::BTreeSet;

use domain::model::{SampleFault, StopReason};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::remote::openai_chat::fault_in_stream;
use crate::remote::reply::{Piece, Reply};
use crate::remote::wide_text::WideText;
use crate::remote::wire::{Count, Heard, Listener};

#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    output_index: u64,
    #[serde(default)]
    summary_index: u64,
    #[serde(default)]
    delta: Option<WideText>,
    #[serde(borrow, default)]
    item: Option<WireItem<'a>>,
    #[serde(default)]
    response: Option<Response>,
    #[serde(default)]
    code: Value,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct WireItem<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(default)]
    content: Option<Vec<Part>>,
    #[serde(default)]
    summary: Option<Value>,
    #[serde(default)]
    encrypted_content: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    text: WideText,
    #[serde(default)]
    refusal: WideText,
}

#[derive(Debug, Deserialize)]
struct Response {
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct WireUsage {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    input_tokens_details: Option<InputDetails>,
    #[serde(default)]
    output_tokens: Count,
    #[serde(default)]
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Debug, Default, Deserialize)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
struct OutputDetails {
    #[serde(default)]
    reasoning_tokens: Count,
}

/// Hears one answer.
#[derive(Debug, Default)]
pub(super) struct ResponsesListener {
    /// Items of which a piece came.
    told: BTreeSet<u64>,
    /// The part of the summary that is being told.
    part: Option<(u64, u64)>,
}

impl Listener for ResponsesListener {
    fn hear(&mut self, event: &[u8], reply: &mut Reply<'_>) -> Heard {
        match event.trim_ascii() {
            b"" => Heard::More,
            b"[DONE]" => Heard::Over,
            event => serde_json::from_slice(event).map_or(Heard::Broken, |event| self.take(event, reply)),
        }
    }
}

impl ResponsesListener {
    fn take(&mut self, event: Event<'_>, reply: &mut Reply<'_>) -> Heard {
        let (index, delta) = (event.output_index, event.delta.unwrap_or_default());
        match event.kind.as_str() {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.told.insert(index);
                reply.text(&delta);
            }
            "response.reasoning_summary_text.delta" => {
                self.begin_part(index, event.summary_index, reply);
                reply.reason(&delta);
            }
            "response.reasoning_text.delta" => reply.reason(&delta),
            "response.function_call_arguments.delta" => {
                self.told.insert(index);
                reply.call(Piece { index: Some(index), arguments: delta, ..Piece::default() });
            }
            "response.output_item.added" => event.item.iter().for_each(|item| begin(index, item, reply)),
            "response.output_item.done" => {
                if let Some(item) = event.item {
                    self.end(index, &item, reply);
                }
            }
            "response.completed" => return over(event.response, Some(StopReason::Natural), reply),
            "response.incomplete" => {
                let details = event.response.as_ref().and_then(|response| response.incomplete_details.as_ref());
                let reason = details.and_then(|details| details.reason.as_deref()).and_then(stop_reason);
                return over(event.response, reason, reply);
            }
            "response.failed" => {
                return Heard::Failed(fault(event.response.and_then(|response| response.error), Value::Null));
            }
            "error" => return Heard::Failed(fault(event.error, event.code)),
            _ => {}
        }
        Heard::More
    }

    /// Parts of a summary are paragraphs.
    fn begin_part(&mut self, index: u64, part: u64, reply: &mut Reply<'_>) {
        if self.part.replace((index, part)).is_some_and(|before| before != (index, part)) {
            reply.reason(&WideText::new("\n\n"));
        }
    }

    fn end(&self, index: u64, item: &WireItem<'_>, reply: &mut Reply<'_>) {
        let told = self.told.contains(&index);
        match item.kind.as_str() {
            "function_call" => {
                let arguments = item.arguments.filter(|_| !told).map(WideText::of_arguments).unwrap_or_default();
                let (id, name) = (item.call_id.clone().unwrap_or_default(), item.name.clone().unwrap_or_default());
                reply.call(Piece { index: Some(index), id, name, arguments, closes: true });
            }
            "message" if !told => {
                for part in item.content.iter().flatten() {
                    reply.text(&part.text);
                    reply.text(&part.refusal);
                }
            }
            "reasoning" => {
                if let Some(sealed) = &item.encrypted_content {
                    let summary = item.summary.clone().unwrap_or_else(|| json!([]));
                    let block = json!({ "type": "reasoning", "summary": summary, "encrypted_content": sealed });
                    reply.sign(block.to_string());
                }
            }
            _ => {}
        }
    }
}

fn begin(index: u64, item: &WireItem<'_>, reply: &mut Reply<'_>) {
    if item.kind == "function_call" {
        let (id, name) = (item.call_id.clone().unwrap_or_default(), item.name.clone().unwrap_or_default());
        reply.call(Piece { index: Some(index), id, name, ..Piece::default() });
    }
}

fn over(response: Option<Response>, reason: Option<StopReason>, reply: &mut Reply<'_>) -> Heard {
    if let Some(usage) = response.and_then(|response| response.usage) {
        reply.usage.prompt = usage.input_tokens.positive();
        reply.usage.decoded = usage.output_tokens.positive();
        reply.usage.reused = usage.input_tokens_details.and_then(|details| details.cached_tokens.known());
        reply.usage.reasoning = usage.output_tokens_details.and_then(|details| details.reasoning_tokens.known());
    }
    reply.stop(reason);
    Heard::Over
}

fn stop_reason(reason: &str) -> Option<StopReason> {
    match reason {
        "max_output_tokens" => Some(StopReason::Length),
        "content_filter" => Some(StopReason::Filtered),
        _ => None,
    }
}

/// The error of a response, or the bare code that an event of kind `error` carries.
fn fault(error: Option<Value>, code: Value) -> SampleFault {
    fault_in_stream(error.filter(|error| !error.is_null()).unwrap_or_else(|| json!({ "code": code })))
}
