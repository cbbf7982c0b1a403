//! Every route of the table, walked as somebody who is signed out, whose vault is locked, and who is somebody else.

use axum::http::Method;
use serde_json::json;
use server::client::{Answer, Client};
use server::routes::{Access, Route, routes};
use testkit::model::Line;

use crate::world::{World, conversation, say, until};

fn path(route: &Route, id: &str) -> String {
    let path = route.path.replace("{id}", id).replace("{message}", "message-1");
    path.replace("{scope}", "me").replace("{name}", "helper")
}

async fn call(client: &Client, route: &Route, id: &str) -> Answer {
    walk(client, route, id, &json!({})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_signed_out_gets_401_everywhere_but_at_public_routes() {
    let world = World::empty([]).await;
    for route in routes() {
        let answer = call(&world.client(), &route, "any").await;
        let public = route.access() == Access::Public;
        assert_eq!(answer.status != 401 || route.path == "/api/v1/sessions", public, "{} {}", route.method, route.path);
    }
    for path in ["/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/session", "/api/v1/conversations/x/nothing"] {
        assert_eq!(world.client().get(path).await.unwrap().status, 401, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_row_is_404_for_whoever_is_signed_in() {
    let (_world, anna) = World::with_anna([]).await;
    for path in ["/api", "/api/v1", "/api/v1/nothing", "/api/v1/conversations/x/nothing"] {
        assert_eq!(anna.get(path).await.unwrap().status, 404, "{path}");
    }
    let unknown = anna.send("PUT", "/api/v1/session", &[], Some(&json!({}))).await.unwrap();
    assert_eq!(unknown.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_vault_answers_423_and_nothing_else() {
    let (_world, anna) = World::with_anna([Line::text("Hello.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    assert_eq!(anna.send("POST", "/api/v1/session/lock", &[], Some(&json!({}))).await.unwrap().status, 204);
    for route in routes().iter().filter(|route| route.access() == Access::Unlocked) {
        let answer = call(&anna, route, &id).await;
        assert_eq!((answer.status, answer.code().as_str()), (423, "vault_locked"), "{} {}", route.method, route.path);
    }
    assert_eq!(anna.get("/api/v1/session").await.unwrap().json()["vault"], "locked");
}

/// Anna has a conversation with a card that waits; Bert walks every route with her ids and with ids of nobody.
#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_another_person_is_byte_for_byte_what_is_not_there() {
    let write = json!({ "path": "~/plan.md", "content": "tea" }).to_string();
    let (world, anna) = World::with_anna([Line::calls("", &[("file_write", &write)])]).await;
    let bert = world.bert().await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "hello").await;
    until(&anna, &id, "asked").await;
    let card = anna.get("/api/v1/inbox").await.unwrap().json()["items"][0].clone();
    let approval = card["id"].as_str().unwrap();
    for route in routes().iter().filter(|route| route.path.contains("{id}")) {
        let (theirs, nobodys) = match route.path.contains("inbox") {
            true => (approval, "00000000000000000000000000000000"),
            false => (id.as_str(), "00000000000000000000000000"),
        };
        let body = body_for(route, &card);
        let one = walk(&bert, route, theirs, &body).await;
        let other = walk(&bert, route, nobodys, &body).await;
        assert_eq!((one.status, &one.body), (404, &other.body), "{} {}", route.method, route.path);
        let headers =
            |answer: &Answer| -> Vec<_> { answer.headers.iter().filter(|(name, _)| name != "date").cloned().collect() };
        assert_eq!(headers(&one), headers(&other), "{} {}", route.method, route.path);
    }
    for list in ["/api/v1/conversations", "/api/v1/inbox"] {
        assert_eq!(bert.get(list).await.unwrap().json(), json!({ "items": [] }), "{list}");
    }
    assert_eq!(bert.get("/api/v1/files?path=~/").await.unwrap().json()["entries"], json!([]));
    until(&anna, &id, "asked").await;
    assert_eq!(anna.get("/api/v1/inbox").await.unwrap().json()["items"][0], card, "nothing was answered");
}

/// A body that the route would take from the one it belongs to.
fn body_for(route: &Route, card: &serde_json::Value) -> serde_json::Value {
    match route.path {
        path if path.ends_with("/answer") => json!({ "digest": card["approval"]["digest"], "decision": "approve" }),
        path if path.ends_with("/messages") || path.ends_with("/usage") => json!({ "text": "hello" }),
        path if path.ends_with("/lines") => json!({ "after": 1 }),
        path if path.ends_with("/line") => json!({ "line": 0 }),
        path if path.ends_with("/choice") => json!({ "tier": "any" }),
        path if path.ends_with("/stop") => json!({ "turn": "message-1" }),
        _ => json!({}),
    }
}

async fn walk(client: &Client, route: &Route, id: &str, body: &serde_json::Value) -> Answer {
    let body = if route.method == Method::GET { None } else { Some(body) };
    let headers = [("idempotency-key", "walking-01"), ("x-request-id", "the-same-request"), ("if-match", "\"x\"")];
    client.send(route.method.as_str(), &path(route, id), &headers, body).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_carries_the_security_headers_and_no_answer_of_the_api_is_stored() {
    let (_world, anna) = World::with_anna([]).await;
    for route in routes().iter().filter(|route| route.method == Method::GET) {
        let answer = call(&anna, route, "any").await;
        for name in
            ["content-security-policy", "x-content-type-options", "referrer-policy", "cross-origin-opener-policy"]
        {
            assert!(answer.header(name).is_some() || answer.status == 101, "{} lacks {name}", route.path);
        }
        if route.path.starts_with("/api") {
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{}", route.path);
        }
    }
    let page = anna.get("/").await.unwrap();
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
}
