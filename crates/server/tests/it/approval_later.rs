//! An approval that is answered after a restart runs its call once; if its target has changed meanwhile, it is asked
//! again (B14). No age is an input of any of this: entries carry times, and no decision reads them.

use std::path::PathBuf;

use serde_json::{Value, json};
use server::client::{Answer, Client};
use testkit::model::Line;

use crate::world::{World, conversation, entries, say, until};

fn write_call() -> String {
    json!({ "path": "~/plan.md", "content": "tea\n" }).to_string()
}

async fn asked() -> (World, Client, String, Value) {
    let lines =
        [Line::calls("I write it.", &[("file_write", &write_call())]), Line::text("Done."), Line::text("Done.")];
    let (world, anna) = World::with_anna(lines).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "write the plan").await;
    until(&anna, &id, "asked").await;
    let item = anna.get("/api/v1/inbox").await.unwrap().json()["items"][0].clone();
    (world, anna, id, item)
}

async fn answer(client: &Client, item: &Value, key: &str, decision: &str) -> Answer {
    let path = format!("/api/v1/inbox/{}/answer", item["id"].as_str().unwrap());
    let form = json!({ "digest": item["approval"]["digest"], "decision": decision, "surface": "web" });
    client.post(&path, key, &form).await.unwrap()
}

fn home(world: &World) -> PathBuf {
    let mut homes = std::fs::read_dir(world.data().join("homes")).unwrap();
    homes.next().unwrap().unwrap().path()
}

#[tokio::test(flavor = "multi_thread")]
async fn answered_after_a_restart_it_runs_once() {
    let (world, _, id, item) = asked().await;
    assert!(!home(&world).join("plan.md").exists());
    let world = world.restart().await.restart().await;
    let anna = world.signed_in().await;
    let again = anna.get("/api/v1/inbox").await.unwrap().json()["items"][0].clone();
    assert_eq!(again, item, "the same item, before and after");
    assert_eq!(answer(&anna, &item, "answer-01", "approve").await.status, 200);
    until(&anna, &id, "ended").await;
    let text = std::fs::read_to_string(home(&world).join("plan.md")).unwrap();
    assert_eq!(text, "tea\n");
    let started = entries(&anna, &id).await.iter().filter(|entry| entry["kind"] == "started").count();
    assert_eq!(started, 1);
    let repeated = answer(&anna, &item, "answer-02", "refuse").await;
    assert_eq!((repeated.status, repeated.code().as_str()), (409, "already_answered"));
    assert_eq!((&repeated.json()["what"], &repeated.json()["who"]), (&json!("approve"), &json!("you")));
    let replayed = answer(&anna, &item, "answer-01", "approve").await;
    assert_eq!((replayed.status, replayed.header("idempotent-replayed")), (200, Some("true")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_changed_meanwhile_is_asked_about_again() {
    let (world, _, id, item) = asked().await;
    let world = world.restart().await;
    std::fs::write(home(&world).join("plan.md"), "somebody else's\n").unwrap();
    let anna = world.signed_in().await;
    assert_eq!(answer(&anna, &item, "answer-01", "approve").await.status, 200);
    until(&anna, &id, "ended").await;
    let text = std::fs::read_to_string(home(&world).join("plan.md")).unwrap();
    assert_eq!(text, "somebody else's\n", "what was approved was another file");
    let recorded = entries(&anna, &id).await;
    assert!(!recorded.iter().any(|entry| entry["kind"] == "returned" && entry["status"] == "done"), "{recorded:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_digest_another_item_and_no_decision_are_refused() {
    let (_world, anna, id, item) = asked().await;
    let mut forged = item.clone();
    forged["approval"]["digest"] = json!("0".repeat(64));
    let answered = answer(&anna, &forged, "answer-01", "approve").await;
    assert_eq!((answered.status, answered.code().as_str()), (409, "digest_differs"));
    let unknown = json!({ "id": "00000000000000000000000000000000", "approval": item["approval"] });
    assert_eq!(answer(&anna, &unknown, "answer-02", "approve").await.status, 404);
    let path = format!("/api/v1/inbox/{}/answer", item["id"].as_str().unwrap());
    let none = anna.post(&path, "answer-03", &json!({ "digest": item["approval"]["digest"] })).await.unwrap();
    assert_eq!(none.status, 422, "{}", none.json());
    assert_eq!(answer(&anna, &item, "answer-04", "refuse_and_stop").await.status, 200);
    until(&anna, &id, "ended").await;
}
