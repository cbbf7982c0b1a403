//! A scripted reply as JSON of the chat-completions wire, whole or in pieces.

use serde_json::{Value, json};

use super::{MODEL, arguments, event as framed, split};
use crate::server::ScriptedReply;

/// The events of a stream up to its end: role, reasoning, text, calls.
pub(super) fn pieces(reply: &ScriptedReply) -> Vec<String> {
    values(reply).iter().map(framed).collect()
}

fn values(reply: &ScriptedReply) -> Vec<Value> {
    let mut events = vec![delta(json!({ "role": "assistant", "content": "" }))];
    events.extend(split(&reply.reasoning, reply.piece).map(|piece| delta(json!({ "reasoning_content": piece }))));
    events.extend(split(&reply.text, reply.piece).map(|piece| delta(json!({ "content": piece }))));
    for (index, call) in reply.calls.iter().enumerate() {
        let function = json!({ "name": call.name, "arguments": "" });
        events.push(of_call(json!({ "index": index, "id": call.id, "type": "function", "function": function })));
        let arguments = arguments(call);
        let part = |piece| of_call(json!({ "index": index, "function": { "arguments": piece } }));
        events.extend(split(&arguments, reply.piece).map(part));
    }
    events
}

/// The events that end a stream as it should: the finish reason and the usage.
pub(super) fn closing(reply: &ScriptedReply) -> Vec<String> {
    let mut last = delta(json!({}));
    last["choices"][0]["finish_reason"] = json!(finish_reason(reply));
    let mut usage = event(json!([]));
    usage["usage"] = used(reply);
    vec![framed(&last), framed(&usage), "data: [DONE]\n\n".to_owned()]
}

/// A reply that is not streamed.
pub(in crate::server) fn whole(reply: &ScriptedReply) -> Value {
    let calls: Vec<Value> = reply
        .calls
        .iter()
        .map(|call| {
            let function = json!({ "name": call.name, "arguments": arguments(call) });
            json!({ "id": call.id, "type": "function", "function": function })
        })
        .collect();
    let mut message = json!({ "role": "assistant", "content": reply.text });
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    if !reply.reasoning.is_empty() {
        message["reasoning_content"] = json!(reply.reasoning);
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason(reply) });
    json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [choice],
        "usage": used(reply),
    })
}

fn event(choices: Value) -> Value {
    json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL,
        "choices": choices,
    })
}

fn delta(delta: Value) -> Value {
    event(json!([{ "index": 0, "delta": delta, "finish_reason": null }]))
}

fn of_call(call: Value) -> Value {
    delta(json!({ "tool_calls": [call] }))
}

fn finish_reason(reply: &ScriptedReply) -> &str {
    let natural = if reply.calls.is_empty() { "stop" } else { "tool_calls" };
    reply.finish_reason.as_deref().unwrap_or(natural)
}

/// Numbers that a test can foresee: 10 tokens of prompt and one for each character of the reply.
fn used(reply: &ScriptedReply) -> Value {
    let said = reply.text.chars().count() + reply.reasoning.chars().count();
    json!({ "prompt_tokens": 10, "completion_tokens": said, "total_tokens": 10 + said })
}
