//! A turn that is cut again and again is given up only where it gets no further.

use domain::entry::Body;
use domain::outcome::Outcome;
use testkit::transcript::{Script, Stage};

/// The outcome of a turn that reads one file and is cut at these places, one after the other.
async fn outcome_with_cuts(cuts: &[&str]) -> Option<Outcome> {
    let cuts: String = cuts.iter().map(|place| format!("crash {place}\nrestart\n")).collect();
    let text = format!("user: look\nmodel: call read {{\"path\":\"a.txt\"}}\n{cuts}model: It says old.\n");
    let script = Script::parse(&text).expect("the script can be read");
    let played = Stage::play(&script, None).await;
    played.entries.into_iter().find_map(|entry| match entry.body {
        Body::Ended { outcome, .. } => Some(outcome),
        _ => None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_gets_further_each_time_is_not_given_up() {
    let cuts = ["after replied", "after screened", "after started"];
    assert_eq!(outcome_with_cuts(&cuts).await, Some(Outcome::Answered));
    let cuts = ["after replied", "before screened", "after screened", "before returned", "after returned"];
    assert_eq!(outcome_with_cuts(&cuts).await, Some(Outcome::Answered));
}
