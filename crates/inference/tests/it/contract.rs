//! The promises of the `Model` port, kept by a local model over a scripted worker and by a remote one.

use std::sync::Arc;
use std::time::Duration;

use domain::model::Tier;
use egress::{Client, Grant, Limits, Purpose, SystemResolver};
use inference::remote::openai::{OpenAiModel, OpenAiOptions};
use testkit::contract::model::{answers, ends_on_cancel, ends_on_early_cancel};
use testkit::server::{Script, ScriptedOpenAi, ScriptedReply};

use crate::support::prompt;
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
async fn the_remote_model_keeps_its_promises() {
    let short = ScriptedReply { text: "Hello.".to_owned(), reasoning: "Hm.".to_owned(), ..ScriptedReply::default() };
    let long = ScriptedReply { text: "word ".repeat(2000), delay_ms: 50, ..ScriptedReply::default() };
    let server = ScriptedOpenAi::start(Script { replies: vec![short, long], again: true }).await.unwrap();
    let address = server.address();
    let grant = Grant { host: address.ip().to_string(), port: address.port() };
    let client = Client::new(Purpose::Provider, Limits::default(), Arc::new(SystemResolver), vec![grant]);
    let options = OpenAiOptions {
        base: server.base_url(),
        model: "scripted".to_owned(),
        key: None,
        window: 8192,
        output_cap: None,
        tier: Tier::Any,
        temperature: None,
        stall: Duration::from_secs(5),
    };
    let model = OpenAiModel::new(options, client);
    let asked = prompt("Hello", Vec::new());
    assert_eq!(answers(&model, &asked).await.reasoning, "Hm.");
    ends_on_cancel(&model, &asked).await;
    ends_on_early_cancel(&model, &asked).await;
}
