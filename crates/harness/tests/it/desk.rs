//! The desk that drives conversations, where something goes wrong beside the turn itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::call::ToolCall;
use domain::entry::Body;
use domain::id::CallId;
use domain::outcome::Outcome;
use testkit::model::Line;

use crate::on_load::OnLoad;
use crate::scene::Scene;

#[tokio::test(start_paused = true)]
async fn a_conversation_whose_driver_panicked_can_be_driven_again() {
    let scene = Scene::over([Line::text("Hello.")], |journal| {
        let looked = Arc::new(AtomicBool::new(false));
        OnLoad::new(journal, move || {
            let first = !looked.swap(true, Ordering::SeqCst);
            async move { assert!(!first, "the journal was told to panic") }
        })
    });
    scene.say("m1").await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(!scene.sessions.is_driven(&scene.id), "nobody drives it");
    scene.sessions.wake(&scene.id);
    scene.rest().await;
    assert_eq!(scene.outcomes(), [Outcome::Answered]);
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_fails_once_ends_the_turn_and_the_person_reads_why() {
    let scene = Scene::new([Line::text("Hello.")]);
    scene.say("m1").await;
    scene.journal.fail(1);
    scene.rest().await;
    let outcomes = scene.outcomes();
    assert!(matches!(&outcomes[..], [Outcome::Failed(why)] if why.contains("could not be stored")), "{outcomes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_keeps_failing_is_tried_again_when_the_conversation_is_woken() {
    let scene = Scene::new([Line::text("Hello."), Line::text("Hello again.")]);
    scene.say("m1").await;
    scene.journal.fail(2);
    scene.rest().await;
    assert_eq!(scene.outcomes(), []);
    scene.sessions.wake(&scene.id);
    scene.rest().await;
    assert_eq!(scene.outcomes(), [Outcome::Answered]);
}

#[tokio::test(start_paused = true)]
async fn call_ids_that_are_missing_or_repeated_are_replaced() {
    let with_ids = |ids: &[&str]| {
        let Line::Says(mut reply) = Line::calls("", &vec![("read", r#"{"path":"a.txt"}"#); ids.len()]) else {
            panic!("it is a reply");
        };
        for (call, id) in reply.calls.iter_mut().zip(ids) {
            *call = ToolCall { id: CallId::new(*id), ..call.clone() };
        }
        Line::Says(reply)
    };
    let scene = Scene::new([with_ids(&["call_0", "call_0", " "]), with_ids(&["call_0", "fresh"]), Line::text("Read.")]);
    scene.say("m1").await;
    scene.rest().await;
    let entries = scene.journal.entries(&scene.id);
    let calls: Vec<&ToolCall> = entries
        .iter()
        .filter_map(|entry| match &entry.body {
            Body::Replied(reply) => Some(&reply.sampled.calls),
            _ => None,
        })
        .flatten()
        .collect();
    let ids: std::collections::HashSet<_> = calls.iter().map(|call| call.id.clone()).collect();
    assert_eq!(ids.len(), 5, "each call has an id of its own: {calls:?}");
    let wires: Vec<_> = calls.iter().map(|call| call.wire_id.as_deref()).collect();
    assert_eq!(wires, [None, Some("call_0"), Some(" "), Some("call_0"), None], "what the wire used is kept");
    assert_eq!(scene.outcomes(), [Outcome::Answered]);
}
