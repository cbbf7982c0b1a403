//! What real servers were seen to send, a row each. Numbers are those of the reports that were replayed.

use domain::model::{Sampled, StopReason};
use inference::remote::WireKind;
use inference::remote::WireKind::{Anthropic, Ollama, OpenAiChat, OpenAiResponses};
use serde_json::{Value, json};

use super::server::{answer, sample};

/// A row: what it shows, the wire, the bytes, the text, the calls, the stop.
type Row = (&'static str, WireKind, String, &'static str, &'static [(&'static str, &'static str)], StopReason);

fn choice(choice: &Value) -> String {
    format!("data: {}\n\n", json!({ "choices": [choice] }))
}

fn text(text: &str) -> String {
    choice(&json!({ "delta": { "content": text } }))
}

fn calls(calls: Value) -> String {
    choice(&json!({ "delta": { "tool_calls": calls } }))
}

fn call(index: u64, id: Value, name: Value, arguments: Value) -> Value {
    json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } })
}

fn end(reason: &str) -> String {
    choice(&json!({ "delta": {}, "finish_reason": reason })) + "data: [DONE]\n\n"
}

fn event(kind: &str, mut event: Value) -> String {
    event["type"] = json!(kind);
    format!("event: {kind}\ndata: {event}\n\n")
}

fn line(line: &Value) -> String {
    format!("{line}\n")
}

fn said(message: Value) -> String {
    line(&json!({ "message": message, "done": false }))
}

const DONE: &str = "{\"done\":true,\"done_reason\":\"stop\",\"eval_count\":3}\n";

async fn check(rows: Vec<Row>) {
    for (shows, wire, bytes, text, calls, stop) in rows {
        let (_, reply) = sample(wire, answer(&[bytes.as_bytes()], true)).await;
        let reply: Sampled = reply.unwrap_or_else(|fault| panic!("{shows}: {fault:?}"));
        let made = reply.calls.iter().map(|call| (call.tool.as_str(), call.arguments.as_str()));
        assert_eq!((reply.text.as_str(), reply.stop), (text, stop), "{shows}");
        assert_eq!(made.collect::<Vec<_>>(), calls, "{shows}");
        let ids: std::collections::BTreeSet<_> = reply.calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids.len(), calls.len(), "{shows}: ids are unique");
    }
}

const TWO: &[(&str, &str)] = &[("read_file", "{\"path\":\"a\"}"), ("read_file", "{\"path\":\"b\"}")];
const THREE: &[(&str, &str)] = &[("read_file", "{}"), ("read_file", "{}"), ("read_file", "{}")];
const ONE: &[(&str, &str)] = &[("read_file", "{\"path\":\"a\"}")];

#[tokio::test]
async fn calls_of_chat_completions() {
    let a = || json!("{\"path\":\"a\"}");
    let b = || json!("{\"path\":\"b\"}");
    let name = || json!("read_file");
    let none = || Value::Null;
    let stop = || end("tool_calls");
    check(vec![
        (
            "9: two ids on one index are two calls",
            OpenAiChat,
            calls(json!([call(0, json!("call_a"), name(), a())]))
                + &calls(json!([call(0, json!("call_b"), name(), b())]))
                + &stop(),
            "",
            TWO,
            StopReason::Calls,
        ),
        (
            "9: the same without ids",
            OpenAiChat,
            calls(json!([call(0, none(), name(), a())])) + &calls(json!([call(0, none(), name(), b())])) + &stop(),
            "",
            TWO,
            StopReason::Calls,
        ),
        (
            "9: a blank id on what goes on with a call",
            OpenAiChat,
            calls(json!([call(0, json!("call_a"), name(), json!("{\"path\""))]))
                + &calls(json!([call(0, json!(""), json!(""), json!(":\"a\"}"))]))
                + &stop(),
            "",
            ONE,
            StopReason::Calls,
        ),
        (
            "9: three calls with one name on one index",
            OpenAiChat,
            [0; 3].map(|_| calls(json!([call(0, none(), name(), json!("{}"))]))).concat() + &stop(),
            "",
            THREE,
            StopReason::Calls,
        ),
        (
            "9: three calls in one chunk, all with the same id",
            OpenAiChat,
            calls(json!([0; 3].map(|_| call(0, json!("call_a"), name(), json!("{}"))))) + &stop(),
            "",
            THREE,
            StopReason::Calls,
        ),
        (
            "10: two entries of one index in the first chunk are one call",
            OpenAiChat,
            calls(json!([call(0, json!("call_a"), name(), json!("")), call(0, none(), none(), a())])) + &stop(),
            "",
            ONE,
            StopReason::Calls,
        ),
        (
            "arguments as an object",
            OpenAiChat,
            calls(json!([call(0, json!("call_a"), name(), json!({ "path": "a" }))])) + &stop(),
            "",
            ONE,
            StopReason::Calls,
        ),
        (
            "a natural end although there is a call",
            OpenAiChat,
            calls(json!([call(0, json!("call_a"), name(), a())])) + &end("stop"),
            "",
            ONE,
            StopReason::Calls,
        ),
    ])
    .await;
}

#[tokio::test]
async fn ends_of_chat_completions() {
    let empty = || choice(&json!({ "delta": {}, "finish_reason": "" }));
    let usage = |usage: Value| format!("data: {}\n\n", json!({ "choices": [], "usage": usage }));
    let rows = vec![
        ("11: an empty reason before the end", text("Hi") + &empty() + &text(".") + &end("stop"), StopReason::Natural),
        ("11: an empty reason at the end", text("Hi.") + &end(""), StopReason::Cut),
        (
            "an unknown reason, then a known one",
            text("Hi.") + &choice(&json!({ "finish_reason": "new" })) + &end("stop"),
            StopReason::Natural,
        ),
        ("an unknown reason at the end", text("Hi.") + &end("something new"), StopReason::Cut),
        (
            "a natural end and no word of [DONE]",
            text("Hi.") + &choice(&json!({ "finish_reason": "stop" })),
            StopReason::Natural,
        ),
        ("an end without a reason", text("Hi.") + "data: [DONE]\n\n", StopReason::Cut),
        ("no end at all", text("Hi."), StopReason::Cut),
        ("calls announced and none made", text("Hi.") + &end("tool_calls"), StopReason::Natural),
        ("the cap", text("Hi.") + &end("length"), StopReason::Length),
        ("withheld", text("Hi.") + &end("content_filter"), StopReason::Filtered),
        ("a broken event", text("Hi.") + "data: {\"broken\n\n", StopReason::Cut),
        (
            "a broken event behind the end",
            text("Hi.") + &choice(&json!({ "finish_reason": "stop" })) + "data: {\"us",
            StopReason::Natural,
        ),
        ("an error after words", text("Hi.") + "data: {\"error\": {\"code\": 500}}\n\n", StopReason::Cut),
        (
            "a null for everything",
            "data: {\"choices\":null,\"usage\":null,\"error\":null}\n\n".to_owned() + &text("Hi.") + &end("stop"),
            StopReason::Natural,
        ),
        (
            "counts that are no counts",
            text("Hi.") + &usage(json!({ "prompt_tokens": -1, "completion_tokens": "3" })) + &end("stop"),
            StopReason::Natural,
        ),
    ];
    check(rows.into_iter().map(|(shows, bytes, stop)| (shows, OpenAiChat, bytes, "Hi.", &[][..], stop)).collect())
        .await;
}

#[tokio::test]
async fn event_streams_as_they_come() {
    let ping = || format!(": ping\n{}", text("Hi."));
    let with_id = || "id: 1\n: still here\n\n".to_owned() + &text("Hi.");
    let rows = vec![
        ("17: line ends of two bytes", (text("Hi.") + &end("stop")).replace('\n', "\r\n")),
        ("17: line ends of one old byte", (text("Hi.") + &end("stop")).replace('\n', "\r")),
        ("17: a comment glued to its data", ping() + &end("stop")),
        ("17: an id with a comment and no data", with_id() + &end("stop")),
        ("17: a last event without a blank line", text("Hi.") + choice(&json!({ "finish_reason": "stop" })).trim_end()),
        ("no blank behind the colon", (text("Hi.") + &end("stop")).replace("data: ", "data:")),
        ("a mark of byte order", "\u{FEFF}".to_owned() + &text("Hi.") + &end("stop")),
    ];
    let row = |(shows, bytes)| (shows, OpenAiChat, bytes, "Hi.", &[][..], StopReason::Natural);
    check(rows.into_iter().map(row).collect()).await;
}

#[tokio::test]
async fn messages_of_anthropic() {
    let begin =
        |index: u64, block: Value| event("content_block_start", json!({ "index": index, "content_block": block }));
    let tool = |index: u64, input: Value| {
        begin(index, json!({ "type": "tool_use", "id": "toolu_1", "name": "read_file", "input": input }))
    };
    let part = |index: u64, json: &str| {
        event(
            "content_block_delta",
            json!({ "index": index, "delta": { "type": "input_json_delta", "partial_json": json } }),
        )
    };
    let words = |text: &str| {
        let delta = json!({ "type": "text_delta", "text": text });
        begin(0, json!({ "type": "text", "text": "" }))
            + &event("content_block_delta", json!({ "index": 0, "delta": delta }))
    };
    let close = |index: u64| event("content_block_stop", json!({ "index": index }));
    let stop = |reason: Value| {
        event("message_delta", json!({ "delta": { "stop_reason": reason }, "usage": { "output_tokens": 3 } }))
            + &event("message_stop", json!({}))
    };
    check(vec![
        (
            "a call without arguments has an empty object",
            Anthropic,
            tool(0, json!({})) + &part(0, "") + &close(0) + &stop(json!("tool_use")),
            "",
            &[("read_file", "{}")],
            StopReason::Calls,
        ),
        (
            "arguments that come whole at the start",
            Anthropic,
            tool(0, json!({ "path": "a" })) + &close(0) + &stop(json!("tool_use")),
            "",
            ONE,
            StopReason::Calls,
        ),
        (
            "two calls with one id",
            Anthropic,
            tool(0, json!({}))
                + &part(0, "{\"path\":\"a\"}")
                + &close(0)
                + &tool(1, json!({}))
                + &part(1, "{\"path\":\"b\"}")
                + &close(1)
                + &stop(json!("tool_use")),
            "",
            TWO,
            StopReason::Calls,
        ),
        (
            "a closed call outlives a broken stream",
            Anthropic,
            tool(0, json!({})) + &part(0, "{\"path\":\"a\"}") + &close(0),
            "",
            ONE,
            StopReason::Cut,
        ),
        (
            "an unknown reason",
            Anthropic,
            words("Hi.") + &close(0) + &stop(json!("pause_turn")),
            "Hi.",
            &[],
            StopReason::Cut,
        ),
        ("no reason", Anthropic, words("Hi.") + &close(0) + &stop(Value::Null), "Hi.", &[], StopReason::Cut),
        ("the cap", Anthropic, words("Hi.") + &close(0) + &stop(json!("max_tokens")), "Hi.", &[], StopReason::Length),
        (
            "the window",
            Anthropic,
            words("Hi.") + &close(0) + &stop(json!("model_context_window_exceeded")),
            "Hi.",
            &[],
            StopReason::ContextFull,
        ),
        ("a refusal", Anthropic, words("Hi.") + &close(0) + &stop(json!("refusal")), "Hi.", &[], StopReason::Filtered),
        (
            "an event of a later version",
            Anthropic,
            event("new_thing", json!({ "index": 9 })) + &words("Hi.") + &stop(json!("end_turn")),
            "Hi.",
            &[],
            StopReason::Natural,
        ),
        (
            "an error after words",
            Anthropic,
            words("Hi.") + &event("error", json!({ "error": { "type": "overloaded_error", "message": "x" } })),
            "Hi.",
            &[],
            StopReason::Cut,
        ),
    ])
    .await;
}

#[tokio::test]
async fn responses_of_openai() {
    let item = |kind: &str, index: u64, item: Value| event(kind, json!({ "output_index": index, "item": item }));
    let made = |arguments: &str| json!({ "type": "function_call", "call_id": "call_a", "name": "read_file", "arguments": arguments });
    let words = || event("response.output_text.delta", json!({ "output_index": 0, "delta": "Hi." }));
    let over = |kind: &str, response: Value| event(kind, json!({ "response": response }));
    let completed = || over("response.completed", json!({ "status": "completed" }));
    let incomplete = |reason: &str| over("response.incomplete", json!({ "incomplete_details": { "reason": reason } }));
    let whole = json!({ "type": "message", "content": [{ "type": "output_text", "text": "Hi." }] });
    check(vec![
        (
            "a message that comes whole",
            OpenAiResponses,
            item("response.output_item.done", 0, whole.clone()) + &completed(),
            "Hi.",
            &[],
            StopReason::Natural,
        ),
        (
            "a message that came in pieces is not said twice",
            OpenAiResponses,
            words() + &item("response.output_item.done", 0, whole) + &completed(),
            "Hi.",
            &[],
            StopReason::Natural,
        ),
        (
            "a call that comes whole",
            OpenAiResponses,
            item("response.output_item.done", 0, made("{\"path\":\"a\"}")) + &completed(),
            "",
            ONE,
            StopReason::Calls,
        ),
        (
            "two calls with one id",
            OpenAiResponses,
            item("response.output_item.done", 0, made("{\"path\":\"a\"}"))
                + &item("response.output_item.done", 1, made("{\"path\":\"b\"}"))
                + &completed(),
            "",
            TWO,
            StopReason::Calls,
        ),
        ("the cap", OpenAiResponses, words() + &incomplete("max_output_tokens"), "Hi.", &[], StopReason::Length),
        ("withheld", OpenAiResponses, words() + &incomplete("content_filter"), "Hi.", &[], StopReason::Filtered),
        ("incomplete for a new reason", OpenAiResponses, words() + &incomplete("new"), "Hi.", &[], StopReason::Cut),
        (
            "a failure after words",
            OpenAiResponses,
            words() + &over("response.failed", json!({ "error": { "code": "server_error" } })),
            "Hi.",
            &[],
            StopReason::Cut,
        ),
        ("no end", OpenAiResponses, words(), "Hi.", &[], StopReason::Cut),
    ])
    .await;
}

#[tokio::test]
async fn chats_of_ollama() {
    let call = |function: Value| said(json!({ "tool_calls": [{ "function": function }] }));
    let words = || said(json!({ "role": "assistant", "content": "Hi." }));
    let done = |reason: Value, count: u64| line(&json!({ "done": true, "done_reason": reason, "eval_count": count }));
    check(vec![
        ("arguments as an object keep their bytes", Ollama, "{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"read_file\",\"arguments\":{\"path\" : \"a\", \"n\": 1.50}}}]}}\n".to_owned() + DONE, "", &[("read_file", "{\"path\" : \"a\", \"n\": 1.50}")], StopReason::Calls),
        ("a call split over lines", Ollama, call(json!({ "name": "read_file" })) + &call(json!({ "arguments": "{\"path\":" })) + &call(json!({ "arguments": "\"a\"}" })) + DONE, "", ONE, StopReason::Calls),
        ("a name, then its object", Ollama, call(json!({ "name": "read_file", "arguments": null })) + &call(json!({ "arguments": { "path": "a" } })) + DONE, "", ONE, StopReason::Calls),
        ("two calls on one index", Ollama, call(json!({ "index": 0, "name": "read_file", "arguments": { "path": "a" } })) + &call(json!({ "index": 0, "name": "read_file", "arguments": { "path": "b" } })) + DONE, "", TWO, StopReason::Calls),
        ("three calls with one name", Ollama, [0; 3].map(|_| call(json!({ "name": "read_file", "arguments": {} }))).concat() + DONE, "", THREE, StopReason::Calls),
        ("an empty reason where the line is done and counted", Ollama, words() + &done(json!(""), 3), "Hi.", &[], StopReason::Natural),
        ("no reason, as versions of long ago", Ollama, words() + &line(&json!({ "done": true, "eval_count": 3 })), "Hi.", &[], StopReason::Natural),
        ("an empty reason and nothing counted", Ollama, words() + &done(json!(""), 0), "Hi.", &[], StopReason::Cut),
        ("a reason that is no end of a reply", Ollama, words() + &done(json!("unload"), 3), "Hi.", &[], StopReason::Cut),
        ("the cap", Ollama, words() + &done(json!("length"), 3), "Hi.", &[], StopReason::Length),
        ("no end", Ollama, words(), "Hi.", &[], StopReason::Cut),
        ("an error after words", Ollama, words() + "{\"error\":\"an error was encountered while running the model\"}\n", "Hi.", &[], StopReason::Cut),
        ("a last line without its end", Ollama, words() + DONE.trim_end(), "Hi.", &[], StopReason::Natural),
    ])
    .await;
}

#[tokio::test]
async fn an_engine_that_says_one_thing_over_and_over_is_left_and_its_reply_cut_to_one() {
    const BLOCK: &str = "I will look into that for you at once";
    for (wire, piece) in [(OpenAiChat, text(BLOCK)), (Ollama, said(json!({ "content": BLOCK })))] {
        // It has no end of its own: only who leaves it has a reply.
        let bytes = piece.repeat(2_000);
        let (_, reply) = sample(wire, answer(&[bytes.as_bytes()], false)).await;
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop), (BLOCK, StopReason::Cut), "{wire:?}");
    }
}
