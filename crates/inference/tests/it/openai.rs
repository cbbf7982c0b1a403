//! The chat-completions wire: recorded streams cut at every byte, calls in all their spellings, stops, faults, stalls.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::call::FrameFault;
use domain::context::{CallPolicy, Item, MadeCall, Prompt};
use domain::id::CallId;
use domain::model::{SampleFault, Sampled, StopReason, Tier};
use domain::tool::ToolName;
use egress::{Client, Grant, Limits, Purpose, SystemResolver};
use harness::ports::{Channel, Model as _};
use inference::remote::openai::{ApiKey, OpenAiModel, OpenAiOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::{Kept, prompt, read_file};

/// What a scripted connection does after it got its request.
#[derive(Debug, Clone)]
enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// Keeps the connection open without a word.
    Hold,
}

/// Plays one script a connection, in turn, and gives what it was asked.
async fn server(scripts: Vec<Vec<Step>>) -> (SocketAddr, mpsc::UnboundedReceiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (send, receive) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for script in scripts {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = send.send(request(&mut stream).await);
            tokio::spawn(async move {
                for step in script {
                    match step {
                        Step::Send(bytes) => {
                            if stream.write_all(&bytes).await.is_err() {
                                return;
                            }
                        }
                        Step::Wait(time) => sleep(time).await,
                        Step::Hold => sleep(Duration::from_secs(600)).await,
                    }
                }
            });
        }
    });
    (address, receive)
}

async fn request(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if body.len() >= length.parse().unwrap() {
                return (head.to_owned(), serde_json::from_str(body).unwrap());
            }
        }
        let mut buffer = [0; 4096];
        let length = stream.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..length]);
    }
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

fn head() -> Vec<u8> {
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec()
}

/// The stream in these pieces, each in a chunk of its own.
fn streamed(pieces: &[&[u8]]) -> Vec<Step> {
    let mut bytes = head();
    pieces.iter().filter(|piece| !piece.is_empty()).for_each(|piece| bytes.extend(chunk(piece)));
    bytes.extend_from_slice(b"0\r\n\r\n");
    vec![Step::Send(bytes)]
}

fn refused(status: u16, headers: &str, body: &Value) -> Vec<Step> {
    let body = body.to_string();
    let answer = format!("HTTP/1.1 {status} No\r\n{headers}content-length: {}\r\n\r\n{body}", body.len());
    vec![Step::Send(answer.into_bytes())]
}

fn model(address: SocketAddr) -> OpenAiModel {
    let grant = Grant { host: address.ip().to_string(), port: address.port() };
    let limits = Limits { connect: Duration::from_secs(2), ..Limits::default() };
    let client = Client::new(Purpose::Provider, limits, Arc::new(SystemResolver), vec![grant]);
    let options = OpenAiOptions {
        base: format!("http://{address}/v1"),
        model: "small".to_owned(),
        key: Some(ApiKey::new("secret-key")),
        window: 8192,
        output_cap: Some(50),
        tier: Tier::Any,
        temperature: None,
        stall: Duration::from_millis(700),
    };
    OpenAiModel::new(options, client)
}

async fn sample(script: Vec<Step>) -> (Kept, Result<Sampled, SampleFault>) {
    let (address, _asked) = server(vec![script]).await;
    let kept = Kept::default();
    let asked = prompt("Hello", vec![read_file()]);
    let answer = model(address).sample(&asked, &kept, &CancellationToken::new()).await;
    (kept, answer)
}

fn event(choice: Value) -> String {
    format!("data: {}\n\n", json!({ "id": "x", "choices": [choice] }))
}

fn delta(delta: Value) -> String {
    event(json!({ "index": 0, "delta": delta, "finish_reason": null }))
}

fn finish(reason: &str) -> String {
    event(json!({ "index": 0, "delta": {}, "finish_reason": reason })) + "data: [DONE]\n\n"
}

fn recorded() -> String {
    let mut stream = String::from(": processing\n\n");
    stream += &delta(json!({ "role": "assistant", "content": "" }));
    stream += &delta(json!({ "reasoning_content": "hm é" }));
    stream += &delta(json!({ "content": "Let me 𝄞 " }));
    // One code point as two escapes in two events.
    stream += "data: {\"choices\": [{\"delta\": {\"content\": \"look\\ud834\"}}]}\r\n\r\n";
    stream += "data: {\"choices\": [{\"delta\": {\"content\": \"\\udd1e.\"}}]}\r\n\r\n";
    let call =
        json!({ "index": 0, "id": "abc", "type": "function", "function": { "name": "read_file", "arguments": "" } });
    stream += &delta(json!({ "tool_calls": [call] }));
    for part in ["{\"pa", "th\": \"a\\\"b", "\"}"] {
        stream += &delta(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": part } }] }));
    }
    let second = json!({ "index": 1, "id": "abc", "function": { "name": "read_file", "arguments": "{}" } });
    stream += &delta(json!({ "tool_calls": [second] }));
    stream += &event(json!({ "index": 0, "delta": {}, "finish_reason": "tool_calls" }));
    let usage =
        json!({ "prompt_tokens": 30, "completion_tokens": 9, "prompt_tokens_details": { "cached_tokens": 20 } });
    stream += &format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [], "usage": usage }));
    stream
}

#[tokio::test]
async fn a_recorded_stream_is_the_same_at_every_cut() {
    let stream = recorded();
    let bytes = stream.as_bytes();
    let scripts: Vec<_> = (0..=bytes.len()).map(|cut| streamed(&[&bytes[..cut], &bytes[cut..]])).collect();
    let (address, _asked) = server(scripts).await;
    let model = model(address);
    for cut in 0..=bytes.len() {
        let kept = Kept::default();
        let asked = prompt("Hello", vec![read_file()]);
        let reply = model.sample(&asked, &kept, &CancellationToken::new()).await.unwrap();
        assert_eq!(reply.text, "Let me 𝄞 look𝄞.", "cut at {cut}");
        assert_eq!((reply.reasoning.as_str(), reply.stop), ("hm é", StopReason::Calls), "cut at {cut}");
        let calls: Vec<_> = reply.calls.iter().map(|call| (call.id.as_str(), call.arguments.as_str())).collect();
        assert_eq!(calls, [("call_1_0", "{\"path\": \"a\\\"b\"}"), ("call_1_1", "{}")], "cut at {cut}");
        assert!(reply.calls.iter().all(|call| call.fault.is_none() && call.wire_id.as_deref() == Some("abc")));
        let usage = (reply.usage.prompt, reply.usage.reused, reply.usage.decoded, reply.usage.reasoning);
        assert_eq!(usage, (Some(30), Some(20), Some(9), None), "cut at {cut}");
        assert_eq!(kept.of(Channel::Text), reply.text);
        assert_eq!(kept.of(Channel::Reasoning), reply.reasoning);
    }
}

#[tokio::test]
async fn the_request_has_the_shape_of_the_wire() {
    let (address, mut asked) = server(vec![streamed(&[finish("stop").as_bytes()])]).await;
    let call = MadeCall { id: CallId::new("call_1_0"), tool: ToolName::new("read_file"), arguments: "{}".to_owned() };
    let before = prompt("Hello", vec![read_file()]);
    let mut items = before.items.clone();
    items.push(Arc::new(Item::Model { text: String::new(), calls: vec![call], signed: None }));
    let result =
        Item::Result { call: CallId::new("call_1_0"), tool: ToolName::new("read_file"), text: "text".to_owned() };
    items.push(Arc::new(result));
    let full = Prompt { items, calls: CallPolicy::Forbidden, ..before };
    model(address).sample(&full, &Kept::default(), &CancellationToken::new()).await.unwrap();
    let (head, body) = asked.recv().await.unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: Bearer secret-key"), "{head}");
    assert_eq!(
        body["messages"],
        json!([
            { "role": "system", "content": "You are a helpful assistant." },
            { "role": "user", "content": "Hello" },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": "call_1_0", "type": "function", "function": { "name": "read_file", "arguments": "{}" } },
            ] },
            { "role": "tool", "tool_call_id": "call_1_0", "content": "text" },
        ])
    );
    assert_eq!(
        (&body["tool_choice"], &body["max_tokens"], &body["stream"]),
        (&json!("none"), &json!(50), &json!(true))
    );
    assert_eq!(body["tools"][0]["function"]["name"], "read_file");
    assert!(!format!("{:?}", model(address)).contains("secret-key"));
}

#[tokio::test]
async fn stops_are_mapped_and_an_end_without_one_is_cut() {
    let said = delta(json!({ "content": "Hi." }));
    let cases = [
        (said.clone() + &finish("stop"), StopReason::Natural),
        (said.clone() + &finish("length"), StopReason::Length),
        (said.clone() + &finish("content_filter"), StopReason::Filtered),
        (said.clone() + &finish(""), StopReason::Cut),
        (said.clone() + &finish("something new"), StopReason::Cut),
        (said.clone() + "data: [DONE]\n\n", StopReason::Cut),
        (said.clone(), StopReason::Cut),
        (said.clone() + &event(json!({ "delta": {}, "finish_reason": "" })) + &finish("stop"), StopReason::Natural),
        (said.clone() + &finish("tool_calls"), StopReason::Natural),
        (said.clone() + "data: {\"broken", StopReason::Cut),
        (said.clone() + "data: {\"error\": {\"code\": 500}}\n\n", StopReason::Cut),
    ];
    for (stream, stop) in cases {
        let (_, reply) = sample(streamed(&[stream.as_bytes()])).await;
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop), ("Hi.", stop), "{stream}");
    }
}

#[tokio::test]
async fn a_call_that_was_cut_carries_its_fault() {
    let call = |arguments: &str| {
        delta(
            json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "read_file", "arguments": arguments } }] }),
        )
    };
    for (stream, faulty) in [
        (call("{\"path\": \"a\"}") + &finish("tool_calls"), false),
        (call("{\"path\": \"a\"}") + &finish("length"), true),
        (call("{\"path\": \"a\"}"), true),
        (call("{\"path\": \"a") + &finish("tool_calls"), true),
        (call("{path: a}") + &finish("tool_calls"), false),
    ] {
        let (_, reply) = sample(streamed(&[stream.as_bytes()])).await;
        let reply = reply.unwrap();
        assert_eq!(matches!(reply.calls[0].fault, Some(FrameFault::Incomplete(_))), faulty, "{stream}");
    }
}

#[tokio::test]
async fn refusals_are_typed_from_status_and_fields() {
    let error =
        |code: &str| json!({ "error": { "code": code, "message": "context_length_exceeded insufficient_quota" } });
    let sizes = json!({ "error": { "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8000 } });
    let cases = [
        (401, "", error("x"), SampleFault::Unauthorised),
        (403, "", error("x"), SampleFault::Unauthorised),
        (402, "", error("x"), SampleFault::NoCredit),
        (429, "retry-after: 3\r\n", error("x"), SampleFault::RateLimited(Some(3000))),
        (429, "", error("x"), SampleFault::RateLimited(None)),
        (429, "", error("insufficient_quota"), SampleFault::NoCredit),
        (503, "", error("x"), SampleFault::Busy),
        (500, "", json!("no json of ours"), SampleFault::Busy),
        (400, "", error("content_filter"), SampleFault::Filtered),
        (400, "", sizes, SampleFault::TooLong { needed: 9000, window: 8000 }),
        (404, "", error("x"), SampleFault::Gone("the engine answered 404".to_owned())),
    ];
    for (status, headers, body, expected) in cases {
        let (_, answer) = sample(refused(status, headers, &body)).await;
        assert_eq!(answer, Err(expected), "{status} {body}");
    }
    let (_, imitated) = sample(refused(400, "", &error("x"))).await;
    assert!(matches!(imitated, Err(SampleFault::BadRequest(_))), "no message text decides a class: {imitated:?}");
    let (_, unknown) = sample(refused(400, "", &error("context_length_exceeded"))).await;
    assert!(matches!(unknown, Err(SampleFault::TooLong { window: 8192, .. })), "{unknown:?}");
}

#[tokio::test]
async fn keep_alives_do_not_hide_a_stall() {
    let mut script = vec![Step::Send([head(), chunk(delta(json!({ "content": "Hi" })).as_bytes())].concat())];
    for _ in 0..20 {
        script.extend([Step::Wait(Duration::from_millis(100)), Step::Send(chunk(b": still here\n\n"))]);
    }
    let started = Instant::now();
    let (_, reply) = sample(script).await;
    assert_eq!(reply.unwrap().stop, StopReason::Cut);
    assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
    let (_, silent) = sample(vec![Step::Send(head()), Step::Hold]).await;
    assert_eq!(silent, Err(SampleFault::Timeout("stall".to_owned())));
}

/// An engine that keeps to no limit: one that says the piece again and again, and never ends.
fn endless(piece: Value) -> Vec<Step> {
    let part = chunk(delta(piece).repeat(64).as_bytes());
    let mut script = vec![Step::Send(head())];
    script.extend((0..512).map(|_| Step::Send(part.clone())));
    script.push(Step::Hold);
    script
}

#[tokio::test]
async fn a_reply_far_over_its_tokens_is_read_no_further() {
    let long = "é".repeat(512);
    let call = |id: &str, arguments: &str| json!({ "tool_calls": [{ "index": 0, "id": id, "function": { "name": "read_file", "arguments": arguments } }] });
    for piece in [
        json!({ "content": long }),
        json!({ "reasoning": long }),
        call("a", &long),
        json!({ "content": long, "reasoning": long, "tool_calls": [{ "index": 1, "id": "b", "function": { "arguments": long } }] }),
    ] {
        let (kept, reply) = sample(endless(piece.clone())).await;
        let reply = reply.unwrap();
        let arguments: usize = reply.calls.iter().map(|call| call.arguments.len()).sum();
        let bytes = reply.text.len() + reply.reasoning.len() + arguments;
        assert!(bytes <= 64 << 10, "{bytes} bytes of {piece}");
        assert_eq!(reply.stop, StopReason::Length, "{piece}");
        assert_eq!(kept.of(Channel::Text), reply.text);
        assert!(reply.calls.last().is_none_or(|call| call.fault.is_some()), "{piece}");
    }
}

#[tokio::test]
async fn a_call_in_small_pieces_with_its_name_on_each_is_not_taken_for_too_long() {
    let call = |arguments: &str| {
        let function = json!({ "name": "read_file", "arguments": arguments });
        delta(json!({ "tool_calls": [{ "index": 0, "id": "a", "function": function }] }))
    };
    let letters = "x".repeat(20_000);
    let pieces: String = letters.as_bytes().chunks(2).map(|piece| call(std::str::from_utf8(piece).unwrap())).collect();
    let stream = call("{\"path\": \"") + &pieces + &call("\"}") + &finish("tool_calls");
    let (_, reply) = sample(streamed(&[stream.as_bytes()])).await;
    let reply = reply.unwrap();
    assert_eq!((reply.stop, reply.calls[0].arguments.len()), (StopReason::Calls, letters.len() + 12));
}

#[tokio::test]
async fn no_engine_there_is_a_network_fault() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let answer = model(address).sample(&prompt("Hello", Vec::new()), &Kept::default(), &CancellationToken::new()).await;
    assert!(matches!(answer, Err(SampleFault::Network(_))), "{answer:?}");
}
