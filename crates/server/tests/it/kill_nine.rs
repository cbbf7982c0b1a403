//! Real `kill -9` at random instants: what was acknowledged is there, and nothing happened twice (A2).
//!
//! The effect that is counted is a program in the sandbox that puts a line behind a file, which doing it twice would
//! show. The model answers by what it reads last, so it says the same after every start.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use server::client::Client;
use testkit::random::Random;
use testkit::server::{Script, ScriptedOpenAi, ScriptedReply};

use crate::binary::Binary;
use crate::world::{conversation, entries, kind_of};

fn script(messages: usize) -> Script {
    let act = |n: usize| {
        let arguments = json!({ "argv": ["tee", "-a", "log.txt"], "dir": "work", "stdin": format!("line {n:03}\n") });
        ScriptedReply { when: Some(format!("do {n:03}.")), delay_ms: 3, ..ScriptedReply::call("shell", arguments) }
    };
    let mut replies: Vec<_> = (0..messages).map(act).collect();
    replies
        .push(ScriptedReply { delay_ms: 3, ..ScriptedReply::text("It is written down, one line behind the others.") });
    Script { replies, again: true }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn killed_anywhere_nothing_is_lost_and_nothing_happens_twice() {
    let kills = if std::env::var_os("RIAD_SLOW").is_some() { 100 } else { 10 };
    let messages = kills * 3;
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let model = ScriptedOpenAi::start(script(messages)).await.unwrap();
    let mut server = Binary::start(folder.path(), &model.base_url()).await;
    assert_eq!(server.set_up().await.status, 201);
    let mut anna = server.signed_in().await;
    let id = conversation(&anna, "conversation-1").await;

    let (mut acknowledged, mut random) = (0, Random::new(11));
    for _ in 0..kills {
        // Says what it can before the end comes, at any instant of it.
        let patience = Duration::from_millis(20 + random.below(700) as u64);
        let _ = tokio::time::timeout(patience, talk(&anna, &id, &mut acknowledged, messages)).await;
        server.kill_nine().await;
        server = Binary::start(folder.path(), &model.base_url()).await;
        anna = server.signed_in().await;
    }
    talk(&anna, &id, &mut acknowledged, messages).await;
    let recorded = at_rest(&anna, &id).await;
    check_messages(&recorded, messages);
    check_results(&recorded);
    check_lines(&server.data, &recorded, messages);
    assert_eq!(server.terminate().await, 0);
}

/// Says the messages that are not acknowledged yet, each when the turn before it is over.
async fn talk(anna: &Client, id: &str, acknowledged: &mut usize, messages: usize) {
    while *acknowledged < messages {
        let view = anna.get(&format!("/api/v1/conversations/{id}")).await.map(|answer| answer.json());
        if !view.is_ok_and(|view| view["activity"] == "quiet") {
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        }
        let (path, key) = (format!("/api/v1/conversations/{id}/messages"), format!("message-{acknowledged:03}"));
        let said = anna.post(&path, &key, &json!({ "text": format!("do {:03}.", *acknowledged) })).await;
        match said.map(|answer| answer.status) {
            Ok(201) => *acknowledged += 1,
            // Too many wait, or too many were sent in this minute.
            Ok(409 | 429) | Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            Ok(status) => panic!("{status}"),
        }
    }
}

/// All entries, once every turn has ended.
async fn at_rest(anna: &Client, id: &str) -> Vec<Value> {
    for _ in 0..600 {
        let view = anna.get(&format!("/api/v1/conversations/{id}")).await.unwrap().json();
        if view["activity"] == "quiet" {
            return entries(anna, id).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the conversation never came to rest: {:?}", entries(anna, id).await.last());
}

fn check_messages(recorded: &[Value], messages: usize) {
    let said: Vec<_> =
        recorded.iter().filter(|entry| entry["kind"] == "said").map(|entry| entry["text"].clone()).collect();
    let wanted: Vec<_> = (0..messages).map(|n| json!(format!("do {n:03}."))).collect();
    assert_eq!(said, wanted);
}

/// Every call has exactly one result.
fn check_results(recorded: &[Value]) {
    let mut results: HashMap<String, usize> = HashMap::new();
    for entry in recorded {
        for call in entry["calls"].as_array().into_iter().flatten() {
            results.entry(call["id"].as_str().unwrap().to_owned()).or_default();
        }
        if ["returned", "rejected"].contains(&kind_of(entry).as_str()) {
            *results.entry(entry["call"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    assert!(results.values().all(|count| *count == 1), "{results:?}");
}

/// No line stands twice, and every call that says it is done has its line.
fn check_lines(data: &Path, recorded: &[Value], messages: usize) {
    let log = find(&data.join("works"), "log.txt").expect("the log is there");
    let text = std::fs::read_to_string(log).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    let written = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), written, "a line stands twice");
    let done = recorded.iter().filter(|entry| entry["kind"] == "returned" && entry["status"] == "done").count();
    let cut = recorded.iter().filter(|entry| entry["kind"] == "returned" && entry["status"] == "interrupted").count();
    assert!(done <= written && written <= done + cut, "{done} done, {cut} cut, {written} lines");
    assert!(
        done * 10 >= messages * 3,
        "of {messages} only {done} were done: the test killed too early to mean anything"
    );
}

fn find(folder: &Path, name: &str) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.into_iter().find_map(|path| match path.is_dir() {
        true => find(&path, name),
        false => (path.file_name()? == name).then_some(path),
    })
}
