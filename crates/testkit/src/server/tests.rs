//! The scripted server as a client sees it.

#![expect(clippy::disallowed_methods, reason = "the client of these tests connects to the server of these tests")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{Script, ScriptedOpenAi, ScriptedReply, StreamEnd};

async fn ask(server: &ScriptedOpenAi, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.expect("it listens");
    let body = body.to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer key\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("it reads");
    stream.write_all(body.as_bytes()).await.expect("it reads");
    stream
}

async fn answer(server: &ScriptedOpenAi, body: &Value) -> String {
    let mut text = String::new();
    ask(server, body).await.read_to_string(&mut text).await.expect("it answers");
    text
}

fn streamed(text: &str) -> Value {
    json!({ "stream": true, "messages": [{ "role": "user", "content": text }] })
}

/// The events of an answer, and whether it has its end.
fn events(answer: &str) -> (Vec<Value>, bool) {
    let data: Vec<&str> = answer.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    let events = data.iter().filter_map(|data| serde_json::from_str(data).ok()).collect();
    (events, data.last() == Some(&"[DONE]") && answer.ends_with("0\r\n\r\n"))
}

fn joined(events: &[Value], pointer: &str) -> String {
    events.iter().filter_map(|event| event.pointer(pointer)?.as_str()).collect()
}

#[tokio::test]
async fn a_reply_is_streamed_in_pieces_with_its_end() {
    let mut reply = ScriptedReply::call("write", json!({ "path": "a" }));
    reply.text = "I write. あ".to_owned();
    reply.reasoning = "Hm.".to_owned();
    reply.piece = 3;
    let server = ScriptedOpenAi::say([reply]).await.expect("it starts");
    let (events, whole) = events(&answer(&server, &streamed("go")).await);
    assert!(whole);
    assert_eq!(joined(&events, "/choices/0/delta/content"), "I write. あ");
    assert_eq!(joined(&events, "/choices/0/delta/reasoning_content"), "Hm.");
    assert_eq!(joined(&events, "/choices/0/delta/tool_calls/0/function/name"), "write");
    assert_eq!(joined(&events, "/choices/0/delta/tool_calls/0/function/arguments"), r#"{"path":"a"}"#);
    assert_eq!(joined(&events, "/choices/0/delta/tool_calls/0/id"), "call_1");
    assert_eq!(joined(&events, "/choices/0/finish_reason"), "tool_calls");
    assert_eq!(events.last().and_then(|event| event.pointer("/usage/prompt_tokens")), Some(&json!(10)));
    let asked = server.requests();
    assert_eq!(asked[0].authorization.as_deref(), Some("Bearer key"));
    assert_eq!(asked[0].body["messages"][0]["content"], "go");
}

#[tokio::test]
async fn a_reply_that_is_not_streamed_comes_whole() {
    let server = ScriptedOpenAi::say([ScriptedReply::text("Hello.")]).await.expect("it starts");
    let said = answer(&server, &json!({ "messages": [] })).await;
    let body: Value = serde_json::from_str(said.split("\r\n\r\n").nth(1).expect("it has a body")).expect("it is JSON");
    assert_eq!(body["choices"][0]["message"]["content"], "Hello.");
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
}

#[tokio::test]
async fn replies_come_in_order_by_words_and_anew() {
    let by_words = ScriptedReply { when: Some("weather".to_owned()), ..ScriptedReply::text("Rain.") };
    let replies = vec![ScriptedReply::text("One."), by_words, ScriptedReply::text("Two.")];
    let server = ScriptedOpenAi::start(Script { replies, again: true }).await.expect("it starts");
    let mut said = Vec::new();
    for words in ["a", "the weather?", "b", "c", "weather"] {
        said.push(joined(&events(&answer(&server, &streamed(words)).await).0, "/choices/0/delta/content"));
    }
    assert_eq!(said, ["One.", "Rain.", "Two.", "One.", "Rain."]);
    assert_eq!(server.count(), 5);
}

#[tokio::test]
async fn refusals_carry_status_and_time() {
    let refusal = ScriptedReply { retry_after: Some(7), ..ScriptedReply::status(429, json!({ "error": "slowly" })) };
    let server = ScriptedOpenAi::say([refusal]).await.expect("it starts");
    let said = answer(&server, &streamed("go")).await;
    assert!(said.starts_with("HTTP/1.1 429 ") && said.contains("\r\nretry-after: 7\r\n"), "{said}");
    let beyond = answer(&server, &streamed("go")).await;
    assert!(beyond.starts_with("HTTP/1.1 500 ") && beyond.contains("no further reply"), "{beyond}");
}

#[tokio::test]
async fn a_cut_stream_has_no_end() {
    let server = ScriptedOpenAi::say([ScriptedReply { end: StreamEnd::Cut, ..ScriptedReply::text("Hello there.") }]);
    let server = server.await.expect("it starts");
    let said = answer(&server, &streamed("go")).await;
    let (events, whole) = events(&said);
    assert!(!whole && !said.ends_with("0\r\n\r\n"));
    assert_eq!(joined(&events, "/choices/0/delta/content"), "Hello there.");
}

#[tokio::test]
async fn a_client_that_leaves_a_stalled_stream_is_noticed() {
    let server = ScriptedOpenAi::say([ScriptedReply { end: StreamEnd::Stall, ..ScriptedReply::text("Hello") }]);
    let server = server.await.expect("it starts");
    let mut stream = ask(&server, &streamed("go")).await;
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("Hello") {
        assert!(stream.read_buf(&mut seen).await.expect("it streams") > 0);
    }
    drop(stream);
    let since = Instant::now();
    while server.hung_up() == 0 {
        assert!(since.elapsed() < Duration::from_secs(5), "nobody noticed");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_server_that_is_dropped_listens_no_more() {
    let server = ScriptedOpenAi::say([]).await.expect("it starts");
    let address = server.address();
    drop(server);
    let since = Instant::now();
    while TcpStream::connect(address).await.is_ok() {
        assert!(since.elapsed() < Duration::from_secs(5), "it still listens");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn a_script_is_read_from_json() {
    let text = r#"{"replies": [{"text": "Hello.", "piece": 2, "first_ms": 10, "end": "stall"},
        {"when": "write", "calls": [{"name": "write", "arguments": {"path": "a"}}]}], "again": true}"#;
    let script: Script = serde_json::from_str(text).expect("it is a script");
    assert_eq!(script.replies[0].end, StreamEnd::Stall);
    assert_eq!(script.replies[1].calls[0].name, "write");
    assert!(serde_json::from_str::<Script>(r#"{"replies": [{"txet": "x"}]}"#).is_err(), "a slip is found");
}
