//! Recorded answers, cut at every byte: in two pieces they say the same; broken off, nothing whole is lost.

use domain::model::{SampleFault, Sampled, StopReason};
use harness::ports::{Channel, Model as _};
use inference::remote::WireKind;
use tokio_util::sync::CancellationToken;

use super::RECORDED;
use super::server::{answer, model, options, server};
use crate::support::{Kept, prompt, read_file};

const TEXT: &str = "Let me 𝄞 look𝄞.";
const ARGUMENTS: [&str; 2] = ["{\"path\": \"a\\\"b\"}", "{\"path\":\"é\"}"];

fn is_whole(kept: &Kept, reply: &Sampled, at: &str) {
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str(), reply.stop), (TEXT, "hm é", StopReason::Calls), "{at}");
    let calls: Vec<_> = reply.calls.iter().map(|call| (call.id.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("call_1_0", ARGUMENTS[0]), ("call_1_1", ARGUMENTS[1])], "{at}");
    assert!(reply.calls.iter().all(|call| call.fault.is_none() && call.wire_id.is_some()), "{at}");
    let usage = &reply.usage;
    assert_eq!((usage.prompt, usage.decoded), (Some(30), Some(9)), "{at}");
    assert_eq!((kept.of(Channel::Text), kept.of(Channel::Reasoning)), (reply.text.clone(), reply.reasoning.clone()));
}

/// What each way to end the bytes early gives, cut by cut.
async fn cut(wire: WireKind, bytes: &[u8], ends: bool) -> Vec<Result<Sampled, SampleFault>> {
    let scripts = (0..=bytes.len()).map(|cut| answer(&[&bytes[..cut]], ends)).collect();
    let (address, _asked) = server(scripts).await;
    let model = model(options(wire, address), address);
    let asked = prompt("Hello", vec![read_file()]);
    let mut replies = Vec::new();
    for _ in 0..=bytes.len() {
        replies.push(model.sample(&asked, &Kept::default(), &CancellationToken::new()).await);
    }
    replies
}

#[tokio::test]
async fn a_recorded_answer_is_the_same_at_every_cut() {
    for (wire, bytes) in RECORDED {
        let scripts: Vec<_> = (0..=bytes.len()).map(|cut| answer(&[&bytes[..cut], &bytes[cut..]], true)).collect();
        let (address, _asked) = server(scripts).await;
        let model = model(options(wire, address), address);
        let asked = prompt("Hello", vec![read_file()]);
        for cut in 0..=bytes.len() {
            let kept = Kept::default();
            let reply = model.sample(&asked, &kept, &CancellationToken::new()).await.unwrap();
            is_whole(&kept, &reply, &format!("{wire:?} cut at {cut}"));
        }
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_cut_and_keeps_what_was_whole() {
    for (wire, bytes) in RECORDED {
        for ends in [true, false] {
            let replies = cut(wire, bytes, ends).await;
            check_signed(wire, &replies);
            let (mut text, mut whole_calls) = (0, 0);
            for (at, reply) in replies.iter().enumerate() {
                let at = format!("{wire:?} broken off at {at}, body ended: {ends}");
                let Ok(reply) = reply else {
                    assert_eq!(text + whole_calls, 0, "{at}: what was said is lost");
                    continue;
                };
                let whole = reply.calls.iter().filter(|call| call.fault.is_none());
                let whole: Vec<_> = whole.map(|call| call.arguments.as_str()).collect();
                assert!(ARGUMENTS.starts_with(&whole), "{at}: {whole:?}");
                assert!(TEXT.starts_with(reply.text.trim_end_matches('\u{FFFD}')), "{at}: {}", reply.text);
                assert!(reply.text.len() >= text && whole.len() >= whole_calls, "{at}: something is lost");
                assert!(matches!(reply.stop, StopReason::Cut | StopReason::Calls), "{at}: {:?}", reply.stop);
                // A lone half of a code point, shown as one mark, becomes the code point with its other half.
                (text, whole_calls) = (reply.text.trim_end_matches('\u{FFFD}').len(), whole.len());
            }
            assert_eq!((text, whole_calls), (TEXT.len(), 2), "{wire:?}");
        }
    }
}

/// Signed blocks come as the provider wrote them, and only whole.
fn check_signed(wire: WireKind, replies: &[Result<Sampled, SampleFault>]) {
    let thought = r#"{"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds==","thinking":"hm é","type":"thinking"}"#;
    let redacted = r#"{"data":"EmwKAhgBEgy3va3pzix=","type":"redacted_thinking"}"#;
    let sealed =
        r#"{"encrypted_content":"gAAAAABo5rV=","summary":[{"text":"hm é","type":"summary_text"}],"type":"reasoning"}"#;
    let expected = match wire {
        WireKind::Anthropic => vec![format!("[{thought}]"), format!("[{thought},{redacted}]")],
        WireKind::OpenAiResponses => vec![format!("[{sealed}]")],
        WireKind::OpenAiChat | WireKind::Ollama => Vec::new(),
    };
    let signed = replies.iter().filter_map(|reply| reply.as_ref().ok()?.signed.as_ref());
    assert!(signed.clone().all(|signed| signed.lineage == "small"), "{wire:?}");
    let mut blocks: Vec<_> = signed.map(|signed| signed.blocks.clone()).collect();
    blocks.dedup();
    assert_eq!(blocks, expected, "{wire:?}");
}
