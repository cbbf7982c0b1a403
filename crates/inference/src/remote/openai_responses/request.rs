//! A prompt as the JSON of a responses request.

use domain::context::{CallPolicy, Item, Prompt};
use domain::tool::ToolSpec;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::remote::engine::RemoteOptions;
use crate::remote::wire::{reasoning_fields, spoken, temperature};

#[derive(Debug, Serialize)]
struct Body<'a> {
    model: &'a str,
    input: Vec<Box<RawValue>>,
    max_output_tokens: u32,
    stream: bool,
    store: bool,
    include: [&'static str; 1],
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// The body of a request for a reply of at most so many tokens.
pub(super) fn body(options: &RemoteOptions, prompt: &Prompt, most: u32) -> serde_json::Result<Vec<u8>> {
    let mut input = Vec::new();
    for item in prompt.turns() {
        put_item(options, item, &mut input)?;
    }
    let body = Body {
        model: &options.model,
        input,
        max_output_tokens: most,
        stream: true,
        store: false,
        include: ["reasoning.encrypted_content"],
        more: more(options, prompt),
    };
    serde_json::to_vec(&body)
}

fn more(options: &RemoteOptions, prompt: &Prompt) -> Map<String, Value> {
    let mut more = reasoning_fields(options.reasoning.as_ref());
    let system = prompt.system();
    if !system.is_empty() {
        more.insert("instructions".to_owned(), json!(system));
    }
    // A model that reasons refuses a temperature.
    let heat = temperature(options.temperature, prompt.variation).filter(|_| options.reasoning.is_none());
    if let Some(heat) = heat {
        more.insert("temperature".to_owned(), json!(heat));
    }
    if !prompt.prefix.tools.is_empty() {
        more.insert("tools".to_owned(), prompt.prefix.tools.iter().map(|tool| tool_value(tool)).collect());
        let choice = match prompt.calls {
            CallPolicy::Free => "auto",
            CallPolicy::Forbidden => "none",
            CallPolicy::Forced => "required",
        };
        more.insert("tool_choice".to_owned(), json!(choice));
    }
    more
}

fn put_item(options: &RemoteOptions, item: &Item, input: &mut Vec<Box<RawValue>>) -> serde_json::Result<()> {
    match item {
        Item::Summary { text } => input.push(message("system", "input_text", text)?),
        Item::Person { text, aside } => input.push(message("user", "input_text", &spoken(text, aside.as_deref()))?),
        Item::Result { call, text, .. } => {
            let output = json!({ "type": "function_call_output", "call_id": call.as_str(), "output": text });
            input.push(to_raw_value(&output)?);
        }
        Item::Model { text, calls, signed } => {
            if let Some(blocks) = signed.as_ref().and_then(|signed| signed.for_lineage(&options.lineage)) {
                input.extend(serde_json::from_str::<Vec<Box<RawValue>>>(blocks)?);
            }
            if !text.is_empty() {
                input.push(message("assistant", "output_text", text)?);
            }
            for call in calls {
                let (id, name) = (call.id.as_str(), call.tool.as_str());
                let call = json!({ "type": "function_call", "call_id": id, "name": name, "arguments": call.arguments });
                input.push(to_raw_value(&call)?);
            }
        }
    }
    Ok(())
}

fn message(role: &str, kind: &str, text: &str) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(&json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] }))
}

fn tool_value(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name.as_str(),
        "description": tool.description,
        "parameters": tool.schema.json(),
        "strict": false,
    })
}
