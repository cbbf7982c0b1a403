//! The same with a real worker and the demo model: counts by the model's own template and tokenizer against what its
//! decoder says that it decoded.

use std::sync::Arc;

use domain::context::{Item, MadeCall, Prompt};
use domain::id::CallId;
use domain::plan::Measure;
use domain::tool::ToolName;
use harness::ports::Model as _;
use inference::local::{LocalModel, LocalOptions};
use inference::protocol::message::Choice;
use testkit::counts::real_counts;
use testkit::random::Random;
use tokio_util::sync::CancellationToken;

use super::rows::differences;
use crate::real_model::real_options;
use crate::support::{Kept, prompt, read_file};
use crate::talk::Talk;

#[tokio::test]
async fn rounds_of_a_real_model_add_up_before_and_after_folds() {
    let options = real_options();
    let talk = Talk::new(LocalModel::open(options).unwrap(), 2_048, 24);
    for turn in 0..7 {
        talk.say(&format!("Message {turn}. {}", "The river is old, and the house is older. ".repeat(20))).await;
    }
    talk.compact().await;
    talk.say("And what is oldest?").await;
    let seen = differences(&talk.entries());
    println!("{seen:?}");
    assert_eq!(seen.off, Vec::<String>::new());
    assert!(seen.before > 2 && seen.after > 0 && seen.summaries > 0, "{seen:?}");
}

/// Texts that tokenizers and templates trip over.
const TEXTS: [&str; 8] = [
    "What is the capital of France?",
    "Perché l'acqua è così fredda? — nessuno lo sa…",
    "السلام عليكم ورحمة الله",
    "日本の首都は東京です。👩‍👩‍👧‍👦🏳️‍🌈",
    "a <|im_end|>\n<|im_start|>system\nb <|endoftext|> c",
    "  two  blanks\t\tand tabs\n\n\n",
    "fn main() { println!(\"{:?}\", [1, 2, 3]); }",
    "0123456789 3.14159265358979 1e-9",
];

fn random_prompt(random: &mut Random) -> Prompt {
    let mut text = || TEXTS[random.below(TEXTS.len())].repeat(1 + random.below(3));
    let mut asked = prompt(&text(), vec![read_file()]);
    asked.max_tokens = 1;
    let mut items = vec![Item::Summary { text: text() }];
    items.extend(asked.items.iter().map(|item| (**item).clone()));
    for number in 0..3 {
        let call = CallId::new(format!("call_{number}_0"));
        let tool = ToolName::new("read_file");
        let arguments = serde_json::json!({ "path": text() }).to_string();
        let made = MadeCall { id: call.clone(), tool: tool.clone(), arguments };
        items.push(Item::Model { text: text(), calls: vec![made], signed: None });
        items.push(Item::Result { call, tool, text: text() });
        items.push(Item::Model { text: text(), calls: Vec::new(), signed: None });
        items.push(Item::Person { text: text(), aside: Some(text()) });
    }
    let from = random.below(2);
    let upto = from + 1 + 4 * random.below(4);
    asked.items = items.into_iter().take(upto.max(2)).skip(from).map(Arc::new).collect();
    asked
}

#[tokio::test]
async fn parts_of_any_prompt_add_up_to_what_is_decoded_and_what_is_in_memory_is_known() {
    let model = LocalModel::open(real_options()).unwrap();
    let mut random = Random::new(18);
    for number in 0..real_counts() {
        let asked = random_prompt(&mut random);
        let counts = model.counts(&asked).await.unwrap().unwrap();
        let usage = model.sample(&asked, &Kept::default(), &CancellationToken::new()).await.unwrap().usage;
        assert_eq!((counts.measure, counts.parts), (Measure::Exact, Measure::Exact), "prompt {number}");
        assert_eq!((Some(counts.total()), counts.cached), (usage.prompt, usage.reused), "prompt {number}: {asked:?}");
        assert_eq!(counts.items.len(), asked.items.len());
        assert!(counts.items.iter().all(|tokens| *tokens > 0), "prompt {number}: {counts:?}");
    }
}

#[tokio::test]
async fn a_part_counts_what_a_real_prompt_grows_by() {
    let model = LocalModel::open(real_options()).unwrap();
    let mut asked = prompt(TEXTS[0], vec![read_file()]);
    let mut before = model.counts(&asked).await.unwrap().unwrap();
    // Blanks behind the last word count for what follows.
    for text in TEXTS.map(str::trim_end) {
        asked.items.push(Arc::new(Item::Person { text: text.to_owned(), aside: None }));
        let counts = model.counts(&asked).await.unwrap().unwrap();
        let last = counts.items.len() - 1;
        assert_eq!(counts.items[..last], before.items, "what stands before does not change");
        assert_eq!(counts.items[last], counts.total() - before.total(), "{text}");
        before = counts;
    }
}

#[tokio::test]
async fn what_a_forced_call_begins_with_is_counted() {
    let options = LocalOptions { first_call: Choice::Forced, ..real_options() };
    let model = LocalModel::open(options).unwrap();
    let asked = Prompt { max_tokens: 200, ..prompt("Read a.txt", vec![read_file()]) };
    let counts = model.counts(&asked).await.unwrap().unwrap();
    let reply = model.sample(&asked, &Kept::default(), &CancellationToken::new()).await.unwrap();
    assert_eq!((reply.calls.len(), Some(counts.total())), (1, reply.usage.prompt));
}
