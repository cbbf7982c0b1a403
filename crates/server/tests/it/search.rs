//! Search over HTTP.

use testkit::model::Line;

use crate::world::{World, conversation, say, until};

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_is_found_page_by_page_and_within_one_conversation() {
    let (world, anna) = World::with_anna([Line::text("It is watered."), Line::text("Yes.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "Water the lemon tree").await;
    until(&anna, &id, "ended").await;
    say(&anna, &id, "message-2", "And the lemon in the pot").await;
    let page = anna.get("/api/v1/search?q=lemon&limit=1").await.unwrap().json();
    assert_eq!(page["items"].as_array().unwrap().len(), 1);
    let hit = &page["items"][0];
    assert_eq!((hit["conversation"].as_str(), hit["speaker"].as_str()), (Some(&*id), Some("person")));
    assert!(hit["excerpt"].as_array().unwrap().iter().any(|piece| piece["hit"] == true && piece["text"] == "lemon"));
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = anna.get(&format!("/api/v1/search?q=lemon&limit=1&cursor={cursor}")).await.unwrap().json();
    assert!(next["items"][0]["entry"].as_u64() < hit["entry"].as_u64());
    assert_eq!(anna.get(&format!("/api/v1/search?q=other&cursor={cursor}")).await.unwrap().status, 422);
    let within = anna.get(&format!("/api/v1/search?q=lemon&conversation={id}")).await.unwrap().json();
    assert_eq!(within["items"].as_array().unwrap().len(), 2);
    assert_eq!(anna.get("/api/v1/search?q=lemon&conversation=nowhere").await.unwrap().status, 404);
    drop(world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_for_nothing_or_too_much_is_told_what_to_change() {
    let (_world, anna) = World::with_anna([]).await;
    let long = "x".repeat(201);
    for query in ["q=", "q=%20%20", "q=a&limit=0", "q=a&limit=101", "q=a&cursor=1.2", &format!("q={long}")] {
        let answer = anna.get(&format!("/api/v1/search?{query}")).await.unwrap();
        assert_eq!(answer.status, 422, "{query}");
    }
    assert_eq!(anna.get("/api/v1/search").await.unwrap().status, 422);
    let none = anna.get("/api/v1/search?q=%22*(").await.unwrap();
    assert_eq!((none.status, none.json()["items"].as_array().unwrap().len()), (200, 0));
}
