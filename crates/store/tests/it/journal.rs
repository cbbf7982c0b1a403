//! The journal port over SQLCipher: dense numbers, compare and append, nothing changed afterwards, nothing lost.

use std::time::Duration;

use domain::entry::{Body, Entry};
use domain::id::{EntryNumber, MessageId};
use harness::ports::{Journal as _, JournalError};

use crate::disk;
use crate::world::{World, conversation, conversation_in, open_vault, said};

#[tokio::test]
async fn it_keeps_the_promises_of_the_port() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let ids = ["one", "two", "three"].map(conversation);
    for id in &ids {
        conversation_in(&vault, id.as_str()).await;
    }
    testkit::contract::journal::check(&vault, &ids).await;
}

/// Promise 3, for every kind of fact: the copy is what a kill leaves on the disk.
#[tokio::test]
async fn every_kind_of_fact_survives_a_kill() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    let filled = testkit::contract::journal::fill(&vault, &talk).await;
    let after = World::new();
    disk::copy_tree(&world.root, &after.root);
    let vault = open_vault(&after.open().await).await;
    assert_eq!(vault.load(&talk, EntryNumber(0)).await.unwrap(), filled);
}

#[tokio::test]
async fn entries_are_numbered_from_one_without_gap_and_load_in_order() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    let first = vault.append(&talk, EntryNumber(0), vec![said("m1", "one"), said("m2", "two")]).await.unwrap();
    let second = vault.append(&talk, EntryNumber(2), vec![said("m3", "three")]).await.unwrap();
    let all: Vec<Entry> = first.into_iter().chain(second).collect();
    assert_eq!(all.iter().map(|entry| entry.number.0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(vault.load(&talk, EntryNumber(0)).await.unwrap(), all);
    assert_eq!(vault.load(&talk, EntryNumber(2)).await.unwrap(), all[2..]);
    let absent = vault.load(&conversation("other"), EntryNumber(0)).await;
    assert!(matches!(absent, Err(JournalError::Absent(_))));
}

#[tokio::test]
async fn an_append_behind_a_moved_head_adds_nothing() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    vault.append(&talk, EntryNumber(0), vec![said("m1", "one")]).await.unwrap();
    for expected in [0, 2, 7] {
        let moved = vault.append(&talk, EntryNumber(expected), vec![said("mx", "lost")]).await;
        assert!(matches!(moved, Err(JournalError::Moved { head: EntryNumber(1) })), "{moved:?}");
    }
    let absent = vault.append(&conversation("other"), EntryNumber(0), vec![said("m1", "one")]).await;
    assert!(matches!(absent, Err(JournalError::Absent(_))));
    assert_eq!(vault.head_seq(), 1);
}

#[tokio::test]
async fn of_many_appends_behind_one_head_one_wins() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    let tries = (0..50).map(|n| {
        let (vault, talk) = (vault.clone(), talk.clone());
        tokio::spawn(
            async move { vault.append(&talk, EntryNumber(0), vec![said(&format!("m{n}"), "x")]).await.is_ok() },
        )
    });
    let won = futures_count(tries).await;
    assert_eq!((won, vault.head_seq()), (1, 1));
}

async fn futures_count(tasks: impl Iterator<Item = tokio::task::JoinHandle<bool>>) -> usize {
    let tasks: Vec<_> = tasks.collect();
    let mut won = 0;
    for task in tasks {
        won += usize::from(task.await.unwrap());
    }
    won
}

#[tokio::test]
async fn seq_counts_over_conversations_and_the_stream_reads_it_in_order() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let (a, b) = (conversation_in(&vault, "a").await, conversation_in(&vault, "b").await);
    let mut head = vault.follow_head();
    vault.append(&a, EntryNumber(0), vec![said("m1", "one"), said("m2", "two")]).await.unwrap();
    vault.append(&b, EntryNumber(0), vec![said("m1", "three")]).await.unwrap();
    vault.append(&a, EntryNumber(2), vec![said("m4", "four")]).await.unwrap();
    assert_eq!(*head.borrow_and_update(), 4);
    let stream = vault.entries_since(1, 100).await.unwrap();
    let places: Vec<_> =
        stream.iter().map(|entry| (entry.seq, entry.conversation.as_str(), entry.entry.number.0)).collect();
    assert_eq!(places, [(2, "a", 2), (3, "b", 1), (4, "a", 3)]);
    assert_eq!(vault.entries_since(4, 100).await.unwrap(), []);
    assert_eq!(vault.entries_since(0, 2).await.unwrap().len(), 2);
}

#[tokio::test]
async fn behind_a_number_that_no_entry_can_have_there_is_nothing() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    vault.append(&talk, EntryNumber(0), vec![said("m1", "one")]).await.unwrap();
    for number in [u64::MAX, 1 << 63, (1 << 63) - 1] {
        assert_eq!(vault.load(&talk, EntryNumber(number)).await.unwrap(), [], "{number}");
        assert_eq!(vault.entries_since(number, 10).await.unwrap(), [], "{number}");
    }
}

#[tokio::test]
async fn a_message_sent_twice_is_found_and_never_stored_twice() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    vault.append(&talk, EntryNumber(0), vec![said("m1", "one")]).await.unwrap();
    let found = vault.entry_of_message(talk.clone(), MessageId::new("m1")).await.unwrap();
    assert_eq!(found, Some(EntryNumber(1)));
    let again = vault.append(&talk, EntryNumber(1), vec![said("m1", "one")]).await;
    assert!(matches!(again, Err(JournalError::Storage(_))));
    assert_eq!(vault.load(&talk, EntryNumber(0)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_conversation_is_unfinished_from_its_first_message() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    conversation_in(&vault, "silent").await;
    assert_eq!(vault.unfinished().await.unwrap(), []);
    vault.append(&talk, EntryNumber(0), vec![said("m1", "one")]).await.unwrap();
    assert_eq!(vault.unfinished().await.unwrap(), [talk]);
}

#[tokio::test]
async fn what_was_appended_survives_a_kill_at_once() {
    let world = World::new();
    let instance = world.set_up().await;
    let vault = open_vault(&instance).await;
    let talk = conversation_in(&vault, "talk").await;
    for number in 0..20 {
        let entries =
            vault.append(&talk, EntryNumber(number), vec![said(&format!("m{number}"), "kept")]).await.unwrap();
        assert_eq!(entries.len(), 1);
    }
    // The server still runs; the copy is what a kill at this moment leaves on the disk.
    let after = World::new();
    disk::copy_tree(&world.root, &after.root);
    let vault = open_vault(&after.open().await).await;
    let entries = vault.load(&talk, EntryNumber(0)).await.unwrap();
    assert_eq!(entries.len(), 20);
    assert!(entries.iter().all(|entry| matches!(&entry.body, Body::Said(message) if message.text == "kept")));
    assert_eq!((vault.head_seq(), vault.entries_since(0, 100).await.unwrap().len()), (20, 20));
    vault.append(&talk, EntryNumber(20), vec![said("m20", "goes on")]).await.unwrap();
}

#[tokio::test]
async fn a_locked_vault_answers_closed() {
    let world = World::new();
    let instance = world.set_up().await;
    let vault = open_vault(&instance).await;
    let talk = conversation_in(&vault, "talk").await;
    let person = instance.people().await.unwrap().remove(0);
    assert!(!vault.is_closed());
    instance.lock(person.id).await;
    assert!(vault.is_closed());
    let closed = |ended: Result<(), JournalError>| matches!(ended, Err(JournalError::Closed));
    assert!(closed(vault.load(&talk, EntryNumber(0)).await.map(drop)));
    assert!(closed(vault.append(&talk, EntryNumber(0), vec![said("m1", "x")]).await.map(drop)));
    assert!(closed(vault.unfinished().await.map(drop)));
    assert_eq!(crate::world::names_in(&world.root.join("vaults")).len(), 1, "no journal file is left open");
}

/// A page that was told of an entry comes back with its number, and must not hear that this number means nothing.
#[tokio::test]
async fn an_entry_that_was_read_is_never_beyond_the_head() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    // Its caller goes away before it can say that the entry is durable.
    let append = vault.append(&talk, EntryNumber(0), vec![said("m1", "hello")]);
    let _ = tokio::time::timeout(Duration::ZERO, append).await;
    while vault.entries_since(0, 10).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(vault.head_seq(), 1);
}
