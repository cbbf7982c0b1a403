//! Streams that stall, never end, or are given up by the person.

use std::time::{Duration, Instant};

use domain::model::{SampleFault, StopReason};
use harness::ports::{Channel, Model as _};
use inference::remote::WireKind;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::RECORDED;
use super::server::{Step, answer, chunk, head, model, options, sample, server};
use crate::support::{Kept, prompt, read_file};

/// The bytes that say so much on a wire.
fn said(wire: WireKind, text: &str) -> Vec<u8> {
    let event = match wire {
        WireKind::OpenAiChat => json!({ "choices": [{ "delta": { "content": text } }] }),
        WireKind::OpenAiResponses => json!({ "type": "response.output_text.delta", "delta": text }),
        WireKind::Anthropic => {
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } })
        }
        WireKind::Ollama => return format!("{}\n", json!({ "message": { "content": text } })).into_bytes(),
    };
    format!("data: {event}\n\n").into_bytes()
}

/// A sign of life that says nothing.
fn keep_alive(wire: WireKind) -> &'static [u8] {
    match wire {
        WireKind::OpenAiChat => b": still here\n\n",
        WireKind::OpenAiResponses => b"data: {\"type\":\"response.in_progress\"}\n\n",
        WireKind::Anthropic => b"event: ping\ndata: {\"type\": \"ping\"}\n\n",
        WireKind::Ollama => b"{\"message\":{\"content\":\"\"},\"done\":false}\n",
    }
}

fn keep_alives(wire: WireKind, mut script: Vec<Step>) -> Vec<Step> {
    for _ in 0..20 {
        script.extend([Step::Wait(Duration::from_millis(100)), Step::Send(chunk(keep_alive(wire)))]);
    }
    script
}

#[tokio::test]
async fn keep_alives_hide_neither_a_stall_nor_a_stream_that_never_begins() {
    for (wire, _) in RECORDED {
        let started = Instant::now();
        let begun = vec![Step::Send([head(), chunk(&said(wire, "Hi"))].concat())];
        let (_, reply) = sample(wire, keep_alives(wire, begun)).await;
        assert_eq!(reply.unwrap().stop, StopReason::Cut, "{wire:?}");
        assert!(started.elapsed() < Duration::from_millis(1500), "{wire:?}: {:?}", started.elapsed());
        for silent in
            [keep_alives(wire, vec![Step::Send(head())]), vec![Step::Send(head()), Step::Hold], vec![Step::Hold]]
        {
            let started = Instant::now();
            let (_, reply) = sample(wire, silent).await;
            assert_eq!(reply, Err(SampleFault::Timeout("first token".to_owned())), "{wire:?}");
            assert!(started.elapsed() < Duration::from_millis(1500), "{wire:?}: {:?}", started.elapsed());
        }
    }
}

#[tokio::test]
async fn a_cancel_ends_an_exchange_within_200_ms_in_every_phase() {
    for (wire, _) in RECORDED {
        let flowing =
            (0..200).flat_map(|_| [Step::Send(chunk(&said(wire, "word "))), Step::Wait(Duration::from_millis(5))]);
        let flowing = std::iter::once(Step::Send(head())).chain(flowing).collect();
        let begun = vec![Step::Send([head(), chunk(&said(wire, "Hi"))].concat()), Step::Hold];
        for script in [vec![Step::Hold], vec![Step::Send(head()), Step::Hold], begun, flowing] {
            let (address, _asked) = server(vec![script]).await;
            let (kept, asked, cancel) = (Kept::default(), prompt("Hello", vec![read_file()]), CancellationToken::new());
            let model = model(options(wire, address), address);
            let sampled = model.sample(&asked, &kept, &cancel);
            let given_up = async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                cancel.cancel();
                Instant::now()
            };
            let (reply, since) = tokio::join!(async { (sampled.await, Instant::now()) }, given_up);
            let (reply, ended) = reply;
            let reply = reply.unwrap();
            assert_eq!((reply.stop, kept.of(Channel::Text)), (StopReason::Cancelled, reply.text), "{wire:?}");
            assert!(ended.saturating_duration_since(since) < Duration::from_millis(200), "{wire:?}");
        }
    }
}

/// An engine that keeps to no limit: it says the piece again and again, and never ends.
fn endless(piece: &Value) -> Vec<Step> {
    let event = format!("data: {}\n\n", json!({ "choices": [{ "delta": piece }] }));
    let part = chunk(event.repeat(64).as_bytes());
    let mut script = vec![Step::Send(head())];
    script.extend((0..512).map(|_| Step::Send(part.clone())));
    script.push(Step::Hold);
    script
}

#[tokio::test]
async fn a_reply_far_over_its_tokens_is_read_no_further() {
    let long: String = (0..256).map(|n| format!("{n:03}é")).collect();
    let call = |id: &str, arguments: &str| json!({ "tool_calls": [{ "index": 0, "id": id, "function": { "name": "read_file", "arguments": arguments } }] });
    for piece in [
        json!({ "content": long }),
        json!({ "reasoning": long }),
        call("a", &long),
        json!({ "content": long, "reasoning": long, "tool_calls": [{ "index": 1, "id": "b", "function": { "arguments": long } }] }),
    ] {
        let (kept, reply) = sample(WireKind::OpenAiChat, endless(&piece)).await;
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
async fn signed_blocks_beyond_all_measure_are_not_kept_and_the_reply_is() {
    let sealed = |letters: usize| {
        let item = json!({ "type": "reasoning", "summary": [], "encrypted_content": "x".repeat(letters) });
        format!("data: {}\n\n", json!({ "type": "response.output_item.done", "output_index": 0, "item": item }))
    };
    let words = String::from_utf8(said(WireKind::OpenAiResponses, "Hi.")).unwrap();
    let end = "data: {\"type\":\"response.completed\",\"response\":{}}\n\n";
    for (blocks, kept) in [(sealed(1000), true), (sealed(200_000) + &sealed(200_000) + &sealed(10), false)] {
        let stream = blocks + &words + end;
        let (_, reply) = sample(WireKind::OpenAiResponses, answer(&[stream.as_bytes()], true)).await;
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop, reply.signed.is_some()), ("Hi.", StopReason::Natural, kept));
    }
}

#[tokio::test]
async fn a_call_in_small_pieces_with_its_name_on_each_is_not_taken_for_too_long() {
    let call = |arguments: &str| {
        let function = json!({ "name": "read_file", "arguments": arguments });
        let call = json!({ "index": 0, "id": "a", "function": function });
        format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }))
    };
    let letters: String = (0..4_000).map(|n| format!("{n:05}")).collect();
    let pieces: String = letters.as_bytes().chunks(2).map(|piece| call(std::str::from_utf8(piece).unwrap())).collect();
    let end = "data: {\"choices\":[{\"finish_reason\":\"tool_calls\"}]}\n\n";
    let stream = call("{\"path\": \"") + &pieces + &call("\"}") + end;
    let (_, reply) = sample(WireKind::OpenAiChat, answer(&[stream.as_bytes()], true)).await;
    let reply = reply.unwrap();
    assert_eq!((reply.stop, reply.calls[0].arguments.len()), (StopReason::Calls, letters.len() + 12));
}
