//! What the events of a messages stream say. Thoughts come in blocks that end with a signature; those are kept in the
//! form in which they are sent back.

use std::collections::BTreeMap;

use domain::model::StopReason;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::status_of;
use crate::remote::refusal::{Refused, fault_of_status};
use crate::remote::reply::{Piece, Reply};
use crate::remote::wide_text::{WideJoiner, WideText};
use crate::remote::wire::{Count, Heard, Listener};

#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    message: Option<Started>,
    #[serde(default)]
    index: u64,
    #[serde(borrow, default)]
    content_block: Option<Block<'a>>,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    error: Value,
}

#[derive(Debug, Deserialize)]
struct Started {
    #[serde(default)]
    usage: Option<WireUsage>,
}

#[derive(Debug, Deserialize)]
struct Block<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: WideText,
    #[serde(default)]
    thinking: WideText,
    #[serde(default)]
    signature: String,
    #[serde(default)]
    data: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
struct Delta {
    #[serde(default)]
    text: WideText,
    #[serde(default)]
    thinking: WideText,
    #[serde(default)]
    signature: String,
    #[serde(default)]
    partial_json: WideText,
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct WireUsage {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    cache_creation_input_tokens: Count,
    #[serde(default)]
    cache_read_input_tokens: Count,
    #[serde(default)]
    output_tokens: Count,
}

/// A block that has begun and not ended.
#[derive(Debug)]
enum Open {
    /// A thought, for its signature.
    Thought { joiner: WideJoiner, text: String, signature: String },
    /// A call; holds what its arguments are if no piece of them comes.
    Call { unless_said: WideText },
}

/// Hears one answer.
#[derive(Debug, Default)]
pub(super) struct MessagesListener {
    open: BTreeMap<u64, Open>,
}

impl Listener for MessagesListener {
    fn hear(&mut self, event: &[u8], reply: &mut Reply<'_>) -> Heard {
        match event.trim_ascii() {
            b"" => Heard::More,
            event => serde_json::from_slice(event).map_or(Heard::Broken, |event| self.take(event, reply)),
        }
    }
}

impl MessagesListener {
    fn take(&mut self, event: Event<'_>, reply: &mut Reply<'_>) -> Heard {
        match event.kind.as_str() {
            "message_start" => take_usage(event.message.and_then(|message| message.usage), reply),
            "content_block_start" => {
                if let Some(block) = event.content_block {
                    self.begin(event.index, block, reply);
                }
            }
            "content_block_delta" => self.go_on(event.index, &event.delta.unwrap_or_default(), reply),
            "content_block_stop" => self.end(event.index, reply),
            "message_delta" => {
                take_usage(event.usage, reply);
                let reason = event.delta.and_then(|delta| delta.stop_reason);
                reply.stop(reason.as_deref().and_then(stop_reason));
            }
            "message_stop" => return Heard::Over,
            "error" => return Heard::Failed(fault_in_stream(&event.error)),
            // Pings, and events of a later version, which the documentation tells to pass over.
            _ => {}
        }
        Heard::More
    }

    fn begin(&mut self, index: u64, block: Block<'_>, reply: &mut Reply<'_>) {
        match block.kind.as_str() {
            "text" => reply.text(&block.text),
            "thinking" => {
                let thought =
                    Open::Thought { joiner: WideJoiner::default(), text: String::new(), signature: String::new() };
                self.open.insert(index, thought);
                let (thinking, signature) = (block.thinking, block.signature);
                self.go_on(index, &Delta { thinking, signature, ..Delta::default() }, reply);
            }
            "redacted_thinking" => reply.sign(json!({ "type": "redacted_thinking", "data": block.data }).to_string()),
            "tool_use" => {
                let unless_said = block.input.map(WideText::of_arguments).unwrap_or_default();
                self.open.insert(index, Open::Call { unless_said });
                reply.call(Piece { index: Some(index), id: block.id, name: block.name, ..Piece::default() });
            }
            _ => {}
        }
    }

    fn go_on(&mut self, index: u64, delta: &Delta, reply: &mut Reply<'_>) {
        reply.text(&delta.text);
        reply.reason(&delta.thinking);
        match self.open.get_mut(&index) {
            Some(Open::Thought { joiner, text, signature }) => {
                text.push_str(&joiner.push(&delta.thinking));
                signature.push_str(&delta.signature);
            }
            Some(Open::Call { unless_said }) if !delta.partial_json.is_empty() => {
                *unless_said = WideText::default();
                let arguments = delta.partial_json.clone();
                reply.call(Piece { index: Some(index), arguments, ..Piece::default() });
            }
            Some(Open::Call { .. }) | None => {}
        }
    }

    fn end(&mut self, index: u64, reply: &mut Reply<'_>) {
        match self.open.remove(&index) {
            Some(Open::Thought { mut joiner, mut text, signature }) if !signature.is_empty() => {
                text.push_str(&joiner.finish());
                let block = json!({ "type": "thinking", "thinking": text, "signature": signature });
                reply.sign(block.to_string());
            }
            Some(Open::Call { unless_said }) => {
                let index = Some(index);
                reply.call(Piece { index, arguments: unless_said, closes: true, ..Piece::default() });
            }
            Some(Open::Thought { .. }) | None => {}
        }
    }
}

/// Counts grow during the stream; what an event does not say stays as it was.
fn take_usage(usage: Option<WireUsage>, reply: &mut Reply<'_>) {
    let Some(usage) = usage else { return };
    if let Some(input) = usage.input_tokens.known() {
        let (written, read) = (usage.cache_creation_input_tokens.known(), usage.cache_read_input_tokens.known());
        let fresh = input.saturating_add(written.unwrap_or(0));
        reply.usage.prompt = Some(fresh.saturating_add(read.unwrap_or(0))).filter(|all| *all > 0);
        reply.usage.prefilled = Some(fresh).filter(|fresh| *fresh > 0);
        reply.usage.reused = read;
    }
    reply.usage.decoded = usage.output_tokens.positive().or(reply.usage.decoded);
}

fn stop_reason(reason: &str) -> Option<StopReason> {
    match reason {
        "end_turn" => Some(StopReason::Natural),
        "tool_use" => Some(StopReason::Calls),
        "max_tokens" => Some(StopReason::Length),
        "stop_sequence" => Some(StopReason::StopMarker),
        "model_context_window_exceeded" => Some(StopReason::ContextFull),
        "refusal" => Some(StopReason::Filtered),
        _ => None,
    }
}

fn fault_in_stream(error: &Value) -> domain::model::SampleFault {
    let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
    fault_of_status(&Refused::in_stream(status_of(kind).unwrap_or(500), error.clone()))
}
