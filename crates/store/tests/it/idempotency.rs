//! Keys of requests: one effect, one answer, also when 200 come at once and across a restart.

use store::{Begun, Vault};

use crate::disk;
use crate::world::{NOW, World, open_vault};

async fn begin(vault: &Vault, key: &str, body: u8) -> Begun {
    vault.begin(key.to_owned(), "POST /conversations".to_owned(), [body; 32], NOW).await.unwrap()
}

fn is_new(begun: &Begun) -> bool {
    matches!(begun, Begun::New(_))
}

#[tokio::test]
async fn of_200_at_once_one_is_new() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let tasks: Vec<_> = (0..200)
        .map(|_| {
            let vault = vault.clone();
            tokio::spawn(async move { begin(&vault, "key-0001", 1).await })
        })
        .collect();
    let mut new = Vec::new();
    for task in tasks {
        match task.await.unwrap() {
            Begun::New(ticket) => new.push(ticket),
            other => assert_eq!(other, Begun::Working),
        }
    }
    assert_eq!(new.len(), 1);
    vault.finish(new.remove(0), 201, b"made".to_vec()).await.unwrap();
    assert_eq!(begin(&vault, "key-0001", 1).await, Begun::Replay { status: 201, body: b"made".to_vec() });
    assert_eq!(begin(&vault, "key-0001", 2).await, Begun::KeyReused);
}

#[tokio::test]
async fn a_ticket_answers_once() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let Begun::New(ticket) = begin(&vault, "key-0001", 1).await else { panic!("a new key") };
    vault.finish(ticket.clone(), 202, b"1".to_vec()).await.unwrap();
    assert!(vault.finish(ticket, 202, b"2".to_vec()).await.is_err());
    assert_eq!(begin(&vault, "key-0001", 1).await, Begun::Replay { status: 202, body: b"1".to_vec() });
}

#[tokio::test]
async fn work_cut_off_by_a_kill_may_begin_again_and_finished_work_replays() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let Begun::New(cut) = begin(&vault, "key-0001", 1).await else { panic!("a new key") };
    let Begun::New(done) = begin(&vault, "key-0002", 1).await else { panic!("a new key") };
    vault.finish(done, 201, b"c".to_vec()).await.unwrap();
    let after = World::new();
    disk::copy_tree(&world.root, &after.root);
    drop(cut);
    let vault = open_vault(&after.open().await).await;
    assert!(is_new(&begin(&vault, "key-0001", 1).await));
    assert_eq!(begin(&vault, "key-0002", 1).await, Begun::Replay { status: 201, body: b"c".to_vec() });
}

#[tokio::test]
async fn an_abandoned_key_is_free_and_an_old_answer_goes() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let Begun::New(ticket) = begin(&vault, "key-0001", 1).await else { panic!("a new key") };
    vault.abandon(ticket).await.unwrap();
    let Begun::New(ticket) = begin(&vault, "key-0001", 2).await else { panic!("free again") };
    vault.finish(ticket, 200, Vec::new()).await.unwrap();
    let day_later = domain::time::Timestamp(NOW.0 + 24 * 60 * 60 * 1000);
    let later = vault.begin("key-0001".to_owned(), "POST /x".to_owned(), [3; 32], day_later).await.unwrap();
    assert!(is_new(&later));
}
