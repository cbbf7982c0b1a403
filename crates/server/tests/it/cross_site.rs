//! Requests that another site's page could make, or that no page makes, never reach a handler.

use axum::http::Method;
use server::client::Client;
use server::routes::{Access, routes};

use crate::watcher::Socket;
use crate::world::World;

fn own(client: &Client) -> Vec<(&'static str, String)> {
    vec![
        ("origin", format!("http://{}", client.address)),
        ("content-type", "application/json".to_owned()),
        ("cookie", client.cookie.clone().unwrap_or_default()),
        ("x-riad-csrf", client.csrf.clone().unwrap_or_default()),
        ("idempotency-key", "crossing-01".to_owned()),
    ]
}

async fn with(client: &Client, method: &Method, path: &str, change: (&'static str, Option<&str>)) -> (u16, String) {
    let mut headers = own(client);
    headers.retain(|(name, _)| *name != change.0);
    headers.extend(change.1.map(|value| (change.0, value.to_owned())));
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = client.bare(method.as_str(), path, &headers, b"{}").await.unwrap();
    (answer.status, answer.code())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changing_request_needs_its_own_origin_token_and_type() {
    let (_world, anna) = World::with_anna([]).await;
    let foreign: &[(&str, Option<&str>, &str)] = &[
        ("origin", None, "foreign_origin"),
        ("origin", Some("http://evil.example"), "foreign_origin"),
        ("origin", Some("null"), "foreign_origin"),
        ("origin", Some("https://127.0.0.1:7423"), "foreign_origin"),
        ("content-type", None, "not_json"),
        ("content-type", Some("text/plain"), "not_json"),
        ("content-type", Some("application/x-www-form-urlencoded"), "not_json"),
        ("x-riad-csrf", None, "csrf_wrong"),
        ("x-riad-csrf", Some("00000000000000000000000000000000"), "csrf_wrong"),
    ];
    for route in routes().iter().filter(|route| route.method != Method::GET) {
        for (name, value, code) in foreign {
            if *name == "x-riad-csrf" && route.access() == Access::Public {
                continue;
            }
            let found =
                with(&anna, &route.method, &route.path.replace("{id}", "x").replace("{message}", "y"), (name, *value))
                    .await;
            assert_eq!(found, (403, (*code).to_owned()), "{} {} with {name} {value:?}", route.method, route.path);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_host_name_reaches_nothing() {
    let (_world, anna) = World::with_anna([]).await;
    for host in ["evil.example", "127.0.0.1:1", "localhost", "127.0.0.1.evil.example"] {
        for path in ["/", "/healthz", "/api/v1/session", "/api/v1/setup"] {
            let found = with(&anna, &Method::GET, path, ("host", Some(host))).await;
            assert_eq!(found, (421, "wrong_host".to_owned()), "{host} {path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_socket_is_held_for_whoever_is_signed_out_or_comes_from_elsewhere() {
    let (world, anna) = World::with_anna([]).await;
    assert!(Socket::open(&world.client()).await.is_err());
    let forged = Client { cookie: Some(format!("riad-local={}", "0".repeat(64))), ..anna.clone() };
    assert!(Socket::open(&forged).await.is_err());
    assert!(Socket::open(&anna).await.is_ok());
    let upgrade = [
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("origin", "http://evil.example"),
        ("cookie", anna.cookie.as_deref().unwrap()),
    ];
    let answer = anna.bare("GET", "/api/v1/events", &upgrade, b"").await.unwrap();
    assert_eq!((answer.status, answer.code().as_str()), (403, "foreign_origin"));
}
