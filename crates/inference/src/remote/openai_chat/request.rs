//! A prompt as the JSON of a chat-completions request.

use domain::context::{CallPolicy, Item, MadeCall, Prompt};
use domain::tool::ToolSpec;
use serde_json::{Value, json};

use crate::remote::engine::{PromptCache, RemoteOptions};
use crate::remote::wire::{reasoning_fields, spoken, temperature};

/// The body of a request for a reply of at most so many tokens.
pub(super) fn body(options: &RemoteOptions, prompt: &Prompt, most: u32) -> Value {
    let mut body = reasoning_fields(options.reasoning.as_ref());
    body.insert("model".to_owned(), Value::from(options.model.as_str()));
    body.insert("messages".to_owned(), messages(options, prompt));
    body.insert("stream".to_owned(), Value::from(true));
    body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    body.insert("max_tokens".to_owned(), Value::from(most));
    if let Some(temperature) = temperature(options.temperature, prompt.variation) {
        body.insert("temperature".to_owned(), Value::from(temperature));
    }
    if !prompt.prefix.tools.is_empty() {
        body.insert("tools".to_owned(), prompt.prefix.tools.iter().map(|tool| tool_value(tool)).collect());
        let choice = match prompt.calls {
            CallPolicy::Free => "auto",
            CallPolicy::Forbidden => "none",
            CallPolicy::Forced => "required",
        };
        body.insert("tool_choice".to_owned(), Value::from(choice));
    }
    Value::from(body)
}

fn messages(options: &RemoteOptions, prompt: &Prompt) -> Value {
    let system = prompt.system();
    let content = match options.prompt_cache {
        PromptCache::None | PromptCache::Automatic => json!(system),
        PromptCache::Marked => json!([{ "type": "text", "text": system, "cache_control": { "type": "ephemeral" } }]),
    };
    let system = (!system.is_empty()).then(|| json!({ "role": "system", "content": content }));
    system.into_iter().chain(prompt.turns().iter().map(|item| message(item))).collect()
}

fn message(item: &Item) -> Value {
    match item {
        Item::Summary { text } => json!({ "role": "system", "content": text }),
        Item::Person { text, aside } => json!({ "role": "user", "content": spoken(text, aside.as_deref()) }),
        Item::Model { text, calls, .. } if calls.is_empty() => json!({ "role": "assistant", "content": text }),
        Item::Model { text, calls, .. } => {
            let content = if text.is_empty() { Value::Null } else { Value::from(text.as_str()) };
            let calls: Vec<Value> = calls.iter().map(call_value).collect();
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Item::Result { call, text, .. } => json!({ "role": "tool", "tool_call_id": call.as_str(), "content": text }),
    }
}

fn call_value(call: &MadeCall) -> Value {
    let function = json!({ "name": call.tool.as_str(), "arguments": call.arguments });
    json!({ "id": call.id.as_str(), "type": "function", "function": function })
}

fn tool_value(tool: &ToolSpec) -> Value {
    let function =
        json!({ "name": tool.name.as_str(), "description": tool.description, "parameters": tool.schema.json() });
    json!({ "type": "function", "function": function })
}
