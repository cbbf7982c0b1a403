//! A18: the tokens by segment that a round records add up to the tokens that were decoded for it, before a fold and after
//! it. Here a stand-in counts in a worker process (`tests/worker/counting.rs`): the way from the worker to the journal is
//! the real one, the tokenizer is not. With the feature `real-model` the same is asked of a real model.

#[cfg(feature = "real-model")]
mod real;
mod rows;

use domain::context::{Item, Prompt};
use domain::plan::Measure;
use harness::ports::Model as _;
use inference::local::LocalModel;
use testkit::counts::counted_talks;

use crate::support::{prompt, read_file};
use crate::talk::Talk;
use crate::worker_loss::scripted;
use rows::differences;

#[tokio::test]
async fn rows_add_up_to_what_was_decoded_before_and_after_a_fold() {
    let (mut before, mut after) = (0, 0);
    for number in 0..counted_talks() {
        let (_folder, _file, model) = scripted(&["counted counted-call counted counted-call counted-call"]);
        let talk = Talk::new(model, 2_100 + 37 * u32::try_from(number % 20).unwrap(), 24);
        for turn in 0..16 {
            talk.say(&format!("This is message {turn} of talk {number}. {}", "A word. ".repeat(30 + 9 * (turn % 4))))
                .await;
        }
        let seen = differences(&talk.entries());
        assert_eq!(seen.off, Vec::<String>::new(), "talk {number}");
        assert!(seen.summaries > 0, "talk {number}: no prompt with a summary was sent");
        (before, after) = (before + seen.before, after + seen.after);
    }
    println!("{before} prompts before a fold and {after} after one, each with a difference of 0");
    assert!(before > 20 && after > 20, "{before} prompts before a fold and {after} after one show little");
}

#[tokio::test]
async fn a_forced_fold_moves_tokens_between_rows_and_loses_none() {
    let (_folder, _file, model) = scripted(&["counted"]);
    let talk = Talk::new(model, 4_096, 24);
    for turn in 0..6 {
        talk.say(&format!("Message {turn}. {}", "More words. ".repeat(10))).await;
    }
    talk.compact().await;
    talk.say("And now?").await;
    let seen = differences(&talk.entries());
    assert_eq!((seen.off, seen.before, seen.after, seen.summaries), (Vec::new(), 6, 1, 1));
}

#[tokio::test]
async fn a_worker_whose_parts_do_not_add_up_is_believed_in_the_whole_alone() {
    let asked = prompt("Hello", vec![read_file()]);
    let (_folder, _file, honest) = scripted(&["counted"]);
    let (_other_folder, _other_file, liar) = scripted(&["counted miscounted"]);
    let (honest, liar) = (counts(&honest, &asked).await, counts(&liar, &asked).await);
    assert_eq!((honest.measure, honest.parts), (Measure::Exact, Measure::Exact));
    assert_eq!((liar.measure, liar.parts), (Measure::Exact, Measure::Estimated));
    assert_eq!(honest.total(), liar.total());
}

#[tokio::test]
async fn each_part_counts_what_the_prompt_grows_by() {
    let (_folder, _file, model) = scripted(&["counted"]);
    let short = prompt("Hello", vec![read_file()]);
    let mut long = short.clone();
    long.items.push(std::sync::Arc::new(Item::Person { text: "And more".to_owned(), aside: None }));
    let (short, long) = (counts(&model, &short).await, counts(&model, &long).await);
    assert_eq!((short.system, short.tools, &short.items[..]), (long.system, long.tools, &long.items[..1]));
    let grown = long.total() - long.around - (short.total() - short.around);
    assert_eq!((long.items.len(), long.items[1]), (2, grown));
}

async fn counts(model: &LocalModel, prompt: &Prompt) -> domain::plan::Counts {
    model.counts(prompt).await.unwrap().unwrap()
}
