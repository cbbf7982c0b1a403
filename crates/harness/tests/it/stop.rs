//! Stops, with the desk that drives conversations: how soon a turn ends, and what a half reply becomes.

use std::time::Duration;

use domain::approval::Decision;
use domain::entry::Body;
use domain::id::TurnId;
use domain::model::{SampleFault, Sampled, StopReason};
use domain::outcome::Outcome;
use harness::act;
use testkit::hook::Does;
use testkit::model::Line;

use crate::on_load::OnLoad;
use crate::scene::Scene;

/// How long what the loop reads is on its way to it.
const LATE: Duration = Duration::from_millis(20);

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_stream() {
    let scene = Scene::new([Line::Streams("Once upon".to_owned())]);
    scene.say("m1").await;
    scene.model.wanted().await;
    assert!(scene.stop("m1").await <= Duration::from_secs(1));
    assert_eq!(scene.outcomes(), [Outcome::Stopped]);
    assert!(scene.recorded().contains(&"replied (cancelled) \"Once upon\"".to_owned()), "{:?}", scene.recorded());
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_sample_that_does_not_listen() {
    let scene = Scene::new([Line::Hangs]);
    scene.say("m1").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(scene.stop("m1").await <= Duration::from_secs(1));
    assert_eq!(scene.outcomes(), [Outcome::Stopped]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_wait_before_the_next_try() {
    let scene = Scene::new([Line::Faults(SampleFault::Busy), Line::Faults(SampleFault::Busy)]);
    scene.say("m1").await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(scene.model.said(), 2, "the second wait has begun");
    assert!(scene.stop("m1").await <= Duration::from_secs(1));
    assert_eq!(scene.outcomes(), [Outcome::Stopped]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_run() {
    let scene = Scene::new([Line::calls("", &[("slow", "{}")])]);
    scene.say("m1").await;
    scene.runs().await;
    assert!(scene.stop("m1").await <= Duration::from_secs(1));
    assert_eq!(scene.outcomes(), [Outcome::Stopped]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_run_that_does_not_listen() {
    let scene = Scene::new([Line::calls("", &[("stubborn", "{}")])]);
    scene.say("m1").await;
    scene.runs().await;
    assert!(scene.stop("m1").await <= Duration::from_millis(3100));
    assert_eq!(scene.outcomes(), [Outcome::Stopped]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_hook_that_hangs() {
    let scene = Scene::new([Line::calls("", &[("read", r#"{"path":"a.txt"}"#)])]);
    scene.hook.set(None, Does::Hang);
    scene.say("m1").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(scene.hook.seen().len(), 1, "the hook was asked");
    assert!(scene.stop("m1").await <= Duration::from_secs(1));
    assert_eq!(scene.outcomes(), [Outcome::Stopped]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_of_another_turn_stops_nothing() {
    let scene = Scene::new([Line::text("Hello."), Line::Streams("Once upon".to_owned())]);
    scene.say("m1").await;
    scene.rest().await;
    scene.say("m2").await;
    scene.model.wanted().await;
    let stopped = act::stop(scene.desk(), &scene.id, &TurnId::new("m1")).await.expect("it is asked");
    scene.sessions.stop(&scene.id, &TurnId::new("m1"));
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(!stopped && scene.sessions.is_driven(&scene.id), "{:?}", scene.recorded());
    assert!(scene.stop("m2").await <= Duration::from_secs(1));
    assert_eq!(scene.outcomes(), [Outcome::Answered, Outcome::Stopped]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_wakes_a_turn_that_rests() {
    let scene = Scene::new([Line::calls("", &[("write", r#"{"path":"a.txt","text":"new"}"#)])]);
    scene.say("m1").await;
    scene.rest().await;
    assert!(scene.stop("m1").await <= Duration::from_secs(1));
    assert_eq!(scene.outcomes(), [Outcome::Stopped]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_comes_while_the_loop_reads_what_was_said_is_not_lost() {
    let scene = Scene::over([Line::Streams("Once upon".to_owned())], |journal| {
        OnLoad::new(journal, || tokio::time::sleep(LATE))
    });
    scene.say("m1").await;
    tokio::time::sleep(LATE / 2).await;
    let ended = tokio::time::timeout(Duration::from_secs(60), scene.stop("m1")).await;
    assert!(ended.is_ok_and(|took| took <= Duration::from_secs(1)), "{:?}", scene.recorded());
    assert_eq!(scene.outcomes(), [Outcome::Stopped]);
}

#[tokio::test(start_paused = true)]
async fn a_half_reply_is_no_answer_when_the_desk_is_shut() {
    let scene = Scene::new([Line::Streams("Once upon".to_owned())]);
    scene.say("m1").await;
    scene.model.wanted().await;
    scene.sessions.shut().await;
    assert_eq!(scene.recorded(), ["said m1 \"go\""]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_nobody_cancelled_and_says_so_is_a_fault() {
    let cancelled = |text: &str| match Line::text(text) {
        Line::Says(reply) => Line::Says(Box::new(Sampled { stop: StopReason::Cancelled, ..*reply })),
        other => other,
    };
    for text in ["", "Once upon"] {
        let scene = Scene::new([cancelled(text)]);
        scene.say("m1").await;
        tokio::time::timeout(Duration::from_secs(60), scene.rest()).await.expect("it comes to rest");
        assert!(matches!(scene.outcomes().as_slice(), [Outcome::ModelUnavailable(_)]), "{:?}", scene.recorded());
    }
}

#[tokio::test(start_paused = true)]
async fn answers_and_messages_wake_the_desk() {
    let write = [("write", r#"{"path":"a.txt","text":"new"}"#)];
    let scene = Scene::new([Line::calls("", &write), Line::text("Done."), Line::text("And now?")]);
    scene.say("m1").await;
    scene.rest().await;
    let entries = scene.journal.entries(&scene.id);
    let asked = entries.iter().find_map(|entry| match &entry.body {
        Body::Asked(asked) => Some((asked.id.clone(), asked.digest)),
        _ => None,
    });
    let (id, digest) = asked.expect("it was asked");
    let answered =
        act::answer(scene.desk(), &id, digest, Decision::Approve, "test", None).await.expect("it is answered");
    assert_eq!(answered.0, scene.id);
    scene.sessions.wake(&scene.id);
    scene.rest().await;
    scene.say("m2").await;
    scene.rest().await;
    assert_eq!(scene.outcomes(), [Outcome::Answered, Outcome::Answered]);
    assert_eq!(scene.world.file("a.txt").as_deref(), Some("new"));
}
