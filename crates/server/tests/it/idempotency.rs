//! The same request twice has one effect (U7).

use std::sync::Arc;

use domain::approval::Decision;
use domain::digest::Digest;
use domain::id::ApprovalId;
use harness::act;
use serde_json::{Value, json};
use testkit::model::Line;

use crate::world::{Hurried, World, conversation, entries, say, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_equal_messages_at_once_are_one_entry_and_equal_answers() {
    // Rates are for people: 120 such requests a minute.
    let world = World::under(Arc::new(Hurried::default()), [Line::text("Hello.")]).await;
    let (_world, anna) = world.and_anna().await;
    let id = conversation(&anna, "conversation-1").await;
    let tries = (0..200).map(|_| {
        let (anna, id) = (anna.clone(), id.clone());
        tokio::spawn(async move { say(&anna, &id, "message-1", "hello").await })
    });
    let answers = futures::future::join_all(tries.collect::<Vec<_>>()).await;
    let bodies: Vec<Value> = answers
        .into_iter()
        .map(|answer| answer.unwrap())
        .map(|answer| {
            assert_eq!(answer.status, 201, "{}", answer.json());
            answer.json()
        })
        .collect();
    assert_eq!(bodies.len(), 200);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    until(&anna, &id, "ended").await;
    let said = entries(&anna, &id).await.iter().filter(|entry| entry["kind"] == "said").count();
    assert_eq!(said, 1);
    let other = say(&anna, &id, "message-1", "another").await;
    assert_eq!((other.status, other.code().as_str()), (422, "key_reused"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn equal_creations_at_once_make_one_conversation() {
    let (_world, anna) = World::with_anna([]).await;
    let tries = (0..50).map(|_| {
        let anna = anna.clone();
        tokio::spawn(async move {
            anna.post("/api/v1/conversations", "conversation-1", &json!({ "title": "Tea" })).await.unwrap()
        })
    });
    let answers = futures::future::join_all(tries.collect::<Vec<_>>()).await;
    let answers: Vec<_> = answers.into_iter().map(|answer| answer.unwrap()).collect();
    assert!(answers.iter().all(|answer| answer.status == 201 && answer.body == answers[0].body));
    let replayed = answers.iter().filter(|answer| answer.header("idempotent-replayed") == Some("true")).count();
    assert_eq!(replayed, answers.len() - 1);
    let list = anna.get("/api/v1/conversations").await.unwrap().json();
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    let other = anna.post("/api/v1/conversations", "conversation-1", &json!({ "title": "Coffee" })).await.unwrap();
    assert_eq!((other.status, other.code().as_str()), (422, "key_reused"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_still_counts_after_a_restart() {
    let (world, anna) = World::with_anna([]).await;
    let first = anna.post("/api/v1/conversations", "conversation-1", &json!({ "title": "Tea" })).await.unwrap();
    let world = world.restart().await;
    let anna = world.signed_in().await;
    let again = anna.post("/api/v1/conversations", "conversation-1", &json!({ "title": "Tea" })).await.unwrap();
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_without_a_proper_key_is_refused() {
    let (_world, anna) = World::with_anna([]).await;
    for key in ["", "short", "with blank in it", &"x".repeat(65)] {
        let answer = anna.post("/api/v1/conversations", key, &json!({})).await.unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (422, "key_missing"), "{key:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_binds_its_key_and_takes_none_of_a_message() {
    let (_world, anna) = World::with_anna([Line::text("Hello."), Line::text("Hello.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "hello").await;
    until(&anna, &id, "ended").await;
    let path = format!("/api/v1/conversations/{id}/stop");
    let press = async |key: &str, turn: &str| {
        let answer = anna.post(&path, key, &json!({ "turn": turn })).await.unwrap();
        (answer.status, answer.code(), answer.header("idempotent-replayed").is_some())
    };
    assert_eq!(press("message-1", "message-1").await, (422, "key_reused".to_owned(), false));
    assert_eq!(press("stopping-1", "message-1").await, (202, String::new(), false));
    assert_eq!(press("stopping-1", "message-1").await, (202, String::new(), true));
    assert_eq!(press("stopping-1", "message-2").await, (422, "key_reused".to_owned(), false));
    let said = say(&anna, &id, "stopping-1", "hello").await;
    assert_eq!((said.status, said.code().as_str()), (422, "key_reused"));
}

/// The server is cut off after the answer was recorded and before its key was: what the person did is not held against
/// them.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_recorded_before_a_crash_is_told_again_and_not_refused() {
    let write = json!({ "path": "~/plan.md", "content": "tea" }).to_string();
    let (world, anna) =
        World::with_anna([Line::calls("", &[("file_write", &write)]), Line::text("Done."), Line::text("Done.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "hello").await;
    until(&anna, &id, "asked").await;
    let card = anna.get("/api/v1/inbox").await.unwrap().json()["items"][0].clone();
    let item = card["id"].as_str().unwrap();
    let form = json!({ "digest": card["approval"]["digest"], "decision": "approve" });
    let entry = {
        let room = world.room().await;
        let request = Digest::of_bytes(form.to_string().as_bytes()).bytes();
        room.vault.begin("answer-01".to_owned(), format!("answer {item}"), request, world.app.now()).await.unwrap();
        let digest = Digest::from_hex(card["approval"]["digest"].as_str().unwrap()).unwrap();
        let (approval, key) = (ApprovalId::new(item), Some("answer-01"));
        act::answer(room.desk(), &approval, digest, Decision::Approve, "web", key).await.unwrap().1
    };
    let world = world.restart().await;
    let anna = world.signed_in().await;
    let path = format!("/api/v1/inbox/{item}/answer");
    let again = anna.post(&path, "answer-01", &form).await.unwrap();
    assert_eq!((again.status, again.json()), (200, json!({ "entry": entry.0, "conversation": id })));
    let other = anna.post(&path, "answer-02", &form).await.unwrap();
    assert_eq!((other.status, other.code().as_str()), (409, "already_answered"));
    until(&anna, &id, "ended").await;
    let answered = entries(&anna, &id).await.iter().filter(|entry| entry["kind"] == "answered").count();
    assert_eq!(answered, 1);
}
