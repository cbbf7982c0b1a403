//! A20: scripts that go in circles end in at most seven rounds, with the right outcome.

use std::sync::Arc;
use std::time::Duration;

use domain::entry::Body;
use domain::limits::Limits;
use domain::outcome::Outcome;
use domain::time::Timestamp;
use harness::ports::Clock;
use testkit::model::Line;
use testkit::transcript::{Script, Stage, print};
use tokio::time::Instant;

use crate::scene::Scene;

/// A name, the calls of each reply, in rounds that are repeated for ever, and how the turn ends.
type Row = (&'static str, &'static [&'static str], Outcome);

const A: &str = r#"call read {"path":"a.txt"}"#;
const B: &str = r#"call read {"path":"b.txt"}"#;
const A_AND_B: &str = "call read {\"path\":\"a.txt\"}\n  call read {\"path\":\"b.txt\"}";
const RING_AND_A: &str = "call ring {\"for\":\"ada\"}\n  call read {\"path\":\"a.txt\"}";

const ROWS: &[Row] = &[
    ("identical reads", &[A], Outcome::LoopBroken),
    ("identical effects", &[r#"call ring {"for":"ada"}"#], Outcome::LoopBroken),
    ("identical failures", &["call fails {}"], Outcome::LoopBroken),
    ("a cycle of two", &[A, B], Outcome::LoopBroken),
    ("a cycle of four calls in two replies", &[A_AND_B, RING_AND_A], Outcome::LoopBroken),
    ("two calls in each reply", &[A_AND_B], Outcome::LoopBroken),
    (
        "failures that differ",
        &[r#"call read {"path":"1"}"#, r#"call read {"path":"2"}"#, r#"call read {"path":"3"}"#, "call fails {}"],
        Outcome::LoopBroken,
    ),
    ("a tool that is not there", &["call reed {}"], Outcome::LoopBroken),
    ("arguments that do not fit", &["call read {}"], Outcome::LoopBroken),
    ("cut calls", &[r#"cut call read {"path":"a"#], Outcome::LoopBroken),
    ("mute replies", &["mute"], Outcome::Mute),
    ("blank replies", &["withheld  \n"], Outcome::ModelUnavailable(Vec::new())),
];

#[tokio::test(start_paused = true)]
async fn loops_end_in_at_most_seven_rounds() {
    for (name, replies, expected) in ROWS {
        // In the last round no call may be made, and one is made all the same.
        let mut script = String::from("rule: allow ring\nuser: go\n");
        let (mut rounds, mut ended) = (0, None);
        while ended.is_none() && rounds < 10 {
            let reply = replies[rounds % replies.len()];
            script.push_str(&format!("model: {reply}\n"));
            rounds += 1;
            ended = outcome(&script).await;
        }
        let same = ended.as_ref().map(std::mem::discriminant) == Some(std::mem::discriminant(expected));
        assert!(rounds <= 7 && same, "{name}: {ended:?} after {rounds} rounds");
    }
}

/// How the script ends, or none if the model is asked once more.
async fn outcome(script: &str) -> Option<Outcome> {
    let script = Script::parse(script).expect("the script can be read");
    let mut stage = Stage::new();
    for (line, step) in &script.steps {
        stage.step(*line, step).await;
    }
    stage.look().await;
    stage.played().entries.into_iter().find_map(|entry| match entry.body {
        Body::Ended { outcome, .. } => Some(outcome),
        _ => None,
    })
}

#[tokio::test(start_paused = true)]
async fn the_last_reply_says_what_was_found() {
    let script = format!("user: go\n{}model: It is old.\n", format!("model: {A}\n").repeat(3));
    let played = Stage::play(&Script::parse(&script).expect("the script can be read"), None).await;
    let shown = print(&played);
    assert!(shown.contains("replied (no calls) \"It is old.\"") && shown.contains("went in circles"), "{shown}");
}

/// A clock that goes with the time of the tests.
struct Going(Instant);

impl Clock for Going {
    fn now(&self) -> Timestamp {
        Timestamp(1_796_061_600_000 + i64::try_from(self.0.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    fn new_id(&self) -> String {
        format!("{:026}", self.0.elapsed().as_nanos())
    }
}

async fn time_of_a_turn(line: Line, limits: Limits) -> (Duration, Vec<Outcome>) {
    let since = Instant::now();
    let lines = std::iter::repeat_n(line, 8);
    let scene = Scene::with_clock(lines, limits, Arc::new(Going(since)));
    scene.say("m1").await;
    while scene.sessions.is_driven(&scene.id) {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    (since.elapsed(), scene.outcomes())
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_turn_binds_a_model_that_never_ends() {
    let limits = Limits { active_ms: 1_800_000, ..Limits::default() };
    for line in [Line::Hangs, Line::Streams("Once upon".to_owned())] {
        let (took, outcomes) = time_of_a_turn(line, limits.clone()).await;
        assert_eq!(outcomes, [Outcome::TimeLimit]);
        // Half an hour, a minute for the last reply, and what both may take to end.
        assert!(took >= Duration::from_secs(1_860) && took <= Duration::from_secs(1_865), "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_turn_binds_a_run_and_a_wait() {
    let limits = Limits { active_ms: 20_000, ..Limits::default() };
    let (took, outcomes) = time_of_a_turn(Line::calls("", &[("stubborn", "{}")]), limits.clone()).await;
    assert_eq!(outcomes, [Outcome::TimeLimit]);
    assert!(took <= Duration::from_secs(25), "{took:?}");
    let busy = Line::Faults(domain::model::SampleFault::BusyFor(59_000));
    let (took, outcomes) = time_of_a_turn(busy, limits).await;
    assert_eq!(outcomes, [Outcome::TimeLimit]);
    assert!(took <= Duration::from_secs(20 + 60 + 5), "{took:?}");
}
