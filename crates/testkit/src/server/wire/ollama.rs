//! A scripted reply in the lines of Ollama's chat. Calls come whole; arguments that are a text are sent as one.

use serde_json::{Value, json};

use super::{MODEL, said, split};
use crate::server::ScriptedReply;

/// The lines up to the last.
pub(super) fn pieces(reply: &ScriptedReply) -> Vec<String> {
    let thoughts = split(&reply.reasoning, reply.piece).map(|text| json!({ "content": "", "thinking": text }));
    let words = split(&reply.text, reply.piece).map(|text| json!({ "content": text }));
    let calls = reply.calls.iter().enumerate().map(|(index, call)| {
        let function = json!({ "index": index, "name": call.name, "arguments": call.arguments });
        json!({ "content": "", "tool_calls": [{ "id": call.id, "function": function }] })
    });
    thoughts.chain(words).chain(calls).map(line).collect()
}

fn line(mut message: Value) -> String {
    message["role"] = json!("assistant");
    let line = json!({ "model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false });
    format!("{line}\n")
}

/// The last line.
pub(super) fn closing(reply: &ScriptedReply) -> Vec<String> {
    let line = json!({
        "model": MODEL,
        "message": { "role": "assistant", "content": "" },
        "done": true,
        "done_reason": reply.finish_reason.as_deref().unwrap_or("stop"),
        "prompt_eval_count": 10,
        "eval_count": said(reply),
    });
    vec![format!("{line}\n")]
}
