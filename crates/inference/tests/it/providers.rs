//! `providers.yaml`: 120 entries of which 60 are bad, files that cannot be read, the bundled providers, legal values of
//! reasoning, and a declared provider that answers.

mod corpus;

use std::sync::Arc;

use domain::model::{StopReason, Tier};
use egress::{Client, Purpose, SystemResolver};
use harness::ports::Model as _;
use inference::providers::{Allowed, BUNDLED, KeyNeed, KeySource, Providers, Style};
use inference::remote::{ApiKey, RemoteModel, WireKind, limits};
use serde_json::{Value, json};
use testkit::server::{ScriptedOpenAi, ScriptedReply};
use tokio_util::sync::CancellationToken;

use crate::support::{Kept, prompt};

fn bundled() -> usize {
    Providers::read("").entries.len()
}

#[test]
fn sixty_good_entries_load_and_sixty_bad_ones_have_their_line_and_reason() {
    let corpus = corpus::corpus();
    let read = Providers::read(&corpus.text);
    assert_eq!((read.entries.len() - bundled(), read.skipped.len()), (60, 60), "{:#?}", read.skipped);
    let found: Vec<_> = read.entries[bundled()..].iter().map(|entry| entry.id.clone()).collect();
    assert_eq!(found, corpus.good);
    for (skipped, (line, says)) in read.skipped.iter().zip(&corpus.bad) {
        assert!(skipped.line == *line && skipped.says.contains(says), "line {line}, {says}: {skipped}");
    }
}

/// The values a mode allows, as they stand on the wire.
fn legal(style: Style, allowed: &Allowed, value: &Value) -> bool {
    match style {
        Style::Effort => value.as_str().is_some_and(|word| allowed.holds(word)),
        Style::Budget => value.as_u64().is_some_and(|tokens| allowed.holds(&tokens.to_string())),
        Style::Switch => value.as_bool().is_some_and(|on| allowed.holds(if on { "on" } else { "off" })),
    }
}

#[test]
fn every_value_of_reasoning_that_is_asked_for_is_legal() {
    let read = Providers::read(&corpus::corpus().text);
    let wishes =
        ["low", "high", "none", "xhigh", "on", "off", "true", "0", "1", "1023", "1024", "1536", "99999999", "-1", ""];
    let mut asked = 0;
    for entry in &read.entries {
        let Some(reasoning) = &entry.reasoning else { continue };
        let names =
            entry.models.iter().map(|model| model.id.as_str()).chain(["unnamed", "claude-9-4-5", "model-7-large"]);
        for model in names {
            for wish in wishes.iter().map(|wish| Some(*wish)).chain([None]) {
                let Some(request) = reasoning.request(model, wish) else {
                    assert!(reasoning.mode(model).is_none(), "{}/{model}", entry.id);
                    continue;
                };
                let mode = reasoning.mode(model).unwrap();
                asked += 1;
                if reasoning.values.is_empty() {
                    assert!(
                        legal(reasoning.style, &mode.allowed, &request.value),
                        "{}/{model} {wish:?}: {request:?}",
                        entry.id
                    );
                } else {
                    assert!(reasoning.values.iter().any(|(_, value)| *value == request.value), "{request:?}");
                }
            }
        }
    }
    assert!(asked > 500, "{asked}");
}

#[test]
fn a_file_that_cannot_be_read_leaves_the_bundled_providers() {
    let many = format!("providers:\n{}", "  - id: x\n".repeat(201));
    for (text, line, says) in [
        ("providers:\n  - id: [a\n", 3, ""),
        ("providers: no list\n", 1, "`providers` is a list"),
        ("- id: a\n", 1, "a map of keys and values"),
        ("provider:\n  - id: a\n", 1, "there is no key `provider`"),
        ("providers: []\n---\nproviders: []\n", 2, "second document"),
        (&"#".repeat(1 << 21), 1, "over 1 MiB"),
        (&many, 202, "over 200 entries"),
    ] {
        let read = Providers::read(text);
        let [skipped] = &read.skipped[..] else { panic!("{:?}", read.skipped) };
        assert_eq!(read.entries.len(), bundled());
        assert!(skipped.line == line && skipped.says.contains(says), "{skipped}");
    }
    for empty in ["", "# nothing\n", "providers: []\n", "providers:\n"] {
        let read = Providers::read(empty);
        assert!(read.entries.len() == bundled() && read.skipped.len() <= 1, "{empty:?}: {:?}", read.skipped);
    }
}

#[test]
fn the_bundled_providers_are_sound() {
    let read = Providers::read("");
    assert_eq!(read.skipped, []);
    let ids: Vec<_> = read.entries.iter().map(|entry| (entry.id.as_str(), entry.wire, entry.tier)).collect();
    let expected = [
        ("anthropic", WireKind::Anthropic, Tier::Any),
        ("openai", WireKind::OpenAiResponses, Tier::Any),
        ("ollama", WireKind::Ollama, Tier::Device),
    ];
    assert_eq!(ids, expected);
    assert!(read.entries.iter().all(|entry| entry.models.is_empty() || entry.listed.is_some()), "prices have a day");
    assert!(!BUNDLED.contains("sk-"));
}

#[test]
fn a_model_is_chosen_by_provider_and_name() {
    let read = Providers::read("providers:\n  - { id: broken, wire: grpc }\n");
    let chosen = read.choose("anthropic/claude-sonnet-4-5").unwrap();
    let options = chosen.options(None);
    assert_eq!(
        (options.model.as_str(), options.window, options.output_cap),
        ("claude-sonnet-4-5", 200_000, Some(64_000))
    );
    assert_eq!((options.tier, chosen.grant()), (Tier::Any, None));
    assert_eq!(chosen.provider.key, KeyNeed::Required);
    assert_eq!(chosen.provider.key_source, Some(KeySource::Environment("ANTHROPIC_API_KEY".to_owned())));
    let thought = options.reasoning.unwrap();
    assert_eq!((thought.field.as_str(), thought.value, thought.tokens), ("thinking.budget_tokens", json!(4096), 4096));
    let other = read.choose("openai/some/new:model").unwrap().options(None);
    assert_eq!((other.model.as_str(), other.window, other.reasoning), ("some/new:model", 128_000, None));
    let local = read.choose("ollama/qwen3:8b").unwrap();
    assert_eq!((local.tier(), local.grant().unwrap().port), (Tier::Device, 11_434));
    assert_eq!(read.choose("ollama/gpt-oss:120b-cloud").unwrap().tier(), Tier::Any, "it leaves the machine");
    for (name, says) in [
        ("nobody/model", "there is no provider `nobody`; there are anthropic, openai, ollama"),
        ("broken/model", "line 2: the provider `broken` is left out: `wire` is one of"),
        ("ollama/", "names no model ``"),
        ("anthropic", "names no model ``"),
    ] {
        let refused = read.choose(name).unwrap_err();
        assert!(refused.contains(says), "{name}: {refused}");
    }
}

#[tokio::test]
async fn a_declared_provider_answers() {
    let reply = ScriptedReply { text: "Hello.".to_owned(), reasoning: "Hm.".to_owned(), ..ScriptedReply::default() };
    let server = ScriptedOpenAi::say([reply]).await.unwrap();
    let file = format!(
        "providers:\n  - id: own\n    wire: anthropic\n    base_url: {}/\n    key_header: x-own-key\n    \
         models: [{{ id: small, window: 32768, output_cap: 8192, lineage: smalls }}]\n    \
         reasoning: {{ style: budget, field: thinking.budget_tokens, modes: [{{ range: {{ least: 1024, most: 4096 }}, default: 2048 }}] }}\n",
        server.base_url()
    );
    let read = Providers::read(&file);
    assert_eq!(read.skipped, []);
    let chosen = read.choose("own/small").unwrap();
    let client =
        Client::new(Purpose::Provider, limits(), Arc::new(SystemResolver), chosen.grant().into_iter().collect());
    let model = RemoteModel::new(chosen.options(Some(ApiKey::new("secret"))), client);
    let reply = model.sample(&prompt("Hello", Vec::new()), &Kept::default(), &CancellationToken::new()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("Hello.", StopReason::Natural));
    assert_eq!(reply.signed.unwrap().lineage, "anthropic smalls at 127.0.0.1");
    let asked = &server.requests()[0];
    assert_eq!((asked.target.as_str(), &asked.body["model"]), ("POST /v1/messages", &json!("small")));
    assert_eq!(asked.body["max_tokens"], json!(64 + 2048));
    assert_eq!(asked.body["thinking"], json!({ "type": "enabled", "budget_tokens": 1584 }));
}
