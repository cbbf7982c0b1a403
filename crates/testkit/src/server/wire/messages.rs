//! A scripted reply in the events of the messages wire: blocks that begin, grow and end. What it thinks is signed.

use serde_json::{Value, json};

use super::{MODEL, arguments, named, said, split};
use crate::server::ScriptedReply;

/// The events up to the end of the last block.
pub(super) fn pieces(reply: &ScriptedReply) -> Vec<String> {
    let mut events = Vec::new();
    let usage = json!({ "input_tokens": 10, "cache_read_input_tokens": 0, "output_tokens": 1 });
    let message =
        json!({ "id": "msg_scripted", "type": "message", "role": "assistant", "model": MODEL, "usage": usage });
    events.push(named(&json!({ "type": "message_start", "message": message })));
    let mut blocks = Vec::new();
    if !reply.reasoning.is_empty() {
        let mut deltas: Vec<Value> = split(&reply.reasoning, reply.piece).map(thought).collect();
        deltas.push(json!({ "type": "signature_delta", "signature": "c2NyaXB0ZWQ=" }));
        blocks.push((json!({ "type": "thinking", "thinking": "", "signature": "" }), deltas));
    }
    if !reply.text.is_empty() {
        let deltas = split(&reply.text, reply.piece).map(|text| json!({ "type": "text_delta", "text": text }));
        blocks.push((json!({ "type": "text", "text": "" }), deltas.collect()));
    }
    for call in &reply.calls {
        let parts = split(&arguments(call), reply.piece)
            .map(|part| json!({ "type": "input_json_delta", "partial_json": part }));
        blocks.push((json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": {} }), parts.collect()));
    }
    blocks.into_iter().enumerate().for_each(|(index, (block, deltas))| put(&mut events, index, &block, &deltas));
    events
}

fn thought(text: String) -> Value {
    json!({ "type": "thinking_delta", "thinking": text })
}

fn put(events: &mut Vec<String>, index: usize, block: &Value, deltas: &[Value]) {
    events.push(named(&json!({ "type": "content_block_start", "index": index, "content_block": block })));
    let delta = |delta| named(&json!({ "type": "content_block_delta", "index": index, "delta": delta }));
    events.extend(deltas.iter().map(delta));
    events.push(named(&json!({ "type": "content_block_stop", "index": index })));
}

/// The events that end the message.
pub(super) fn closing(reply: &ScriptedReply) -> Vec<String> {
    let natural = if reply.calls.is_empty() { "end_turn" } else { "tool_use" };
    let reason = reply.finish_reason.as_deref().unwrap_or(natural);
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    let usage = json!({ "output_tokens": said(reply) });
    let last = json!({ "type": "message_delta", "delta": delta, "usage": usage });
    vec![named(&last), named(&json!({ "type": "message_stop" }))]
}
