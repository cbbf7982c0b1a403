//! What each wire is asked: the whole body, for one conversation with calls, results and signed reasoning.

use std::sync::Arc;

use domain::context::{CallPolicy, Item, MadeCall, Prompt};
use domain::id::CallId;
use domain::model::Signed;
use domain::tool::ToolName;
use harness::ports::Model as _;
use inference::remote::{PromptCache, ReasoningRequest, RemoteOptions, WireKind};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::server::{answer, model, options, server};
use crate::support::{Kept, prompt, read_file};

/// Arguments whose bytes a detour over values would change.
const ARGUMENTS: &str = "{\"path\" : \"a\", \"a\": 1.50}";

fn signed(lineage: &str, blocks: &str) -> Option<Signed> {
    Some(Signed { lineage: lineage.to_owned(), blocks: blocks.to_owned() })
}

/// A person's words, a call with its result, an answer, and words again.
fn conversation(signed: Option<Signed>) -> Prompt {
    let before = prompt("Hello", vec![read_file()]);
    let call =
        |id: &str| MadeCall { id: CallId::new(id), tool: ToolName::new("read_file"), arguments: ARGUMENTS.to_owned() };
    let result = |id: &str, text: &str| Item::Result {
        call: CallId::new(id),
        tool: ToolName::new("read_file"),
        text: text.to_owned(),
    };
    let items = [
        Item::Model { text: "I look.".to_owned(), calls: vec![call("call_1_0"), call("call_1_1")], signed },
        result("call_1_0", "one"),
        result("call_1_1", "two"),
    ];
    Prompt { items: before.items.iter().cloned().chain(items.map(Arc::new)).collect(), ..before }
}

async fn asked(wire: WireKind, prompt: &Prompt, change: impl FnOnce(&mut RemoteOptions)) -> (String, String) {
    let (address, mut asked) = server(vec![answer(&[], true)]).await;
    let mut options = options(wire, address);
    change(&mut options);
    assert!(!format!("{:?}", model(options.clone(), address)).contains("secret-key"));
    model(options, address).sample(prompt, &Kept::default(), &CancellationToken::new()).await.unwrap();
    asked.recv().await.unwrap()
}

async fn body(wire: WireKind, prompt: &Prompt, change: impl FnOnce(&mut RemoteOptions)) -> Value {
    serde_json::from_str(&asked(wire, prompt, change).await.1).unwrap()
}

fn schema() -> Value {
    let path = json!({ "type": "string", "maxLength": 60 });
    json!({ "type": "object", "properties": { "path": path }, "required": ["path"] })
}

fn as_usual(_: &mut RemoteOptions) {}

#[tokio::test]
async fn chat_completions() {
    let (head, text) = asked(WireKind::OpenAiChat, &conversation(None), as_usual).await;
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: Bearer secret-key"), "{head}");
    let call =
        |id: &str| json!({ "id": id, "type": "function", "function": { "name": "read_file", "arguments": ARGUMENTS } });
    let function = json!({ "name": "read_file", "description": "A tool of a test.", "parameters": schema() });
    let expected = json!({
        "model": "small",
        "max_tokens": 50,
        "stream": true,
        "stream_options": { "include_usage": true },
        "messages": [
            { "role": "system", "content": "You are a helpful assistant." },
            { "role": "user", "content": "Hello" },
            { "role": "assistant", "content": "I look.", "tool_calls": [call("call_1_0"), call("call_1_1")] },
            { "role": "tool", "tool_call_id": "call_1_0", "content": "one" },
            { "role": "tool", "tool_call_id": "call_1_1", "content": "two" },
        ],
        "tools": [{ "type": "function", "function": function }],
        "tool_choice": "auto",
    });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
}

#[tokio::test]
async fn responses() {
    let blocks = r#"[{"type":"reasoning","summary":[],"encrypted_content":"gAAA"}]"#;
    let (head, text) = asked(WireKind::OpenAiResponses, &conversation(signed("small", blocks)), as_usual).await;
    assert!(head.starts_with("POST /v1/responses HTTP/1.1\r\n"), "{head}");
    let said = |role: &str, kind: &str, text: &str| json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] });
    let call =
        |id: &str| json!({ "type": "function_call", "call_id": id, "name": "read_file", "arguments": ARGUMENTS });
    let output = |id: &str, text: &str| json!({ "type": "function_call_output", "call_id": id, "output": text });
    let expected = json!({
        "model": "small",
        "max_output_tokens": 50,
        "stream": true,
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "instructions": "You are a helpful assistant.",
        "input": [
            said("user", "input_text", "Hello"),
            { "type": "reasoning", "summary": [], "encrypted_content": "gAAA" },
            said("assistant", "output_text", "I look."),
            call("call_1_0"),
            call("call_1_1"),
            output("call_1_0", "one"),
            output("call_1_1", "two"),
        ],
        "tools": [{ "type": "function", "name": "read_file", "description": "A tool of a test.", "parameters": schema(), "strict": false }],
        "tool_choice": "auto",
    });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
}

#[tokio::test]
async fn messages() {
    let blocks = r#"[{"type":"thinking","thinking":"hm","signature":"Eq=="}]"#;
    let (head, text) = asked(WireKind::Anthropic, &conversation(signed("small", blocks)), as_usual).await;
    assert!(head.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("x-api-key: secret-key") && head.contains("anthropic-version: 2023-06-01"), "{head}");
    assert!(!head.contains("authorization"), "{head}");
    let mark = || json!({ "type": "ephemeral" });
    let call =
        |id: &str| json!({ "type": "tool_use", "id": id, "name": "read_file", "input": { "path": "a", "a": 1.5 } });
    let expected = json!({
        "model": "small",
        "max_tokens": 50,
        "stream": true,
        "system": [{ "type": "text", "text": "You are a helpful assistant.", "cache_control": mark() }],
        "tools": [{ "name": "read_file", "description": "A tool of a test.", "input_schema": schema() }],
        "tool_choice": { "type": "auto" },
        "messages": [
            { "role": "user", "content": [{ "type": "text", "text": "Hello" }] },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "hm", "signature": "Eq==" },
                { "type": "text", "text": "I look." },
                call("call_1_0"),
                call("call_1_1"),
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "call_1_0", "content": "one" },
                { "type": "tool_result", "tool_use_id": "call_1_1", "content": "two", "cache_control": mark() },
            ] },
        ],
    });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    assert!(text.contains(&format!("\"input\":{ARGUMENTS}")), "arguments keep their bytes: {text}");
}

#[tokio::test]
async fn chat_of_ollama() {
    let (head, text) = asked(WireKind::Ollama, &conversation(None), as_usual).await;
    assert!(head.starts_with("POST /v1/api/chat HTTP/1.1\r\n"), "{head}");
    let call =
        |id: &str| json!({ "id": id, "function": { "name": "read_file", "arguments": { "path": "a", "a": 1.5 } } });
    let result =
        |id: &str, text: &str| json!({ "role": "tool", "tool_name": "read_file", "tool_call_id": id, "content": text });
    let function = json!({ "name": "read_file", "description": "A tool of a test.", "parameters": schema() });
    let expected = json!({
        "model": "small",
        "stream": true,
        "options": { "num_ctx": 8192, "num_predict": 50 },
        "messages": [
            { "role": "system", "content": "You are a helpful assistant." },
            { "role": "user", "content": "Hello" },
            { "role": "assistant", "content": "I look.", "tool_calls": [call("call_1_0"), call("call_1_1")] },
            result("call_1_0", "one"),
            result("call_1_1", "two"),
        ],
        "tools": [{ "type": "function", "function": function }],
    });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    assert!(text.contains(&format!("\"arguments\":{ARGUMENTS}")), "arguments keep their bytes: {text}");
}

#[tokio::test]
async fn calls_are_forbidden_and_forced_in_the_words_of_the_wire() {
    for (wire, forbidden, forced) in [
        (WireKind::OpenAiChat, json!("none"), json!("required")),
        (WireKind::OpenAiResponses, json!("none"), json!("required")),
        (WireKind::Anthropic, json!({ "type": "none" }), json!({ "type": "any" })),
        (WireKind::Ollama, Value::Null, Value::Null),
    ] {
        for (calls, expected) in [(CallPolicy::Forbidden, forbidden), (CallPolicy::Forced, forced)] {
            let prompt = Prompt { calls, ..conversation(None) };
            assert_eq!(body(wire, &prompt, as_usual).await["tool_choice"], expected, "{wire:?}");
        }
    }
}

#[tokio::test]
async fn signed_reasoning_goes_to_nobody_but_the_lineage_that_signed_it() {
    for wire in [WireKind::OpenAiChat, WireKind::OpenAiResponses, WireKind::Anthropic, WireKind::Ollama] {
        let foreign = conversation(signed("large", r#"[{"type":"thinking","signature":"canary"}]"#));
        assert!(!asked(wire, &foreign, as_usual).await.1.contains("canary"), "{wire:?}");
    }
}

fn budget(tokens: u32) -> Option<ReasoningRequest> {
    let (field, value) = ("thinking.budget_tokens".to_owned(), json!(tokens));
    Some(ReasoningRequest { field, value, tokens })
}

#[tokio::test]
async fn a_budget_of_thought_is_added_to_the_tokens_of_the_reply_and_fits_into_them() {
    let prompt = prompt("Hello", vec![read_file()]);
    for (cap, most, thinking) in [
        (Some(64_000), 4096 + 64, json!({ "type": "enabled", "budget_tokens": 3120 })),
        (None, 4096 + 64, json!({ "type": "enabled", "budget_tokens": 3120 })),
        (Some(2000), 2000, json!({ "type": "enabled", "budget_tokens": 1500 })),
        (Some(1000), 1000, Value::Null),
    ] {
        let thinks = |options: &mut RemoteOptions| {
            options.output_cap = cap;
            options.reasoning = budget(4096);
            options.temperature = Some(0.3);
        };
        let body = body(WireKind::Anthropic, &prompt, thinks).await;
        assert_eq!((&body["max_tokens"], &body["thinking"]), (&json!(most), &thinking), "{cap:?}");
        assert_eq!(body["temperature"].is_null(), !thinking.is_null(), "a model that thinks keeps its own: {body}");
    }
}

#[tokio::test]
async fn after_a_call_without_its_thoughts_a_reply_does_without_any() {
    let ours = r#"[{"type":"thinking","thinking":"hm","signature":"Eq=="}]"#;
    for (signed, thinks) in [(signed("small", ours), true), (signed("large", ours), false), (None, false)] {
        let mut prompt = conversation(signed);
        let thinking = |options: &mut RemoteOptions| {
            options.output_cap = None;
            options.reasoning = budget(4096);
        };
        assert_eq!(body(WireKind::Anthropic, &prompt, thinking).await["thinking"].is_object(), thinks);
        prompt.items.push(Arc::new(Item::Person { text: "More.".to_owned(), aside: None }));
        let later = body(WireKind::Anthropic, &prompt, thinking).await;
        assert!(later["thinking"].is_object(), "a new turn thinks again: {later}");
    }
}

#[tokio::test]
async fn marks_stand_only_where_they_are_wanted() {
    let plain = |options: &mut RemoteOptions| options.prompt_cache = PromptCache::None;
    assert!(!asked(WireKind::Anthropic, &conversation(None), plain).await.1.contains("cache_control"));
    let marked = |options: &mut RemoteOptions| options.prompt_cache = PromptCache::Marked;
    let chat = body(WireKind::OpenAiChat, &conversation(None), marked).await;
    assert_eq!(chat["messages"][0]["content"][0]["cache_control"], json!({ "type": "ephemeral" }));
}

#[tokio::test]
async fn a_key_goes_into_the_header_that_is_named() {
    let named = |options: &mut RemoteOptions| options.key_header = Some("api-key".to_owned());
    let (head, _) = asked(WireKind::OpenAiChat, &conversation(None), named).await;
    assert!(head.contains("api-key: secret-key") && !head.contains("authorization"), "{head}");
}

#[tokio::test]
async fn reasoning_is_asked_for_in_the_field_that_is_named() {
    for (wire, field) in [
        (WireKind::OpenAiChat, "reasoning_effort"),
        (WireKind::OpenAiResponses, "reasoning.effort"),
        (WireKind::Ollama, "think"),
    ] {
        let asks = |options: &mut RemoteOptions| {
            options.reasoning = Some(ReasoningRequest { field: field.to_owned(), value: json!("high"), tokens: 0 });
        };
        let body = body(wire, &conversation(None), asks).await;
        let pointer = format!("/{}", field.replace('.', "/"));
        assert_eq!(body.pointer(&pointer), Some(&json!("high")), "{wire:?}");
    }
}
