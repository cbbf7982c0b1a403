//! Two pending approvals, crossed ids, a stale digest, a double click and two devices that press at once: nothing is
//! cleared but what was approved (B13).

use serde_json::{Value, json};
use server::client::Client;
use testkit::counts::raced_pairs;

use super::{answer, both, digest, is_first, lines, outcome, refused};
use crate::world::{World, conversation, entries, say, until};

/// Pairs that one server is asked for: a person may ask for so much a minute.
const A_SERVER: usize = 5;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_cleared_but_what_was_approved() {
    let all: Vec<usize> = (0..raced_pairs()).collect();
    for numbers in all.chunks(A_SERVER) {
        let (world, anna) = World::with_anna([]).await;
        for number in numbers {
            lines(*number).into_iter().for_each(|line| world.model.push(line));
            race(&anna, &world.signed_in().await, *number).await;
        }
    }
}

async fn race(anna: &Client, other: &Client, number: usize) {
    let id = conversation(anna, &format!("conversation-{number}")).await;
    assert_eq!(say(anna, &id, &format!("message-{number}"), "write both").await.status, 201);
    let items = both(anna).await;
    let [older, newer] = &items;
    let stale = json!("0".repeat(64));
    for (item, wrong) in [(older, digest(newer)), (newer, digest(older)), (older, &stale), (newer, &stale)] {
        let key = format!("wrong-{number}-{}-{}", is_first(item), wrong == &stale);
        assert_eq!(outcome(&answer(anna, item, wrong, &key, "approve").await), refused("digest_differs"));
    }
    for item in &items {
        one_of_two(anna, other, item, number).await;
    }
    until(anna, &id, "ended").await;
    let recorded = entries(anna, &id).await;
    let count = |kind: &str, field: &str, value: &Value| {
        recorded.iter().filter(|entry| entry["kind"] == kind && entry[field] == *value).count()
    };
    for item in &items {
        let answered = recorded.iter().find(|entry| entry["kind"] == "answered" && entry["approval"] == item["id"]);
        let approved = answered.expect("each has its answer")["decision"] == "approve";
        assert_eq!(count("answered", "approval", &item["id"]), 1, "pair {number}");
        assert_eq!(count("started", "call", &item["approval"]["call"]), usize::from(approved), "pair {number}");
    }
}

/// Both press at once and want opposite things; the one that holds is pressed twice.
async fn one_of_two(anna: &Client, other: &Client, item: &Value, number: usize) {
    let keys = ["a", "b"].map(|who| format!("{who}-race-{number}-{}", is_first(item)));
    let (one, two) = tokio::join!(
        answer(anna, item, digest(item), &keys[0], "approve"),
        answer(other, item, digest(item), &keys[1], "refuse"),
    );
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "one of two holds: {} {}", one.json(), two.json());
    let (first, key, word) = if one.status == 200 { (&one, &keys[0], "approve") } else { (&two, &keys[1], "refuse") };
    let again = answer(anna, item, digest(item), key, word).await;
    assert_eq!((again.status, again.json()), (200, first.json()), "a double click is told the same");
}
