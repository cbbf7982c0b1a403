//! Refusals become faults by status and fields, whatever their words say, before a stream and inside it.

use std::time::Duration;

use domain::model::SampleFault::{
    self, Busy, BusyFor, Filtered, Gone, NoCredit, RateLimited, Timeout, TooLong, Unauthorised,
};
use harness::ports::Model as _;
use inference::remote::WireKind;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::RECORDED;
use super::server::{answer, model, options, refused, sample};
use crate::support::{Kept, prompt};

/// Words that would be another class if words counted.
const WORDS: &str = "context_length_exceeded insufficient_quota prompt is too long: 210000 tokens > 200000 maximum";

async fn check(wire: WireKind, status: u16, headers: &str, body: Value, expected: SampleFault) {
    let (_, answer) = sample(wire, refused(status, headers, &body)).await;
    assert_eq!(answer, Err(expected), "{wire:?} {status} {headers}{body}");
}

#[tokio::test]
async fn a_status_means_the_same_on_every_wire() {
    let words = || json!({ "error": { "message": WORDS } });
    for (wire, _) in RECORDED {
        for (status, headers, fault) in [
            (401, "", Unauthorised),
            (403, "", Unauthorised),
            (402, "", NoCredit),
            (404, "", Gone("the engine answered 404".to_owned())),
            (408, "", Timeout("the engine".to_owned())),
            (429, "", RateLimited(None)),
            (429, "retry-after: 3\r\n", RateLimited(Some(3000))),
            (429, "retry-after-ms: 250\r\n", RateLimited(Some(250))),
            (
                429,
                "date: Wed, 21 Oct 2026 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2026 07:28:07 GMT\r\n",
                RateLimited(Some(7000)),
            ),
            (500, "", Busy),
            (503, "retry-after: 20\r\n", BusyFor(20_000)),
            (529, "", Busy),
        ] {
            check(wire, status, headers, words(), fault).await;
        }
        let (_, refusal) = sample(wire, refused(400, "", &words())).await;
        assert!(matches!(refusal, Err(SampleFault::BadRequest(_))), "{wire:?}: words decided a class: {refusal:?}");
        let (_, html) = sample(wire, answer_of(502, "<html>Bad gateway</html>")).await;
        assert_eq!(html, Err(Busy), "{wire:?}");
    }
}

fn answer_of(status: u16, body: &str) -> Vec<super::server::Step> {
    let answer = format!("HTTP/1.1 {status} No\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    vec![super::server::Step::Send(answer.into_bytes())]
}

#[tokio::test]
async fn fields_decide_where_a_wire_has_them() {
    let code = |code: &str| json!({ "error": { "code": code, "message": "x" } });
    let sizes = json!({ "error": { "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8000 } });
    for wire in [WireKind::OpenAiChat, WireKind::OpenAiResponses] {
        check(wire, 429, "", code("insufficient_quota"), NoCredit).await;
        check(wire, 400, "", code("content_filter"), Filtered).await;
        check(wire, 400, "", sizes.clone(), TooLong { needed: 9000, window: 8000 }).await;
        let (_, unsized_) = sample(wire, refused(400, "", &code("context_length_exceeded"))).await;
        assert!(matches!(unsized_, Err(TooLong { window: 8192, .. })), "{wire:?}: {unsized_:?}");
    }
    let kind = |kind: &str| json!({ "type": "error", "error": { "type": kind, "message": WORDS } });
    for (status, named, fault) in [
        (401, "authentication_error", Unauthorised),
        (400, "billing_error", NoCredit),
        (500, "overloaded_error", Busy),
        (400, "rate_limit_error", RateLimited(None)),
        (400, "timeout_error", Timeout("the engine".to_owned())),
        (403, "permission_error", Unauthorised),
    ] {
        check(WireKind::Anthropic, status, "", kind(named), fault).await;
    }
}

#[tokio::test]
async fn a_prompt_beyond_the_window_is_known_by_our_own_count() {
    for (wire, _) in RECORDED {
        let script = vec![refused(400, "", &json!({ "error": { "message": "no" } }))];
        let (address, _asked) = super::server::server(script).await;
        let long = prompt(&"word ".repeat(8000), Vec::new());
        let reply =
            model(options(wire, address), address).sample(&long, &Kept::default(), &CancellationToken::new()).await;
        assert!(matches!(reply, Err(TooLong { needed: 10_000..12_000, window: 8192 })), "{wire:?}: {reply:?}");
    }
}

#[tokio::test]
async fn a_fault_inside_a_stream_that_said_nothing_is_typed_too() {
    let anthropic =
        |kind: &str| format!("event: error\ndata: {}\n\n", json!({ "type": "error", "error": { "type": kind } }));
    let failed = |code: &str| {
        format!("data: {}\n\n", json!({ "type": "response.failed", "response": { "error": { "code": code } } }))
    };
    let chat = |error: Value| format!("data: {}\n\n", json!({ "error": error }));
    for (wire, stream, fault) in [
        (WireKind::Anthropic, anthropic("overloaded_error"), Busy),
        (WireKind::Anthropic, anthropic("rate_limit_error"), RateLimited(None)),
        (WireKind::Anthropic, anthropic("something_new"), Busy),
        (WireKind::OpenAiResponses, failed("server_error"), Busy),
        (WireKind::OpenAiResponses, failed("rate_limit_exceeded"), RateLimited(None)),
        (WireKind::OpenAiResponses, failed("insufficient_quota"), NoCredit),
        (
            WireKind::OpenAiResponses,
            "data: {\"type\":\"error\",\"code\":\"insufficient_quota\"}\n\n".to_owned(),
            NoCredit,
        ),
        (WireKind::OpenAiChat, chat(json!({ "code": 429 })), RateLimited(None)),
        (WireKind::OpenAiChat, chat(json!({ "code": "insufficient_quota" })), NoCredit),
        (WireKind::OpenAiChat, chat(json!("overloaded")), Busy),
        (WireKind::Ollama, "{\"error\":\"model runner has unexpectedly stopped\"}\n".to_owned(), Busy),
    ] {
        let (_, reply) = sample(wire, answer(&[stream.as_bytes()], true)).await;
        assert_eq!(reply, Err(fault), "{wire:?} {stream}");
    }
}

#[tokio::test]
async fn no_engine_there_is_a_network_fault() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for (wire, _) in RECORDED {
        let model = model(options(wire, address), address);
        let (asked, kept, cancel) = (prompt("Hello", Vec::new()), Kept::default(), CancellationToken::new());
        let reply = tokio::time::timeout(Duration::from_secs(5), model.sample(&asked, &kept, &cancel)).await;
        assert!(matches!(reply.unwrap(), Err(SampleFault::Network(_))), "{wire:?}");
    }
}
