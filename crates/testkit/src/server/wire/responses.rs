//! A scripted reply in the events of the responses wire. What it thinks comes as a summary, and sealed.

use serde_json::{Value, json};

use super::{MODEL, arguments, named, said, split};
use crate::server::{ScriptedCall, ScriptedReply};

/// The events up to the end of the last item.
pub(super) fn pieces(reply: &ScriptedReply) -> Vec<String> {
    let response = json!({ "id": "resp_scripted", "object": "response", "status": "in_progress", "model": MODEL });
    let mut events = vec![json!({ "type": "response.created", "response": response })];
    let mut items = 0;
    if !reply.reasoning.is_empty() {
        put_reasoning(&mut events, items, reply);
        items += 1;
    }
    if !reply.text.is_empty() {
        put_text(&mut events, items, reply);
        items += 1;
    }
    for (index, call) in reply.calls.iter().enumerate() {
        put_call(&mut events, items + index, call, reply.piece);
    }
    events.iter().map(named).collect()
}

fn item(kind: &str, index: usize, item: &Value) -> Value {
    json!({ "type": format!("response.output_item.{kind}"), "output_index": index, "item": item })
}

fn put_reasoning(events: &mut Vec<Value>, index: usize, reply: &ScriptedReply) {
    events.push(item("added", index, &json!({ "type": "reasoning", "summary": [] })));
    let delta = |text| json!({ "type": "response.reasoning_summary_text.delta", "output_index": index, "summary_index": 0, "delta": text });
    events.extend(split(&reply.reasoning, reply.piece).map(delta));
    let summary = json!([{ "type": "summary_text", "text": reply.reasoning }]);
    let whole = json!({ "type": "reasoning", "summary": summary, "encrypted_content": "c2NyaXB0ZWQ=" });
    events.push(item("done", index, &whole));
}

fn put_text(events: &mut Vec<Value>, index: usize, reply: &ScriptedReply) {
    events.push(item("added", index, &json!({ "type": "message", "role": "assistant", "content": [] })));
    let delta = |text| json!({ "type": "response.output_text.delta", "output_index": index, "delta": text });
    events.extend(split(&reply.text, reply.piece).map(delta));
    let content = json!([{ "type": "output_text", "text": reply.text }]);
    events.push(item("done", index, &json!({ "type": "message", "role": "assistant", "content": content })));
}

fn put_call(events: &mut Vec<Value>, index: usize, call: &ScriptedCall, piece: usize) {
    let made = |arguments: &str| json!({ "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments });
    let arguments = arguments(call);
    events.push(item("added", index, &made("")));
    let delta =
        |part| json!({ "type": "response.function_call_arguments.delta", "output_index": index, "delta": part });
    events.extend(split(&arguments, piece).map(delta));
    events.push(item("done", index, &made(&arguments)));
}

/// The event that ends the response.
pub(super) fn closing(reply: &ScriptedReply) -> Vec<String> {
    let usage = json!({ "input_tokens": 10, "output_tokens": said(reply) });
    let end = match reply.finish_reason.as_deref() {
        None => json!({ "type": "response.completed", "response": { "status": "completed", "usage": usage } }),
        Some(reason) => {
            let details = json!({ "reason": reason });
            let response = json!({ "status": "incomplete", "incomplete_details": details, "usage": usage });
            json!({ "type": "response.incomplete", "response": response })
        }
    };
    vec![named(&end)]
}
