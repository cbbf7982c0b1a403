//! Slash commands: which Riad answers itself, what they do, and that an unknown one reaches no model (LOOP-112, LOOP-113).

use serde_json::{Value, json};
use server::client::Client;
use testkit::model::Line;

use crate::cli::Desk;
use crate::world::{World, conversation, entries, kind_of, say, until};

/// Waits until so many turns have ended.
async fn turns(client: &Client, id: &str, count: usize) {
    for _ in 0..500 {
        if entries(client, id).await.iter().filter(|entry| entry["kind"] == "ended").count() >= count {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{count} turns did not end: {:?}", entries(client, id).await);
}

fn names(answer: &Value) -> Vec<&str> {
    answer["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_riad_can_tell_needs_no_model_and_leaves_no_entry() {
    let (world, anna) = World::with_anna([]).await;
    let id = conversation(&anna, "conversation-1").await;
    for (text, row) in [
        ("/help", Some("/recap [what to look at]")),
        ("/help", Some("/undo")),
        ("/new", None),
        ("/model", Some("scripted")),
        ("/agent", Some("riad/assistant")),
        ("/context", Some("window")),
        ("/usage", None),
        ("/tools", Some("file_read")),
        ("/skills", None),
        ("/rules", Some("asking-is-free")),
        ("/undo", None),
        ("/stop", None),
    ] {
        let answer = say(&anna, &id, &format!("key-{text}"), text).await;
        let document = answer.json();
        assert_eq!(answer.status, 200, "{text}: {document}");
        assert_eq!(document["command"], text[1..], "{document}");
        assert!(!document["says"].as_str().unwrap().is_empty(), "{document}");
        let found = names(&document);
        assert!(row.is_none_or(|row| found.contains(&row)), "{text}: {found:?}");
        assert_eq!(document["act"], if text == "/new" { json!("new") } else { Value::Null }, "{document}");
    }
    assert_eq!((entries(&anna, &id).await, world.model.said()), (vec![], 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_command_reaches_no_model_and_is_told_the_three_nearest() {
    let (world, anna) = World::with_anna([Line::text("Hosts.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    for (text, near) in [
        ("/halp", "There is no command /halp. Near are /help, "),
        ("/reca now", "There is no command /reca. Near are /recap, "),
        ("/etc/hosts", "There is no command /etc/hosts."),
        ("/", "There is no command /."),
    ] {
        let answer = say(&anna, &id, "request-1", text).await;
        let fault = answer.json()["fields"][0].clone();
        assert_eq!((answer.status, &fault["pointer"]), (422, &json!("/text")), "{text}");
        let says = fault["detail"].as_str().unwrap();
        assert!(says.starts_with(near) && says.matches(" /").count() == 5, "{says}");
    }
    let refused = say(&anna, &id, "request-1", "/tools all").await;
    assert_eq!(refused.status, 422, "{}", refused.json());
    assert_eq!((entries(&anna, &id).await, world.model.said()), (vec![], 0));
    assert_eq!(say(&anna, &id, "request-1", "//etc/hosts").await.status, 201, "the same key is free still");
    until(&anna, &id, "ended").await;
    assert_eq!(entries(&anna, &id).await[0]["text"], "/etc/hosts");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_from_a_file_is_read_whole_and_shown_short() {
    let (world, anna) = World::with_anna([Line::text("Nothing so far.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    assert_eq!(say(&anna, &id, "message-1", "/recap only the files").await.status, 201);
    until(&anna, &id, "ended").await;
    let said = entries(&anna, &id).await[0].clone();
    let text = said["text"].as_str().unwrap();
    assert_eq!(said["short"], "/recap only the files");
    assert!(text.starts_with("Sum up this conversation") && text.ends_with("\n\nonly the files"), "{text}");
    let prompt = format!("{:?}", world.model.prompts()[0].items);
    assert!(prompt.contains("only the files") && !prompt.contains("/recap"), "{prompt}");
    let again = say(&anna, &id, "message-1", "/recap only the files").await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (201, Some("true")));
    assert_eq!(say(&anna, &id, "message-1", "/recap other").await.status, 422, "the key belongs to another message");
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_the_turn_that_runs() {
    let (world, anna) = World::with_anna([Line::Streams("Thinking".to_owned())]).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "go").await;
    while world.model.said() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    let stopped = say(&anna, &id, "request-1", "/stop").await;
    assert_eq!((stopped.status, &stopped.json()["says"]), (200, &json!("The turn is stopped.")));
    until(&anna, &id, "ended").await;
    let again = say(&anna, &id, "request-1", "/stop").await;
    assert_eq!(again.json(), stopped.json(), "the same request is answered the same");
    let kinds: Vec<_> = entries(&anna, &id).await.iter().map(kind_of).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "stopped").count(), 1, "{kinds:?}");
    assert_eq!(say(&anna, &id, "request-1", "hello").await.status, 422, "the key belongs to another request");
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_answers_the_last_message_anew_and_branch_begins_a_line() {
    let (world, anna) = World::with_anna(["One.", "Two.", "Three."].map(Line::text)).await;
    let id = conversation(&anna, "conversation-1").await;
    let early = say(&anna, &id, "request-0", "/retry").await;
    assert_eq!(early.status, 410, "{}", early.json());
    say(&anna, &id, "message-1", "first").await;
    turns(&anna, &id, 1).await;
    let anew = say(&anna, &id, "message-2", "/retry").await;
    assert_eq!(anew.status, 201, "{}", anew.json());
    turns(&anna, &id, 2).await;
    let again = say(&anna, &id, "message-2", "/retry").await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (201, Some("true")));
    let texts = |found: &[Value], kind: &str| {
        let of_kind = found.iter().filter(|entry| entry["kind"] == kind);
        of_kind.map(|entry| entry["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let found = entries(&anna, &id).await;
    assert_eq!(
        (texts(&found, "said"), texts(&found, "replied")),
        (vec!["first".into(); 2], vec!["One.".into(), "Two.".into()])
    );
    let prompt = format!("{:?}", world.model.prompts()[1].items);
    assert!(!prompt.contains("One."), "the former answer is on another line: {prompt}");
    for _ in 0..2 {
        assert_eq!(say(&anna, &id, "request-1", "/branch").await.status, 200);
    }
    let forks = entries(&anna, &id).await.iter().filter(|entry| entry["kind"] == "forked").count();
    assert_eq!(forks, 2, "one of the retry, one of the branch");
    say(&anna, &id, "message-3", "more").await;
    turns(&anna, &id, 3).await;
    let prompt = format!("{:?}", world.model.prompts()[2].items);
    assert!(prompt.contains("Two.") && !prompt.contains("One."), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn compact_is_recorded_once_and_folds() {
    let (_world, anna) = World::with_anna([Line::text("One."), Line::text("Two.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    for (count, text) in ["first", "second"].into_iter().enumerate() {
        say(&anna, &id, &format!("message-{count}"), text).await;
        turns(&anna, &id, count + 1).await;
    }
    for _ in 0..2 {
        assert_eq!(say(&anna, &id, "request-1", "/compact").await.status, 200);
    }
    let kinds: Vec<_> = entries(&anna, &id).await.iter().map(kind_of).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "compaction_asked").count(), 1, "{kinds:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terminal_shows_what_a_command_answers() {
    let desk = Desk::with_anna([Line::text("Hello.")]).await;
    let ran = desk.run(&["ask", "/tools"], "").await;
    assert!(ran.code == 0 && ran.out.contains("\n  file_read"), "{} {}", ran.out, ran.err);
    let ran = desk.run(&["ask", "/tols"], "").await;
    assert!(ran.code == 2 && ran.err.contains("Near are /tools, "), "{} {}", ran.code, ran.err);
    let ran = desk.run(&["chat"], "/help\n/new\nhello\n").await;
    assert!(ran.code == 0 && ran.err.contains("\n  /help"), "{} {}", ran.out, ran.err);
    assert_eq!(ran.err.matches("Conversation ").count(), 2, "{}", ran.err);
    assert!(ran.out.contains("Hello."), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_that_is_sent_again_gets_its_first_answer_also_behind_a_later_message() {
    let (_world, anna) = World::with_anna(["1", "1b", "2"].map(Line::text)).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "one").await;
    turns(&anna, &id, 1).await;
    let first = say(&anna, &id, "message-2", "/retry").await;
    turns(&anna, &id, 2).await;
    say(&anna, &id, "message-3", "two").await;
    turns(&anna, &id, 3).await;
    let again = say(&anna, &id, "message-2", "/retry").await;
    assert_eq!((again.status, again.json()), (201, first.json()), "{}", again.json());
    let other = say(&anna, &id, "message-3", "/retry").await;
    assert_eq!((other.status, other.code().as_str()), (422, "key_reused"));
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_passes_over_a_message_that_was_taken_back() {
    let (world, anna) = World::with_anna([Line::Streams("Thinking".to_owned()), Line::text("Again.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "first").await;
    while world.model.said() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    say(&anna, &id, "message-2", "second").await;
    let path = format!("/api/v1/conversations/{id}/messages/message-2");
    assert_eq!(anna.send("DELETE", &path, &[], Some(&json!({}))).await.unwrap().status, 204);
    let early = say(&anna, &id, "message-3", "/retry").await;
    assert_eq!((early.status, early.code().as_str()), (409, "turn_running"), "{}", early.json());
    assert_eq!(say(&anna, &id, "request-1", "/stop").await.status, 200);
    turns(&anna, &id, 1).await;
    assert_eq!(say(&anna, &id, "message-4", "/retry").await.status, 201);
    turns(&anna, &id, 2).await;
    let found = entries(&anna, &id).await;
    let last = found.iter().rfind(|entry| entry["kind"] == "said").unwrap();
    assert_eq!((&last["message_id"], &last["text"]), (&json!("message-4"), &json!("first")));
}
