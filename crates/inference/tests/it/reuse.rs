//! A10, with a real worker and the demo model (`./scripts/test --slow reuse`): what was read once is not read again after a
//! stop, and an edit costs what stands behind it. All figures are the decoder's own.

use domain::model::Usage;
use inference::local::LocalModel;
use testkit::counts::reuses;

use crate::real_model::real_options;
use crate::talk::Talk;

/// What the row allows beyond new tokens.
const ALLOWED: u32 = 512;

/// Prompt, reused, prefilled and decoded tokens.
fn tokens(usage: &Usage) -> [u32; 4] {
    [usage.prompt, usage.reused, usage.prefilled, usage.decoded].map(|tokens| tokens.expect("a local model tells all"))
}

fn words(topic: &str) -> String {
    format!("The {topic} is old and grey, and nobody knows who made it. ").repeat(18)
}

#[tokio::test]
async fn after_a_stop_the_next_turn_reads_only_what_is_new() {
    let talk = Talk::new(LocalModel::open(real_options()).unwrap(), 8_192, 300);
    let mut stopped = usize::from(talk.say_and_stop(&format!("{} Tell me a long story.", words("house")), 1).await);
    for round in 0..reuses() {
        let [prompt_before, .., decoded_before] = tokens(&talk.last_usage());
        let text = format!("Go on, this is part {round} of the story. {}", words("tree"));
        stopped += usize::from(talk.say_and_stop(&text, 1 + 2 * (round % 2)).await);
        let [prompt, reused, prefilled, _] = tokens(&talk.last_usage());
        let new = prompt - prompt_before - decoded_before.min(prompt - prompt_before);
        println!("stop {round}: {prompt} tokens, {new} of them new, {reused} reused, {prefilled} read");
        assert_eq!(prompt, reused + prefilled);
        assert!(prefilled <= new + ALLOWED, "{prefilled} tokens were read for {new} new ones");
        assert!(reused >= prompt_before, "{reused} of {prompt_before} tokens were reused");
    }
    assert!(stopped * 2 > reuses(), "only {stopped} turns ran long enough to be stopped");
}

#[tokio::test]
async fn an_edit_reads_from_the_fork_only() {
    let talk = Talk::new(LocalModel::open(real_options()).unwrap(), 8_192, 8);
    let mut said = Vec::new();
    for topic in ["house", "tree", "river", "stone"] {
        let before = said.last().map_or(0, |(_, prompt)| *prompt);
        let id = talk.say(&words(topic)).await;
        let [prompt, ..] = tokens(&talk.last_usage());
        assert!(prompt > before);
        said.push((id, prompt));
    }
    // The prompt of the message before ends where the line forks, but for its reply.
    for (at, (id, _)) in said.iter().enumerate().skip(1).rev() {
        let before_fork = said[at - 1].1;
        talk.edit(id, &format!("Something else, number {at}. {}", words("bridge"))).await;
        let [prompt, reused, prefilled, _] = tokens(&talk.last_usage());
        println!(
            "edit of message {at}: {prompt} tokens, {before_fork} before the fork, {reused} reused, {prefilled} read"
        );
        assert!(reused >= before_fork, "{reused} of {before_fork} tokens before the fork were reused");
        assert!(
            prefilled <= prompt - before_fork,
            "{prefilled} tokens were read for {} behind the fork",
            prompt - before_fork
        );
    }
}
