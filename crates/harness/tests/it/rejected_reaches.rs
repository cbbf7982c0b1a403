//! A8: each fault of a frame reaches the model as one result of its call, and no turn ends as mute because of it.

use domain::call::Rejection;
use domain::context::Item;
use domain::entry::Body;
use domain::outcome::Outcome;
use testkit::transcript::{Played, Script, Stage};

/// A name, what the model writes, and whether the rejection is the right one.
type Row = (&'static str, String, fn(&Rejection) -> bool);

async fn play(script: &str) -> Played {
    Stage::play(&Script::parse(script).expect("the script can be read"), None).await
}

#[tokio::test(start_paused = true)]
async fn each_fault_of_a_frame_reaches_the_model() {
    let large = format!(r#"{{"path":"{}"}}"#, "x".repeat(1024 * 1024));
    let rows: Vec<Row> = vec![
        (
            "unknown tool",
            r#"call reed {"path":"a"}"#.into(),
            |r| matches!(r, Rejection::UnknownTool(n) if n.len() == 3),
        ),
        ("no name", r#"call  {"path":"a"}"#.into(), |r| matches!(r, Rejection::UnknownTool(_))),
        ("missing argument", "call read {}".into(), bad_arguments),
        ("wrong type", r#"call read {"path":[]}"#.into(), bad_arguments),
        ("unknown argument", r#"call read {"path":"a","mode":"b"}"#.into(), bad_arguments),
        ("no object", "call read 7".into(), bad_arguments),
        ("no arguments", "call read".into(), bad_arguments),
        ("no JSON", "call read path=a".into(), bad_arguments),
        ("two values", r#"call read {"path":"a"} {"path":"b"}"#.into(), bad_arguments),
        ("open text", r#"call read {"path":"a"#.into(), incomplete),
        ("open object", r#"call read {"path":"a","#.into(), incomplete),
        ("cut stream", r#"cut call read {"path":"a"#.into(), incomplete),
        ("cut stream, though complete", r#"cut call read {"path":"a"}"#.into(), incomplete),
        ("too large", format!("call read {large}"), |r| matches!(r, Rejection::TooLarge)),
    ];
    for (name, call, fits) in rows {
        let played = play(&format!("user: go\nmodel: {call}\nmodel: I see.\n")).await;
        let rejections = rejections(&played);
        assert!(
            matches!(rejections.as_slice(), [(call, reason)] if call == "c1" && fits(reason)),
            "{name}: {rejections:?}"
        );
        assert_eq!(results(&played, 1), 1, "{name}: the next prompt holds one result");
        assert_eq!(outcome(&played), Some(Outcome::Answered), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_seventeenth_call_reaches_the_model() {
    let played = play("user: go\nmodel: 19 calls read {\"path\":\"a.txt\"}\nmodel: I see.\n").await;
    assert_eq!(rejections(&played).len(), 3);
    assert_eq!(results(&played, 1), 19, "each of them has a result");
    assert_eq!(outcome(&played), Some(Outcome::Answered));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_forbidden_reaches_the_model() {
    let script = "limit: rounds 1\nuser: go\nmodel: call read {\"path\":\"a.txt\"}\nmodel: call read {\"path\":\"a.txt\"}\n\
                  user: again\nmodel: I see.\n";
    let played = play(script).await;
    assert!(matches!(rejections(&played).as_slice(), [(call, Rejection::Forbidden)] if call == "c2"));
    assert_eq!(results(&played, 2), 2, "the prompt of the next turn holds both results");
}

#[tokio::test(start_paused = true)]
async fn three_faults_in_a_row_are_not_mute() {
    let played =
        play("user: go\nmodel: call reed\nmodel: call reed\nmodel: call reed\nmodel: call reed\nmodel: I see.\n").await;
    assert_eq!(rejections(&played).len(), 4);
    assert_eq!(outcome(&played), Some(Outcome::Answered));
}

fn bad_arguments(reason: &Rejection) -> bool {
    matches!(reason, Rejection::BadArguments { reason, schema, .. } if !reason.is_empty() && schema.contains("path"))
}

fn incomplete(reason: &Rejection) -> bool {
    matches!(reason, Rejection::Incomplete(missing) if !missing.is_empty())
}

fn rejections(played: &Played) -> Vec<(String, Rejection)> {
    let rejected = played.entries.iter().filter_map(|entry| match &entry.body {
        Body::Rejected { call, reason } => Some((call.to_string(), reason.clone())),
        _ => None,
    });
    rejected.collect()
}

/// Results in the prompt of that place, each behind the call it belongs to.
fn results(played: &Played, prompt: usize) -> usize {
    played.prompts[prompt].items.iter().filter(|item| matches!(***item, Item::Result { .. })).count()
}

fn outcome(played: &Played) -> Option<Outcome> {
    played.entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Ended { outcome, .. } => Some(outcome.clone()),
        _ => None,
    })
}
