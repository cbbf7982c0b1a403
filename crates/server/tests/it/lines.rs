//! Lines of a conversation over HTTP: a message written anew, a reply asked for again, a branch, and the way back
//! (LOOP-89, LOOP-90).

use serde_json::{Value, json};
use server::client::{Answer, Client};
use testkit::model::Line;

use crate::world::{World, conversation, entries, kind_of, say, until};

/// Waits until so many turns have ended.
async fn turns(client: &Client, id: &str, count: usize) {
    for _ in 0..500 {
        let ended = entries(client, id).await.iter().filter(|entry| entry["kind"] == "ended").count();
        if ended >= count {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{count} turns did not end: {:?}", entries(client, id).await);
}

async fn say_instead(client: &Client, id: &str, key: &str, text: &str, instead_of: &str) -> Answer {
    let path = format!("/api/v1/conversations/{id}/messages");
    client.post(&path, key, &json!({ "text": text, "instead_of": instead_of })).await.unwrap()
}

async fn branch(client: &Client, id: &str, key: &str, after: u64) -> Answer {
    client.post(&format!("/api/v1/conversations/{id}/lines"), key, &json!({ "after": after })).await.unwrap()
}

async fn switch(client: &Client, id: &str, key: &str, line: u64) -> Answer {
    client.post(&format!("/api/v1/conversations/{id}/line"), key, &json!({ "line": line })).await.unwrap()
}

async fn preview(client: &Client, id: &str, place: &str) -> Answer {
    client.get(&format!("/api/v1/conversations/{id}/lines/preview?{place}")).await.unwrap()
}

async fn lines(client: &Client, id: &str) -> Value {
    client.get(&format!("/api/v1/conversations/{id}/lines")).await.unwrap().json()
}

/// What was said on a line, in order: the texts of persons and models.
async fn told(client: &Client, id: &str, line: u64) -> Vec<String> {
    let found = lines(client, id).await;
    let line = found["lines"].as_array().unwrap().iter().find(|each| each["line"] == line).unwrap().clone();
    let spans: Vec<(u64, u64)> = serde_json::from_value(line["spans"].clone()).unwrap();
    let on_it = |entry: &Value| {
        let number = entry["number"].as_u64().unwrap();
        spans.iter().any(|(first, last)| *first <= number && number <= *last)
    };
    let entries = entries(client, id).await;
    let texts = entries.iter().filter(|entry| on_it(entry) && ["said", "replied"].contains(&&*kind_of(entry)));
    texts.map(|entry| entry["text"].as_str().unwrap().to_owned()).collect()
}

/// A conversation in which two questions were answered.
async fn two_turns(world: World) -> (World, Client, String) {
    let (world, anna) = world.and_anna().await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "one").await;
    turns(&anna, &id, 1).await;
    say(&anna, &id, "message-2", "two").await;
    turns(&anna, &id, 2).await;
    (world, anna, id)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_written_anew_starts_a_line_that_shares_what_was_before() {
    let replies = ["1", "2", "2b"].map(Line::text);
    let (world, anna, id) = two_turns(World::empty(replies).await).await;
    let taken = say_instead(&anna, &id, "message-3", "two, please", "message-2").await;
    assert_eq!(taken.status, 201, "{}", taken.json());
    turns(&anna, &id, 3).await;
    let found = lines(&anna, &id).await;
    let line = found["active"].as_u64().unwrap();
    assert_eq!(found["lines"].as_array().unwrap().len(), 2);
    assert_eq!(told(&anna, &id, line).await, ["one", "1", "two, please", "2b"]);
    assert_eq!(told(&anna, &id, 0).await, ["one", "1", "two", "2"]);
    let prompt = format!("{:?}", world.model.prompts().pop().unwrap());
    assert!(prompt.contains("two, please") && !prompt.contains("\"two\""), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_is_asked_for_again_with_the_same_text() {
    let replies = ["1", "2", "2b"].map(Line::text);
    let (_world, anna, id) = two_turns(World::empty(replies).await).await;
    assert_eq!(say_instead(&anna, &id, "message-3", "two", "message-2").await.status, 201);
    turns(&anna, &id, 3).await;
    let line = lines(&anna, &id).await["active"].as_u64().unwrap();
    assert_eq!(told(&anna, &id, line).await, ["one", "1", "two", "2b"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_message_twice_starts_one_line() {
    let replies = ["1", "2", "2b"].map(Line::text);
    let (_world, anna, id) = two_turns(World::empty(replies).await).await;
    let first = say_instead(&anna, &id, "message-3", "two, please", "message-2").await;
    let again = say_instead(&anna, &id, "message-3", "two, please", "message-2").await;
    assert_eq!((again.status, again.json()), (201, first.json()));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let other = say_instead(&anna, &id, "message-3", "something else", "message-2").await;
    assert_eq!((other.status, other.code().as_str()), (422, "key_reused"));
    turns(&anna, &id, 3).await;
    assert_eq!(lines(&anna, &id).await["lines"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_message_is_not_good_for_saying_it_in_the_place_of_another() {
    let replies = ["1", "2", "2b"].map(Line::text);
    let (_world, anna, id) = two_turns(World::empty(replies).await).await;
    let edited = say_instead(&anna, &id, "message-2", "two", "message-1").await;
    assert_eq!((edited.status, edited.code().as_str()), (422, "key_reused"), "{}", edited.json());
    assert_eq!(say_instead(&anna, &id, "message-3", "two, please", "message-2").await.status, 201);
    turns(&anna, &id, 3).await;
    let other = say_instead(&anna, &id, "message-3", "two, please", "message-1").await;
    assert_eq!((other.status, other.code().as_str()), (422, "key_reused"), "{}", other.json());
    assert_eq!(lines(&anna, &id).await["lines"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_goes_on_beside_what_was_said_and_the_way_back_survives_a_restart() {
    let replies = ["1", "2", "2b", "3"].map(Line::text);
    let (world, anna, id) = two_turns(World::empty(replies).await).await;
    let end_of_first =
        entries(&anna, &id).await.iter().find(|entry| entry["kind"] == "ended").unwrap()["number"].clone();
    let taken = branch(&anna, &id, "branching-1", end_of_first.as_u64().unwrap()).await;
    let again = branch(&anna, &id, "branching-1", end_of_first.as_u64().unwrap()).await;
    assert_eq!((taken.status, again.body == taken.body), (201, true), "{}", taken.json());
    let line = taken.json()["line"].as_u64().unwrap();
    assert_eq!(told(&anna, &id, line).await, ["one", "1"]);
    say(&anna, &id, "message-3", "another two").await;
    turns(&anna, &id, 3).await;

    let world = world.restart().await;
    let anna = world.signed_in().await;
    assert_eq!(lines(&anna, &id).await["active"], line);
    assert_eq!(switch(&anna, &id, "switching-1", 0).await.status, 200);
    say(&anna, &id, "message-4", "three").await;
    turns(&anna, &id, 4).await;
    assert_eq!(told(&anna, &id, 0).await, ["one", "1", "two", "2", "three", "3"]);
    assert_eq!(told(&anna, &id, line).await, ["one", "1", "another two", "2b"]);
    let export = |line: &str| {
        let (anna, path) = (anna.clone(), format!("/api/v1/conversations/{id}/export?{line}"));
        async move { String::from_utf8(anna.get(&path).await.unwrap().body).unwrap() }
    };
    let (active, other) = (export("").await, export(&format!("line={line}")).await);
    assert!(active.contains("three") && !active.contains("another two"), "{active}");
    assert!(other.contains("another two") && !other.contains("three"), "{other}");
    assert_eq!(anna.get(&format!("/api/v1/conversations/{id}/export?line=4711")).await.unwrap().status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_turn_runs_or_waits_no_line_starts_and_none_is_switched() {
    let write = json!({ "path": "~/plan.md", "content": "tea" }).to_string();
    let script = [Line::text("1"), Line::calls("", &[("file_write", &write)])];
    let (_world, anna) = World::with_anna(script).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "one").await;
    turns(&anna, &id, 1).await;
    say(&anna, &id, "message-2", "two").await;
    until(&anna, &id, "asked").await;
    for answer in [
        say_instead(&anna, &id, "message-3", "one, please", "message-1").await,
        branch(&anna, &id, "branching-1", 1).await,
        switch(&anna, &id, "switching-1", 0).await,
        preview(&anna, &id, "instead_of=message-1").await,
    ] {
        assert_eq!((answer.status, answer.code().as_str()), (409, "turn_running"));
    }
    assert_eq!(lines(&anna, &id).await["lines"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_is_shown_before_a_line_starts_and_told_on_it() {
    let write = json!({ "path": "~/plan.md", "content": "tea" }).to_string();
    let script = [Line::calls("", &[("file_write", &write)]), Line::text("Written."), Line::text("It stands already.")];
    let (world, anna) = World::with_anna(script).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "write a plan").await;
    until(&anna, &id, "asked").await;
    let card = anna.get("/api/v1/inbox").await.unwrap().json()["items"][0].clone();
    let path = format!("/api/v1/inbox/{}/answer", card["id"].as_str().unwrap());
    let form = json!({ "digest": card["approval"]["digest"], "decision": "approve" });
    assert_eq!(anna.post(&path, "answering-1", &form).await.unwrap().status, 200);
    turns(&anna, &id, 1).await;

    let shown = preview(&anna, &id, "instead_of=message-1").await.json();
    assert_eq!((&shown["after"], shown["effects"].as_array().unwrap().len()), (&json!(0), 1), "{shown}");
    assert!(shown["effects"][0]["target"].as_str().unwrap().contains("plan.md"), "{shown}");
    assert_eq!(say_instead(&anna, &id, "message-2", "write a shorter plan", "message-1").await.status, 201);
    turns(&anna, &id, 2).await;
    let prompt = format!("{:?}", world.model.prompts().pop().unwrap());
    assert!(prompt.contains("plan.md") && prompt.contains("do not repeat it"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_is_not_there_is_no_place_for_a_line() {
    let replies = ["1", "2"].map(Line::text);
    let (_world, anna, id) = two_turns(World::empty(replies).await).await;
    for answer in [
        say_instead(&anna, &id, "message-3", "x", "message-9").await,
        branch(&anna, &id, "branching-1", 99).await,
        switch(&anna, &id, "switching-1", 99).await,
        preview(&anna, &id, "instead_of=message-9").await,
        preview(&anna, &id, "after=99").await,
    ] {
        assert_eq!((answer.status, answer.code().as_str()), (410, "expired"), "{}", answer.json());
    }
    let (none, both) = (preview(&anna, &id, "").await, preview(&anna, &id, "after=1&instead_of=message-1").await);
    assert_eq!((none.status, both.status), (422, 422));
    assert_eq!(lines(&anna, &id).await["lines"].as_array().unwrap().len(), 1);
}
