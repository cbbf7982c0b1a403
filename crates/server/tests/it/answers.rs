//! Two approvals that are open at once are answered out of order, by the page's route, by the command line and by another
//! device, and after a restart: each answer settles the one that it was shown for (U15).

mod approvals_race;

use serde_json::{Value, json};
use server::client::{Answer, Client};
use testkit::counts::answered_pairs;
use testkit::model::Line;

use crate::cli::Desk;
use crate::world::{PASSWORD, conversation, entries, say, until};

/// Pairs that one server is asked for.
const A_SERVER: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    Page,
    CommandLine,
    OtherDevice,
}

/// Two writes in one reply, and what the model says of them.
fn lines(number: usize) -> [Line; 2] {
    let write = |name: &str| json!({ "path": format!("~/{name}-{number}.md"), "content": name }).to_string();
    let calls = [("file_write", &*write("first")), ("file_write", &*write("second"))];
    [Line::calls("I write both.", &calls), Line::text("As you like.")]
}

async fn open_items(client: &Client) -> Vec<Value> {
    client.get("/api/v1/inbox").await.unwrap().json()["items"].as_array().cloned().unwrap_or_default()
}

async fn both(client: &Client) -> [Value; 2] {
    for _ in 0..300 {
        if let Ok(both) = <[Value; 2]>::try_from(open_items(client).await) {
            return both;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("two questions never waited: {:?}", open_items(client).await);
}

async fn answer(client: &Client, item: &Value, digest: &Value, key: &str, decision: &str) -> Answer {
    let path = format!("/api/v1/inbox/{}/answer", item["id"].as_str().unwrap());
    let form = json!({ "digest": digest, "decision": decision, "surface": "web" });
    client.post(&path, key, &form).await.unwrap()
}

fn digest(item: &Value) -> &Value {
    &item["approval"]["digest"]
}

fn outcome(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

fn refused(code: &str) -> (u16, String) {
    (409, code.to_owned())
}

/// Whether a call writes the first file.
fn is_first(item: &Value) -> bool {
    item["approval"]["arguments"]["content"] == "first"
}

async fn restarted(desk: Desk) -> Desk {
    let Desk { world, home } = desk;
    let desk = Desk { world: world.restart().await, home };
    let ran = desk.run(&["login", "anna", "--password-stdin"], PASSWORD).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    desk
}

/// One pair; the approved file is there afterwards and the other is not.
async fn pair(desk: Desk, number: usize) -> Desk {
    let channel = [Channel::Page, Channel::CommandLine, Channel::OtherDevice][number % 3];
    let (later, approve_first) = (number % 4 < 2, number.is_multiple_of(2));
    lines(number).into_iter().for_each(|line| desk.world.model.push(line));
    let anna = desk.world.signed_in().await;
    let id = conversation(&anna, &format!("conversation-{number}")).await;
    assert_eq!(say(&anna, &id, &format!("message-{number}"), "write both").await.status, 201);
    let before = both(&anna).await;
    let desk = if later { restarted(desk).await } else { desk };
    let anna = if later { desk.world.signed_in().await } else { anna };
    let [older, newer] = both(&anna).await;
    assert_eq!([&older, &newer], [&before[0], &before[1]], "a restart changes no question");

    // Crossed: the card of one with the digest of the other.
    let key = |what: &str| format!("{what}-{number}-key");
    assert_eq!(
        outcome(&answer(&anna, &older, digest(&newer), &key("crossed"), "approve").await),
        refused("digest_differs")
    );
    assert_eq!(
        outcome(&answer(&anna, &newer, digest(&older), &key("crossed-2"), "approve").await),
        refused("digest_differs")
    );

    let word = |item: &Value| if is_first(item) == approve_first { "approve" } else { "refuse" };
    match channel {
        Channel::Page => {
            assert_eq!(answer(&anna, &newer, digest(&newer), &key("newer"), word(&newer)).await.status, 200);
            // Pressed twice: the same request is told the same, another one that it was answered.
            assert_eq!(answer(&anna, &newer, digest(&newer), &key("newer"), word(&newer)).await.status, 200);
            assert_eq!(answer(&anna, &older, digest(&older), &key("older"), word(&older)).await.status, 200);
        }
        Channel::OtherDevice => {
            let other = desk.world.signed_in().await;
            let (one, two) = (key("one"), key("two"));
            // Both devices press at once, with opposite wishes: one of them holds.
            let opposite = if word(&newer) == "approve" { "refuse" } else { "approve" };
            assert_eq!(answer(&other, &newer, digest(&newer), &one, word(&newer)).await.status, 200);
            let late = answer(&anna, &newer, digest(&newer), &two, opposite).await;
            assert_eq!(outcome(&late), refused("already_answered"));
            assert_eq!(answer(&other, &older, digest(&older), &key("older"), word(&older)).await.status, 200);
        }
        Channel::CommandLine => at_the_terminal(&desk, &anna, &id, [&older, &newer], word, &key("web")).await,
    }
    until(&anna, &id, "ended").await;
    settled(&desk, &anna, &id, [&older, &newer], word, number).await;
    desk
}

/// The terminal shows one of them; the other is answered on the page first, and then the terminal is answered.
async fn at_the_terminal(
    desk: &Desk,
    anna: &Client,
    id: &str,
    items: [&Value; 2],
    word: impl Fn(&Value) -> &'static str,
    key: &str,
) {
    let mut pty = desk.at_terminal(&["chat", "--conversation", id]);
    let card = pty.until("approve, refuse [why], or stop? ").await;
    let is_shown = |item: &&Value| card.contains(digest(item).as_str().unwrap());
    let shown = items.into_iter().rfind(is_shown).expect("the card says its digest");
    let other = items.into_iter().find(|item| digest(item) != digest(shown)).unwrap();
    assert_eq!(answer(anna, other, digest(other), key, word(other)).await.status, 200);
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    pty.line(word(shown));
    pty.until("  As you like.").await;
    pty.until("> ").await;
    pty.end_of_input();
    let (code, screen) = pty.end().await;
    assert_eq!(code, 0, "{screen}");
}

async fn settled(
    desk: &Desk,
    anna: &Client,
    id: &str,
    items: [&Value; 2],
    word: impl Fn(&Value) -> &'static str,
    number: usize,
) {
    let recorded = entries(anna, id).await;
    let answered: Vec<&Value> = recorded.iter().filter(|entry| entry["kind"] == "answered").collect();
    assert_eq!(answered.len(), 2, "pair {number}: {answered:?}");
    for item in items {
        let given = answered.iter().find(|entry| entry["approval"] == item["id"]).expect("each has its answer");
        assert_eq!(given["decision"], word(item), "pair {number}");
        let started =
            recorded.iter().filter(|entry| entry["kind"] == "started" && entry["call"] == item["approval"]["call"]);
        assert_eq!(started.count(), usize::from(word(item) == "approve"), "pair {number}");
        let name = if is_first(item) { "first" } else { "second" };
        let file = desk.files().join(format!("{name}-{number}.md"));
        assert_eq!(file.exists(), word(item) == "approve", "pair {number}: {name}");
        let late = answer(anna, item, digest(item), &format!("late-{number}-{name}"), "approve").await;
        assert_eq!(outcome(&late), refused("already_answered"), "pair {number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_answer_settles_what_it_was_shown_for() {
    let all: Vec<usize> = (0..answered_pairs()).collect();
    for numbers in all.chunks(A_SERVER) {
        let mut desk = Desk::with_anna([]).await;
        for number in numbers {
            desk = pair(desk, *number).await;
        }
    }
    println!("{} pairs of approvals, each answer for the right one", all.len());
}
