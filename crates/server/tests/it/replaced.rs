//! Sessions that another one takes the place of: their streams end at once, and a borrowed device stays one.

use std::time::Duration;

use serde_json::json;
use server::client::{Answer, Client};
use tokio_tungstenite::tungstenite::Error;

use crate::watcher::{Page, Socket};
use crate::world::{PASSWORD, World};

async fn following(client: &Client) -> Socket {
    let mut socket = Socket::open(client).await.unwrap();
    let mut page = Page::default();
    socket.send(&page.open_frame(&[])).await.unwrap();
    while !page.live {
        page.take(&socket.next().await.unwrap());
    }
    socket
}

/// What the stream is closed with, within a second.
async fn closed(socket: &mut Socket) -> Option<u16> {
    let end = async {
        loop {
            if let Err(code) = socket.next().await {
                return code;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(1), end).await.expect("the stream goes on")
}

async fn signs_in(browser: &Client, handle: &str) -> Answer {
    let form = json!({ "handle": handle, "password": PASSWORD, "keep": true });
    browser.send("POST", "/api/v1/sessions", &[], Some(&form)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stream_of_a_session_that_a_sign_in_replaces_ends_at_once() {
    let (world, anna) = World::with_anna([]).await;
    world.bert().await;
    for handle in ["bert", "anna"] {
        let browser = world.signed_in().await;
        let mut stream = following(&browser).await;
        assert_eq!(signs_in(&browser, handle).await.status, 201);
        assert_eq!(closed(&mut stream).await, Some(4401), "{handle} signs in");
        assert_eq!(browser.get("/api/v1/session").await.unwrap().status, 401);
    }
    assert_eq!(anna.get("/api/v1/session").await.unwrap().status, 200, "other sessions stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_borrowed_device_gets_no_lasting_cookie_by_an_unlock() {
    let (world, _anna) = World::with_anna([]).await;
    for keep in [false, true] {
        let mut browser = world.client();
        assert_eq!(browser.sign_in("anna", PASSWORD, keep).await.unwrap().status, 201);
        // A device that was remembered before says nothing about this session.
        let cookie = format!("{}; riad-local-device={}", browser.cookie.clone().unwrap(), "0".repeat(64));
        browser.cookie = Some(cookie);
        let form = json!({ "password": PASSWORD });
        let answer = browser.send("POST", "/api/v1/session/unlock", &[], Some(&form)).await.unwrap();
        let set = answer.header("set-cookie").unwrap_or_default();
        assert_eq!((answer.status, set.contains("Max-Age")), (200, keep), "{set}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_over_the_cap_is_told_so() {
    let (_world, anna) = World::with_anna([]).await;
    for length in [17 * 1024, 63 * 1024, 65 * 1024, 1024 * 1024] {
        let mut socket = following(&anna).await;
        let _ = socket.send(&json!({ "watch": ["x".repeat(length)] })).await;
        assert_eq!(closed(&mut socket).await, Some(4010), "{length} bytes");
        let mut socket = Socket::open(&anna).await.unwrap();
        let _ = socket.send(&json!({ "open": { "seq": 0, "watch": ["x".repeat(length)] } })).await;
        assert_eq!(closed(&mut socket).await, Some(4010), "{length} bytes at first");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_names_no_protocol_of_ours_is_refused() {
    let (_world, anna) = World::with_anna([]).await;
    for protocol in [None, Some("riad.v2"), Some("xriad.v1")] {
        let refused = Socket::speaking(&anna, protocol).await.err();
        let Some(Error::Http(answer)) = refused else { panic!("{protocol:?}: {refused:?}") };
        assert_eq!(answer.status(), 400, "{protocol:?}");
    }
    assert!(Socket::speaking(&anna, Some("other, riad.v1")).await.is_ok());
}
