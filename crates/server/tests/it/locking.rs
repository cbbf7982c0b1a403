//! Requests that come while a vault is being locked: they are refused, and leave nothing behind that outlives the lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use server::client::Client;
use server::stream::Ending;
use testkit::model::Line;

use crate::world::{PASSWORD, World, conversation, say, until};

async fn lock(client: &Client) {
    assert_eq!(client.send("POST", "/api/v1/session/lock", &[], Some(&json!({}))).await.unwrap().status, 204);
}

/// A request that was let in before the lock asks for its room after it: the room would hold a closed vault for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_the_lock_overtakes_leaves_no_room_behind() {
    let (world, mut anna) = World::with_anna([]).await;
    let person = world.app.instance.people().await.unwrap().remove(0);
    let overtaken = world.app.instance.open_vault(person.id).unwrap();
    world.app.lock(person.id, Ending::Locked).await;
    let room = world.app.room(&person, overtaken).await;
    assert!(room.is_err(), "a closed vault has no room");
    assert_eq!(world.app.open_count(), 0);
    assert_eq!(anna.unlock(PASSWORD).await.unwrap().status, 200);
    assert_eq!(anna.get("/api/v1/conversations").await.unwrap().status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_during_a_lock_do_not_keep_the_vault_shut_after_the_next_unlock() {
    let lines = (0..8).map(|_| Line::Streams("It goes on".to_owned()));
    let (world, mut anna) = World::with_anna(lines).await;
    let id = conversation(&anna, "conversation-1").await;
    say(&anna, &id, "message-1", "hello").await;
    for round in 0..5 {
        let over = Arc::new(AtomicBool::new(false));
        let readers: Vec<_> = (0..3).map(|_| tokio::spawn(read_until(anna.clone(), over.clone()))).collect();
        lock(&anna).await;
        over.store(true, Ordering::Relaxed);
        for reader in readers {
            let odd = reader.await.unwrap();
            assert_eq!(odd, Vec::<u16>::new(), "round {round}");
        }
        assert_eq!(world.app.open_count(), 0, "round {round}");
        assert_eq!(anna.unlock(PASSWORD).await.unwrap().status, 200);
        let list = anna.get("/api/v1/conversations").await.unwrap();
        assert_eq!(list.status, 200, "round {round}: {}", list.json());
    }
    until(&anna, &id, "said").await;
}

/// Reads until the lock is over, and returns every status that is neither an answer nor a locked vault.
async fn read_until(client: Client, over: Arc<AtomicBool>) -> Vec<u16> {
    let mut odd = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let status = client.get("/api/v1/conversations").await.unwrap().status;
        if !matches!(status, 200 | 423) {
            odd.push(status);
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    odd
}
