//! The promises of the `Model` port, kept by a local model over a scripted worker and by a remote one.

use std::sync::Arc;

use domain::model::{StopReason, Tier};
use egress::{Client, Grant, Purpose, SystemResolver};
use inference::remote::{RemoteModel, RemoteOptions, WireKind};
use serde_json::{Value, json};
use testkit::contract::model::{answers, ends_on_cancel, ends_on_early_cancel};
use testkit::server::{Script, ScriptedOpenAi, ScriptedReply, StreamEnd};

use crate::support::{prompt, read_file};
use crate::worker_loss::scripted;

#[tokio::test]
async fn the_local_model_keeps_its_promises() {
    let (_folder, _file, model) = scripted(&["answer until-cancelled answer"]);
    let asked = prompt("Hello", Vec::new());
    assert_eq!(answers(&model, &asked).await.text, "Hello.");
    ends_on_cancel(&model, &asked).await;
    ends_on_early_cancel(&model, &asked).await;
}

#[tokio::test]
async fn a_remote_model_keeps_its_promises_on_every_wire() {
    for wire in [WireKind::OpenAiChat, WireKind::OpenAiResponses, WireKind::Anthropic, WireKind::Ollama] {
        let called = json!({ "path": "a" });
        let short = ScriptedReply {
            text: "Hello.".to_owned(),
            reasoning: "Hm.".to_owned(),
            ..ScriptedReply::call("read_file", called.clone())
        };
        let cut = ScriptedReply { end: StreamEnd::Cut, ..short.clone() };
        let long = ScriptedReply { text: "word ".repeat(2000), delay_ms: 50, ..ScriptedReply::default() };
        let server = ScriptedOpenAi::start(Script { replies: vec![short, cut, long], again: true }).await.unwrap();
        let model = remote(wire, &server);
        let asked = prompt("Hello", vec![read_file()]);
        let reply = answers(&model, &asked).await;
        assert_eq!(
            (reply.reasoning.as_str(), reply.calls.len(), reply.stop),
            ("Hm.", 1, StopReason::Calls),
            "{wire:?}"
        );
        assert_eq!(serde_json::from_str::<Value>(&reply.calls[0].arguments).unwrap(), called, "{wire:?}");
        assert_eq!(answers(&model, &asked).await.stop, StopReason::Cut, "{wire:?}");
        ends_on_cancel(&model, &asked).await;
        ends_on_early_cancel(&model, &asked).await;
    }
}

fn remote(wire: WireKind, server: &ScriptedOpenAi) -> RemoteModel {
    let address = server.address();
    let grant = Grant { host: address.ip().to_string(), port: address.port() };
    let client = Client::new(Purpose::Provider, inference::remote::limits(), Arc::new(SystemResolver), vec![grant]);
    RemoteModel::new(RemoteOptions::new(wire, &server.base_url(), "scripted", 8192, Tier::Any), client)
}
