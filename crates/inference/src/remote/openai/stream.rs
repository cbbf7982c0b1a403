//! What the events of a chat-completions stream say, joined into a reply; and what a refusal means. Classes come from
//! statuses and fields, never from the words of a message (LOOP-15).

use std::time::Instant;

use domain::call::{FrameFault, ToolCall};
use domain::id::CallId;
use domain::model::{SampleFault, Sampled, StopReason, Usage};
use domain::tool::ToolName;
use harness::ports::{Channel, DeltaSink};
use serde::Deserialize;
use serde_json::Value;

use super::super::call_joiner::{CallJoiner, CallPiece, JoinedCall, is_whole};
use super::super::wide_text::{WideJoiner, WideText};

/// What an event was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Something was said.
    Delta,
    /// Nothing was.
    Nothing,
    /// The stream says that it is over.
    End,
    /// The reply is as long as it may be; what else comes is not read.
    Full,
}

#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<WideText>,
    #[serde(default)]
    refusal: Option<WideText>,
    /// Engines use one of the two names, some both for the same.
    #[serde(default)]
    reasoning_content: Option<WideText>,
    #[serde(default)]
    reasoning: Option<WideText>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Debug, Default, Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Debug, Default, Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<WideText>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: Option<u32>,
    #[serde(default)]
    completion_tokens: Option<u32>,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(default)]
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Option<u32>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct CompletionDetails {
    #[serde(default)]
    reasoning_tokens: Option<u32>,
}

/// Bytes of a piece of a call's id or name that are kept.
const LONGEST_NAME: usize = 256;

fn short(mut name: String) -> String {
    name.truncate(name.floor_char_boundary(LONGEST_NAME));
    name
}

/// A reply while it streams.
pub(super) struct StreamState<'a> {
    deltas: &'a dyn DeltaSink,
    started: Instant,
    first_token: Option<Instant>,
    text: String,
    reasoning: String,
    text_joiner: WideJoiner,
    reasoning_joiner: WideJoiner,
    arguments_joiner: WideJoiner,
    calls: CallJoiner,
    stop: Option<StopReason>,
    usage: WireUsage,
    /// Bytes that may still be said.
    room: usize,
    full: bool,
}

impl<'a> StreamState<'a> {
    /// A reply that has not begun, of at most `room` bytes in text, reasoning and calls together.
    pub(super) fn new(deltas: &'a dyn DeltaSink, started: Instant, room: usize) -> StreamState<'a> {
        StreamState {
            deltas,
            started,
            first_token: None,
            text: String::new(),
            reasoning: String::new(),
            text_joiner: WideJoiner::default(),
            reasoning_joiner: WideJoiner::default(),
            arguments_joiner: WideJoiner::default(),
            calls: CallJoiner::default(),
            stop: None,
            usage: WireUsage::default(),
            room,
            full: false,
        }
    }

    /// Whether more was said than fits.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// The part of a text for which there is room.
    fn fitting<'t>(&mut self, text: &'t str) -> &'t str {
        let end = text.floor_char_boundary(self.room);
        self.full |= end < text.len();
        self.room = if self.full { 0 } else { self.room - end };
        &text[..end]
    }

    /// Whether there is anything to keep.
    pub(super) fn said_something(&self) -> bool {
        !self.text.is_empty() || !self.reasoning.is_empty() || !self.calls.is_empty()
    }

    /// Takes the data of one event.
    pub(super) fn hear(&mut self, event: &[u8]) -> Result<Reading, SampleFault> {
        let trimmed = event.trim_ascii();
        if trimmed == b"[DONE]" {
            return Ok(Reading::End);
        }
        if trimmed.is_empty() {
            return Ok(Reading::Nothing);
        }
        let chunk: Chunk = serde_json::from_slice(trimmed)
            .map_err(|error| SampleFault::Unknown(format!("an event of the stream is broken: {error}")))?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(fault_of_error(&error));
        }
        if let Some(usage) = chunk.usage {
            self.usage = usage;
        }
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(Reading::Nothing) };
        let said = choice.delta.is_some_and(|delta| self.take(delta));
        // An empty or unknown reason before the end means read on (LOOP-14).
        self.stop = choice.finish_reason.as_deref().and_then(stop_reason).or(self.stop);
        Ok(match (self.full, said) {
            (true, _) => Reading::Full,
            (false, true) => Reading::Delta,
            (false, false) => Reading::Nothing,
        })
    }

    fn take(&mut self, delta: Delta) -> bool {
        let thought = delta
            .reasoning_content
            .or(delta.reasoning)
            .map(|wide| self.reasoning_joiner.push(&wide))
            .unwrap_or_default();
        let mut said = self.say(Channel::Reasoning, &thought);
        for wide in [delta.content, delta.refusal].into_iter().flatten() {
            let text = self.text_joiner.push(&wide);
            said |= self.say(Channel::Text, &text);
        }
        for call in delta.tool_calls.unwrap_or_default() {
            let function = call.function.unwrap_or_default();
            let arguments = function.arguments.map(|wide| self.arguments_joiner.push(&wide)).unwrap_or_default();
            let arguments = self.fitting(&arguments).to_owned();
            self.deltas_of(Channel::Arguments, &arguments);
            let (id, name) = (call.id.unwrap_or_default(), function.name.unwrap_or_default());
            let has_arguments = !arguments.is_empty();
            let (id, name) = (short(id), short(name));
            // Names count when they are kept: some engines repeat them with every piece.
            let named = self.calls.push(CallPiece { index: call.index, id, name, arguments });
            self.full |= named > self.room;
            self.room = self.room.saturating_sub(named);
            said |= has_arguments || named > 0;
        }
        if said {
            self.first_token.get_or_insert_with(Instant::now);
        }
        said
    }

    fn say(&mut self, channel: Channel, text: &str) -> bool {
        let text = self.fitting(text);
        match channel {
            Channel::Text => self.text.push_str(text),
            Channel::Reasoning => self.reasoning.push_str(text),
            Channel::Arguments | Channel::Output => {}
        }
        self.deltas_of(channel, text)
    }

    fn deltas_of(&self, channel: Channel, text: &str) -> bool {
        if !text.is_empty() {
            self.deltas.delta(channel, text);
        }
        !text.is_empty()
    }

    /// The reply. `cut`: what broke it off, if anything did.
    pub(super) fn finish(mut self, cut: Option<StopReason>, seen: u64, model: &str) -> Sampled {
        let rest = self.reasoning_joiner.finish();
        self.say(Channel::Reasoning, &rest);
        let rest = self.text_joiner.finish();
        self.say(Channel::Text, &rest);
        let calls = self.calls.finish();
        let stop = match (cut, self.stop) {
            (Some(cut), _) => cut,
            // A stream that ends without a reason was cut, whatever it said.
            (None, None) => StopReason::Cut,
            (None, Some(StopReason::Natural | StopReason::Calls)) if calls.is_empty() => StopReason::Natural,
            (None, Some(StopReason::Natural)) => StopReason::Calls,
            (None, Some(stop)) => stop,
        };
        let last = calls.len().saturating_sub(1);
        let was_cut = !matches!(stop, StopReason::Natural | StopReason::Calls);
        let calls = calls.into_iter().enumerate();
        let calls = calls.map(|(index, call)| tool_call(call, seen, index, was_cut && index == last)).collect();
        let millis = |since: Instant, until: Instant| u64::try_from((until - since).as_millis()).ok();
        let usage = Usage {
            prompt: self.usage.prompt_tokens,
            reused: self.usage.prompt_tokens_details.and_then(|details| details.cached_tokens),
            prefilled: None,
            queue_ms: None,
            decoded: self.usage.completion_tokens,
            reasoning: self.usage.completion_tokens_details.and_then(|details| details.reasoning_tokens),
            first_token_ms: self.first_token.and_then(|at| millis(self.started, at)),
            total_ms: millis(self.started, Instant::now()),
            backend: Some("remote".to_owned()),
            opener: None,
        };
        Sampled { text: self.text, reasoning: self.reasoning, calls, stop, usage, model: model.to_owned(), signed: None }
    }
}

/// The id is ours, so that it is unique; the engine's own is kept beside it.
fn tool_call(call: JoinedCall, seen: u64, index: usize, cut: bool) -> ToolCall {
    let open = !call.arguments.trim().is_empty() && !is_whole(&call.arguments);
    let missing = match (cut, open) {
        (true, _) => Some("the reply was cut before its end was certain"),
        (false, true) => Some("the JSON of its arguments has no end or is broken"),
        (false, false) => None,
    };
    // Broken JSON that did not just end is a matter of repair, not of the frame.
    let missing = missing.filter(|_| cut || ends_early(&call.arguments));
    ToolCall {
        id: CallId::new(format!("call_{seen}_{index}")),
        tool: ToolName::new(call.name),
        arguments: call.arguments,
        fault: missing.map(|missing| FrameFault::Incomplete(missing.to_owned())),
        wire_id: (!call.id.trim().is_empty()).then_some(call.id),
    }
}

fn ends_early(arguments: &str) -> bool {
    serde_json::from_str::<Value>(arguments).is_err_and(|error| error.is_eof())
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

/// What a status other than 200 means.
pub(super) fn fault_of_status(
    status: u16,
    body: &Value,
    retry_after: Option<u64>,
    window: u32,
    estimate: u32,
) -> SampleFault {
    let error = body.get("error").unwrap_or(body);
    let code = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let number = |key: &str| error.get(key).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    let too_long = code("code") == "context_length_exceeded" || code("type") == "exceed_context_size_error";
    match status {
        _ if too_long || status == 413 => SampleFault::TooLong {
            needed: number("n_prompt_tokens").unwrap_or(estimate),
            window: number("n_ctx").unwrap_or(window),
        },
        _ if code("code") == "insufficient_quota" || status == 402 => SampleFault::NoCredit,
        _ if code("code") == "content_filter" => SampleFault::Filtered,
        401 | 403 => SampleFault::Unauthorised,
        404 | 410 => SampleFault::Gone(format!("the engine answered {status}")),
        408 => SampleFault::Timeout("the engine".to_owned()),
        429 => SampleFault::RateLimited(retry_after.map(|seconds| seconds.saturating_mul(1000))),
        400..=499 => SampleFault::BadRequest(format!("the engine answered {status}: {}", excerpt(error))),
        500..=599 => SampleFault::Busy,
        _ => SampleFault::Unknown(format!("the engine answered {status}")),
    }
}

/// An error inside a stream has a status of its own in some engines.
fn fault_of_error(error: &Value) -> SampleFault {
    let status = ["code", "status"].iter().find_map(|key| error.get(key).and_then(Value::as_u64));
    let status = status.and_then(|status| u16::try_from(status).ok()).unwrap_or(500);
    fault_of_status(status, error, None, 0, 0)
}

fn excerpt(error: &Value) -> String {
    let text = error.get("message").and_then(Value::as_str).unwrap_or_default();
    text.chars().filter(|letter| !letter.is_control()).take(300).collect()
}
