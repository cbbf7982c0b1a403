//! The stream is cut anywhere: nothing is lost and nothing comes twice (U3).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::entry::{Body, Draft};
use domain::id::{ConversationId, EntryNumber, FrameId, MessageId, TurnId};
use domain::message::Message;
use domain::time::Timestamp;
use harness::ports::Journal as _;
use serde_json::json;
use server::client::Client;
use testkit::counts;
use testkit::model::Line;
use testkit::random::Random;

use crate::watcher::{Page, Socket};
use crate::world::{Hurried, World, conversation, entries, say, until};

/// Takes frames until the page has all entries of the vault, with cuts at random frames.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_is_cut_every_entry_comes_once_and_in_order() {
    let cuts = counts::stream_cuts();
    let texts = (0..MESSAGES).map(|n| Line::text(&format!("Answer {n}. {}", "word ".repeat(40))));
    let (world, anna) = World::under(Arc::new(Hurried::default()), texts.collect::<Vec<_>>()).await.and_anna().await;
    let id = conversation(&anna, "conversation-1").await;
    let enough = Arc::new(AtomicBool::new(false));
    let talking = tokio::spawn(talk(anna.clone(), id.clone(), enough.clone()));
    let (mut page, mut random, mut made) =
        (Page { epoch: Some(world.epoch().await), ..Page::default() }, Random::new(7), 0);
    while made < cuts || !talking.is_finished() || page.seq < world.head().await {
        cut_after(1 + random.below(12), &anna, &id, &mut page).await;
        made += 1;
        enough.store(made >= cuts, Ordering::SeqCst);
        assert!(made < cuts + 3000, "the page never caught up");
    }
    let messages = talking.await.unwrap();
    quiet(&anna, &id).await;
    while page.seq < world.head().await {
        cut_after(100, &anna, &id, &mut page).await;
    }
    let recorded = entries(&anna, &id).await;
    let seen: Vec<_> = page.entries.iter().map(|entry| entry["number"].as_u64().unwrap()).collect();
    assert!(recorded.len() >= messages + cuts / 2, "{} entries of {messages} messages", recorded.len());
    assert_eq!(seen, (1..=recorded.len() as u64).collect::<Vec<_>>());
}

/// Opens the stream where the page stands and cuts it after so many frames, or when nothing more comes.
async fn cut_after(frames: usize, anna: &Client, id: &String, page: &mut Page) {
    let mut socket = Socket::open(anna).await.unwrap();
    socket.send(&page.open_frame(std::slice::from_ref(id))).await.unwrap();
    for _ in 0..frames {
        let Ok(Ok(frame)) = tokio::time::timeout(Duration::from_millis(60), socket.next()).await else { break };
        page.take(&frame);
    }
}

/// Waits until no turn runs.
async fn quiet(anna: &Client, id: &str) {
    let path = format!("/api/v1/conversations/{id}");
    for _ in 0..500 {
        if anna.get(&path).await.unwrap().json()["activity"] == "quiet" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("a turn goes on");
}

/// The most messages while cuts are made.
const MESSAGES: usize = 4_000;

/// Talks for as long as cuts are made, and at least for 40 messages.
async fn talk(anna: Client, id: String, enough: Arc<AtomicBool>) -> usize {
    for n in 0..MESSAGES {
        if n >= 40 && enough.load(Ordering::SeqCst) {
            return n;
        }
        let said = say(&anna, &id, &format!("message-{n:04}"), "go on").await;
        assert_eq!(said.status, 201, "{}", said.json());
        tokio::time::sleep(Duration::from_millis(if n < 40 { 15 } else { 60 })).await;
    }
    panic!("{MESSAGES} messages were not enough")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_knows_nothing_is_told_where_to_begin() {
    let (world, anna) = World::with_anna([Line::text("Hello.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "hello").await;
    until(&anna, &id, "ended").await;
    for open in [
        json!({ "seq": 0, "watch": [] }),
        json!({ "epoch": "another", "seq": 1, "watch": [] }),
        json!({ "epoch": world.epoch().await, "seq": 999, "watch": [] }),
    ] {
        let mut socket = Socket::open(&anna).await.unwrap();
        socket.send(&json!({ "open": open })).await.unwrap();
        let mut page = Page::default();
        while !page.live {
            page.take(&socket.next().await.unwrap());
        }
        assert_eq!((page.seq, page.entries.len(), page.epoch), (world.head().await, 0, Some(world.epoch().await)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_watches_gets_entries_and_text_and_others_get_headers() {
    let (world, anna) = World::with_anna([Line::text("Hello there.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    let mut sockets = Vec::new();
    for watch in [vec![id.clone()], vec![]] {
        let mut socket = Socket::open(&anna).await.unwrap();
        let mut page = Page { epoch: Some(world.epoch().await), ..Page::default() };
        socket.send(&page.open_frame(&watch)).await.unwrap();
        while !page.live {
            page.take(&socket.next().await.unwrap());
        }
        sockets.push((socket, page));
    }
    say(&anna, &id, "message-1", "hello").await;
    for (socket, page) in &mut sockets {
        while page.seq < 3 {
            page.take(&socket.next().await.unwrap());
        }
    }
    let (watching, other) = (&sockets[0].1, &sockets[1].1);
    assert_eq!(watching.entries[1]["text"], "Hello there.");
    assert_eq!(other.entries[1]["header"]["kind"], "replied");
    assert!(other.drafts.is_empty() && other.entries.iter().all(|entry| entry["text"].is_null()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_session_ends_its_stream_within_a_second() {
    let (_world, anna) = World::with_anna([]).await;
    let mut socket = Socket::open(&anna).await.unwrap();
    socket.send(&json!({ "open": { "seq": 0, "watch": [] } })).await.unwrap();
    while socket.next().await.unwrap()["kind"] != "live" {}
    assert_eq!(anna.send("DELETE", "/api/v1/session", &[], Some(&json!({}))).await.unwrap().status, 204);
    let ended = tokio::time::timeout(Duration::from_secs(1), async { while socket.next().await.is_ok() {} }).await;
    assert!(ended.is_ok());
    assert_eq!(anna.get("/api/v1/session").await.unwrap().status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ninth_stream_makes_the_idlest_give_way() {
    let (_world, anna) = World::with_anna([]).await;
    let mut sockets = Vec::new();
    for _ in 0..9 {
        let mut socket = Socket::open(&anna).await.unwrap();
        socket.send(&json!({ "open": { "seq": 0, "watch": [] } })).await.unwrap();
        while socket.next().await.unwrap()["kind"] != "live" {}
        sockets.push(socket);
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    let code = loop {
        match sockets[0].next().await {
            Ok(_) => {}
            Err(code) => break code,
        }
    };
    assert_eq!(code, Some(4008));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_sends_too_much_or_nonsense_is_sent_away() {
    let (_world, anna) = World::with_anna([]).await;
    for (frames, code) in [
        (vec![json!({ "watch": [] }); 30], 4010),
        (vec![json!({ "watch": ["x".repeat(17 * 1024)] })], 4010),
        (vec![json!({ "open": { "seq": 0 } })], 4400),
        (vec![json!({ "nonsense": 1 })], 4400),
    ] {
        let mut socket = Socket::open(&anna).await.unwrap();
        socket.send(&json!({ "open": { "seq": 0, "watch": [] } })).await.unwrap();
        for frame in &frames {
            // The server may have closed already.
            let _ = socket.send(frame).await;
        }
        let ended = loop {
            if let Err(code) = socket.next().await {
                break code;
            }
        };
        assert_eq!(ended, Some(code), "{}", frames[0].to_string().chars().take(40).collect::<String>());
    }
    let mut early = Socket::open(&anna).await.unwrap();
    early.send(&json!({ "watch": [] })).await.unwrap();
    assert_eq!(early.next().await, Err(Some(4400)), "the first frame is open");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_ends_the_stream_and_says_so() {
    let (_world, anna) = World::with_anna([]).await;
    let mut socket = Socket::open(&anna).await.unwrap();
    socket.send(&json!({ "open": { "seq": 0, "watch": [] } })).await.unwrap();
    while socket.next().await.unwrap()["kind"] != "live" {}
    assert_eq!(anna.send("POST", "/api/v1/session/lock", &[], Some(&json!({}))).await.unwrap().status, 204);
    let ended = loop {
        if let Err(code) = socket.next().await {
            break code;
        }
    };
    assert_eq!(ended, Some(4423));
}

/// One page opens far behind and does not read at all. A turn and another page go on as if it were not there, and it is
/// sent away.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_that_stands_still_delays_nobody() {
    // More than both ends of a connection on this machine hold: 24 MB.
    const MESSAGES: usize = 800;
    let (world, anna) = World::with_anna([Line::text("Hello.")]).await;
    let id = conversation(&anna, "conversation-1").await;
    fill(&world, &id, MESSAGES).await;
    let mut page = Page { epoch: Some(world.epoch().await), ..Page::default() };
    let mut stalled = Socket::open(&anna).await.unwrap();
    stalled.send(&page.open_frame(std::slice::from_ref(&id))).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;

    let other = conversation(&anna, "conversation-2").await;
    let began = std::time::Instant::now();
    say(&anna, &other, "message-1", "hello").await;
    until(&anna, &other, "ended").await;
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());

    let mut reading = Socket::open(&anna).await.unwrap();
    reading.send(&page.open_frame(std::slice::from_ref(&id))).await.unwrap();
    while !page.live {
        let frame = tokio::time::timeout(Duration::from_secs(5), reading.next()).await;
        page.take(&frame.expect("the reader is not held up").unwrap());
    }
    assert_eq!(page.entries.len(), MESSAGES + 3);
    let gone = async {
        while world.room().await.hub.count() > 1 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.expect("the stalled stream is ended");
}

/// Long messages, recorded without a turn that would answer them.
async fn fill(world: &World, id: &str, messages: usize) {
    let room = world.room().await;
    let conversation = ConversationId::new(id);
    let draft = |n: usize| {
        let message = Message::new(MessageId::new(format!("long-{n}")), "word ".repeat(6000), None).unwrap();
        let (turn, frame) = (TurnId::opened_by(&message.id), FrameId::outer());
        Draft { at: Timestamp(1), turn, frame, body: Body::Said(message) }
    };
    let drafts = (0..messages).map(draft).collect();
    room.vault.append(&conversation, EntryNumber::default(), drafts).await.unwrap();
}
