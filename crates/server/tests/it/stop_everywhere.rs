//! Stop reaches everything, soon (A11): a sample before and in the middle of its reply, a program, a card.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::client::Client;
use testkit::model::Line;

use crate::world::{World, conversation, entries, say, until};

async fn stop(client: &Client, id: &str, turn: &str) -> u16 {
    let path = format!("/api/v1/conversations/{id}/stop");
    let key = format!("stop-{turn}-{}", Instant::now().elapsed().as_nanos());
    client.post(&path, &key, &json!({ "turn": turn })).await.unwrap().status
}

/// Says something, waits for `kind`, stops, and returns how long the end took and what was recorded.
async fn stopped_at(client: &Client, kind: &str) -> (Duration, Vec<Value>) {
    let id = conversation(client, &format!("conversation-{kind}")).await;
    assert_eq!(say(client, &id, "message-1", "go").await.status, 201);
    until(client, &id, kind).await;
    let began = Instant::now();
    assert_eq!(stop(client, &id, "message-1").await, 202);
    until(client, &id, "ended").await;
    (began.elapsed(), entries(client, &id).await)
}

fn last<'a>(entries: &'a [Value], kind: &str) -> &'a Value {
    entries.iter().rev().find(|entry| entry["kind"] == kind).unwrap_or(&Value::Null)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_streams_ends_within_a_second_and_its_part_is_kept() {
    let tries = if std::env::var_os("RIAD_SLOW").is_some() { 100 } else { 10 };
    let lines = (0..tries).map(|_| Line::Streams("The beginning of".to_owned()));
    let (world, anna) = World::with_anna(lines.collect::<Vec<_>>()).await;
    let mut slowest = Duration::ZERO;
    for n in 0..tries {
        let id = conversation(&anna, &format!("conversation-{n}")).await;
        say(&anna, &id, "message-1", "go").await;
        while world.model.said() <= n {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        // From the very beginning of the sample to well into it.
        tokio::time::sleep(Duration::from_millis(n as u64 % 5 * 10)).await;
        let began = Instant::now();
        assert_eq!(stop(&anna, &id, "message-1").await, 202);
        until(&anna, &id, "ended").await;
        slowest = slowest.max(began.elapsed());
        let recorded = entries(&anna, &id).await;
        assert_eq!(last(&recorded, "ended")["outcome"], "stopped");
        assert!(recorded.iter().any(|entry| entry["text"] == "The beginning of"), "{recorded:?}");
    }
    assert!(slowest <= Duration::from_secs(1), "{slowest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_ends_within_three_seconds_and_leaves_no_process() {
    let seconds = "517.25";
    let call = json!({ "argv": ["sleep", seconds] }).to_string();
    let (_world, anna) = World::with_anna([Line::calls("", &[("shell", &call)])]).await;
    let (took, recorded) = stopped_at(&anna, "started").await;
    assert!(took <= Duration::from_secs(3), "{took:?}");
    assert_eq!(last(&recorded, "ended")["outcome"], "stopped");
    assert_eq!(last(&recorded, "returned")["status"], "cancelled", "{recorded:?}");
    assert_eq!(processes_with(seconds), 0);
}

/// Living processes that have this among their arguments.
fn processes_with(argument: &str) -> usize {
    let names = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("cmdline"));
    let holds = |path: std::path::PathBuf| {
        let text = std::fs::read(path).unwrap_or_default();
        text.split(|byte| *byte == 0).any(|word| word == argument.as_bytes())
    };
    names.filter(|path| path.is_absolute()).filter(|path| holds(path.clone())).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_waits_is_withdrawn_and_cannot_be_answered() {
    let call = json!({ "path": "~/a.txt", "content": "a" }).to_string();
    let (world, anna) = World::with_anna([Line::calls("", &[("file_write", &call)])]).await;
    let (_, recorded) = stopped_at(&anna, "asked").await;
    let card = last(&recorded, "asked")["approval"].clone();
    assert_eq!(anna.get("/api/v1/inbox").await.unwrap().json(), json!({ "items": [] }));
    let path = format!("/api/v1/inbox/{}/answer", card["id"].as_str().unwrap());
    let answer = json!({ "digest": card["digest"], "decision": "approve" });
    let answered = anna.post(&path, "answer-01", &answer).await.unwrap();
    assert_eq!((answered.status, answered.code().as_str()), (410, "expired"));
    drop(world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_stop_or_one_for_another_turn_changes_nothing() {
    let (_world, anna) = World::with_anna([Line::text("Hello."), Line::text("Again.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "go").await;
    until(&anna, &id, "ended").await;
    let before = entries(&anna, &id).await;
    for turn in ["message-1", "message-2", "", "nothing"] {
        assert_eq!(stop(&anna, &id, turn).await, 202);
    }
    assert_eq!(entries(&anna, &id).await, before);
    say(&anna, &id, "message-2", "again").await;
    for _ in 0..500 {
        let recorded = entries(&anna, &id).await;
        if recorded.iter().filter(|entry| entry["kind"] == "ended").count() == 2 {
            assert_eq!(last(&recorded, "ended")["outcome"], "answered");
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the second turn never ended");
}
