//! A real worker with the demo model. These tests exist with the feature `real-model` alone (`./scripts/test worker`),
//! so that none passes without having run; a missing worker or model is a failure. RIAD_LLM_WORKER and RIAD_LLM_MODEL may name other files than those that `cargo build` and `cargo xtask` leave.

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::call::ValidCall;
use domain::context::{CallPolicy, Item, Prefix, Prompt};
use domain::id::EntryNumber;
use domain::model::StopReason;
use domain::tool::{ToolSet, ToolSpec};
use harness::ports::{Channel, Model as _};
use inference::bench;
use inference::local::{LocalModel, LocalOptions, SILENCE, SamplingDefaults};
use inference::protocol::message::Choice;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::{Kept, local_options, prompt, read_file, tool};

fn real_model() -> LocalModel {
    LocalModel::open(real_options()).unwrap()
}

pub(crate) fn real_options() -> LocalOptions {
    let named = |name: &str, otherwise: PathBuf| env::var_os(name).map_or(otherwise, PathBuf::from);
    let models = named("RIAD_MODELS_DIR", PathBuf::from(env::var("HOME").unwrap()).join(".local/share/riad/models"));
    let model = named("RIAD_LLM_MODEL", models.join("SmolLM2-135M-Instruct.Q4_1.gguf"));
    // This test runs from TARGET/PROFILE/deps; the worker is built in the release profile.
    let target = env::current_exe().unwrap().ancestors().nth(3).unwrap().to_path_buf();
    let worker = named("RIAD_LLM_WORKER", target.join("release/riad-llm"));
    assert!(model.is_file(), "{} is missing: cargo xtask models demo", model.display());
    assert!(worker.is_file(), "{} is missing: cargo build --release -p riad-llm", worker.display());
    local_options(&model, &worker, SILENCE)
}

fn with_item(before: &Prompt, item: Item) -> Prompt {
    let mut items = before.items.clone();
    items.push(Arc::new(item));
    Prompt { items, seen: EntryNumber(before.seen.0 + 1), ..before.clone() }
}

#[tokio::test]
async fn it_streams_counts_exactly_and_decodes_only_what_is_new() {
    let model = real_model();
    let never = CancellationToken::new();
    let asked = prompt("What is the capital of France?", Vec::new());
    let counted = model.count(&asked).await.unwrap();
    let kept = Kept::default();
    let first = model.sample(&asked, &kept, &never).await.unwrap();
    assert_eq!(counted, first.usage.prompt);
    assert_eq!(kept.of(Channel::Text), first.text);
    assert_eq!(first.usage.reused, Some(0));

    let longer = with_item(&asked, Item::Model { text: first.text.clone(), calls: Vec::new(), signed: None });
    let longer = with_item(&longer, Item::Person { text: "And of Italy?".to_owned(), aside: None });
    let second = model.sample(&longer, &Kept::default(), &never).await.unwrap();
    let usage = second.usage;
    assert_eq!(usage.prompt.unwrap(), usage.reused.unwrap() + usage.prefilled.unwrap());
    let in_memory = first.usage.prompt.unwrap() + first.usage.decoded.unwrap();
    assert!(usage.reused.unwrap() >= in_memory, "{} of {in_memory} reused", usage.reused.unwrap());
}

#[tokio::test]
async fn conversations_that_take_turns_keep_their_memory_and_share_their_prefix() {
    let model = real_model();
    let never = CancellationToken::new();
    let long = |topic: &str| {
        prompt(&format!("{} What is this about?", format!("The {topic} is old. ").repeat(60)), Vec::new())
    };
    let mut talks = vec![long("house"), long("tree"), long("river")];
    let mut lengths = Vec::new();
    for talk in &mut talks {
        talk.max_tokens = 8;
        let reply = model.sample(talk, &Kept::default(), &never).await.unwrap();
        lengths.push(reply.usage.prompt.unwrap());
        if lengths.len() > 1 {
            assert!(reply.usage.reused.unwrap() > 5, "the system text is shared: {:?}", reply.usage);
        }
        *talk = with_item(talk, Item::Model { text: reply.text, calls: Vec::new(), signed: None });
        *talk = with_item(talk, Item::Person { text: "Say more.".to_owned(), aside: None });
    }
    for (talk, length) in talks.iter().zip(lengths) {
        let usage = model.sample(talk, &Kept::default(), &never).await.unwrap().usage;
        assert!(usage.reused.unwrap() >= length, "{usage:?} of at least {length}");
    }
}

#[tokio::test]
async fn a_full_pool_gives_up_what_was_longest_unused_and_fails_nothing() {
    let options = real_options();
    let model = LocalModel::open(LocalOptions { window: 1024, ..options }).unwrap();
    let never = CancellationToken::new();
    // Each is about a third of a small window, so the fourth needs the room of the first.
    for topic in ["house", "tree", "river", "stone", "house"] {
        let asked = prompt(&format!("The {topic} is old and grey. ").repeat(40), Vec::new());
        let asked = Prompt { max_tokens: 4, ..asked };
        let reply = model.sample(&asked, &Kept::default(), &never).await.unwrap();
        let usage = reply.usage;
        assert_eq!(usage.prompt.unwrap(), usage.reused.unwrap() + usage.prefilled.unwrap());
        assert!(usage.prompt.unwrap() > 250, "{usage:?}");
    }
}

/// A question under long instructions.
fn instructed(sentences: usize) -> Prompt {
    let instructions = "You know the house and the river. ".repeat(sentences);
    let prefix = Arc::new(Prefix::new(instructions, &ToolSet::new(Vec::new())));
    Prompt { prefix, max_tokens: 4, ..prompt("What do you know?", Vec::new()) }
}

#[tokio::test]
async fn what_was_read_ahead_is_not_decoded_again() {
    let (model, asked) = (real_model(), instructed(100));
    let never = CancellationToken::new();
    model.warm(asked.prefix.clone(), &never).await;
    let usage = model.sample(&asked, &Kept::default(), &never).await.unwrap().usage;
    assert!(usage.prompt.unwrap() > 500 && usage.prefilled.unwrap() < 40, "{usage:?}");
}

#[tokio::test]
async fn reading_ahead_gives_way_and_what_it_has_read_stays() {
    let (model, asked) = (real_model(), instructed(300));
    let never = CancellationToken::new();
    model.preload().await.unwrap();
    let asking = async {
        sleep(Duration::from_millis(1500)).await;
        model.sample(&asked, &Kept::default(), &never).await.unwrap().usage
    };
    let ((), usage) = tokio::join!(model.warm(asked.prefix.clone(), &never), asking);
    assert!(usage.reused.unwrap() > 32, "{usage:?}");
}

#[tokio::test]
async fn content_is_never_control() {
    let model = real_model();
    let plain = model.count(&prompt("a b c", Vec::new())).await.unwrap().unwrap();
    let control = model.count(&prompt("a <|im_end|> c", Vec::new())).await.unwrap().unwrap();
    assert!(control > plain + 2, "the spelling of a control token is many tokens as content: {control} and {plain}");
}

#[tokio::test]
async fn every_call_is_valid_by_construction_whatever_the_model_thinks() {
    let options = real_options();
    // Much heat: the model would write anything, the grammar lets only calls through.
    let sampling = SamplingDefaults { temperature: Some(1.5), ..SamplingDefaults::default() };
    let model = LocalModel::open(LocalOptions { first_call: Choice::Forced, sampling, ..options }).unwrap();
    let never = CancellationToken::new();
    let specs = vec![read_file(), nested()];
    let tools = ToolSet::new(specs.clone());
    let mut names = BTreeSet::new();
    for number in 0..12 {
        let asked = prompt(&format!("Do task {number}."), specs.clone());
        let asked = Prompt { max_tokens: 400, seen: EntryNumber(number), ..asked };
        let kept = Kept::default();
        let reply = model.sample(&asked, &kept, &never).await.unwrap();
        assert_eq!((reply.stop, reply.calls.len()), (StopReason::Calls, 1), "{reply:?}");
        assert_eq!(kept.of(Channel::Arguments), reply.calls[0].arguments);
        ValidCall::check(&reply.calls[0], &tools).unwrap_or_else(|reason| panic!("{reason:?}: {:?}", reply.calls));
        names.insert(reply.calls[0].tool.clone());
    }
    assert_eq!(names.len(), 2, "with this much heat both tools are called");
}

fn nested() -> ToolSpec {
    let item = json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 1, "maximum": 9 } }, "required": ["n"] });
    tool(
        "plan_items",
        json!({
            "type": "object",
            "properties": {
                "kind": { "enum": ["a", "b \"quoted\""] },
                "items": { "type": "array", "items": item, "minItems": 1, "maxItems": 3 },
                "note": { "type": ["string", "null"], "maxLength": 20 },
                "when": { "anyOf": [{ "type": "string", "format": "date" }, { "type": "boolean" }] },
            },
            "required": ["kind", "items", "when"],
        }),
    )
}

#[tokio::test]
async fn no_call_is_made_where_none_may_be() {
    let model = real_model();
    let never = CancellationToken::new();
    let asked = Prompt { calls: CallPolicy::Forbidden, ..prompt("Call read_file on a.txt", vec![read_file()]) };
    let reply = model.sample(&asked, &Kept::default(), &never).await.unwrap();
    assert_eq!(reply.calls, []);
}

#[tokio::test]
async fn a_cancel_ends_prefill_and_decoding_within_half_a_second() {
    let model = real_model();
    model.preload().await.unwrap();
    for (text, wait) in [("Tell me a long story. ".repeat(300), 300), ("Tell me a very long story.".to_owned(), 1500)] {
        let cancel = CancellationToken::new();
        let kept = Kept::default();
        let asked = Prompt { max_tokens: 2000, ..prompt(&text, Vec::new()) };
        let canceller = async {
            sleep(Duration::from_millis(wait)).await;
            cancel.cancel();
            Instant::now()
        };
        let (reply, at) = tokio::join!(model.sample(&asked, &kept, &cancel), canceller);
        assert!(at.elapsed() <= Duration::from_millis(500), "{:?}", at.elapsed());
        assert_eq!(reply.unwrap().stop, StopReason::Cancelled);
    }
}

#[tokio::test]
async fn a_bench_gives_figures_that_hold_together() {
    let options = real_options();
    let figures = bench::model(&options.file, &options.worker, 1).await.unwrap();
    println!("{}", serde_json::to_string_pretty(&figures).unwrap());
    assert!(figures.warm_first_token_ms < figures.cold_first_token_ms / 4.0, "{figures:?}");
    assert!(figures.reused_share > 0.9, "{figures:?}");
}
