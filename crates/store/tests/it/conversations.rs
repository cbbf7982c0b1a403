//! The list of conversations: made once, named, put away, paged without a gap.

use domain::id::{ConversationId, EntryNumber};
use domain::time::Timestamp;
use harness::ports::Journal as _;
use store::{Changed, ConversationChange, ConversationState, ListFrom, Vault};

use crate::world::{NOW, World, conversation, conversation_in, open_vault, said};

fn renamed(title: &str) -> ConversationChange {
    ConversationChange { title: Some(title.to_owned()), state: None }
}

async fn change(vault: &Vault, id: &ConversationId, change: ConversationChange, at: Timestamp) -> Changed {
    vault.change_conversation(id.clone(), change, at, |_| true).await.unwrap()
}

#[tokio::test]
async fn a_conversation_is_made_once_named_and_put_away() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    change(&vault, &talk, renamed("Tea"), Timestamp(NOW.0 + 5)).await;
    conversation_in(&vault, "talk").await;
    let summary = vault.conversation(talk.clone()).await.unwrap().unwrap();
    assert_eq!((summary.title.as_str(), summary.head), ("Tea", 0));
    assert_eq!((summary.created_at, summary.changed_at), (NOW, Timestamp(NOW.0 + 5)));
    let away = ConversationChange { title: None, state: Some(ConversationState::Archived) };
    let changed = change(&vault, &talk, away, NOW).await;
    assert!(matches!(changed, Changed::Done(line) if line.state == ConversationState::Archived));
    assert_eq!(vault.conversations(ConversationState::Open, ListFrom::Top, 50).await.unwrap(), []);
    assert_eq!(vault.conversations(ConversationState::Archived, ListFrom::Top, 50).await.unwrap().len(), 1);
    assert_eq!(change(&vault, &conversation("other"), renamed("x"), NOW).await, Changed::Absent);
}

#[tokio::test]
async fn of_many_changes_to_what_was_seen_one_is_made() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    let seen = vault.conversation(talk.clone()).await.unwrap().unwrap();
    let tries = (0..8).map(|n| {
        let (vault, talk, seen) = (vault.clone(), talk.clone(), seen.clone());
        async move {
            let change = renamed(if n % 2 == 0 { "Tea" } else { "" });
            vault.change_conversation(talk, change, NOW, move |there| *there == seen).await.unwrap()
        }
    });
    let outcomes = tries.collect::<tokio::task::JoinSet<_>>().join_all().await;
    let made: Vec<_> = outcomes.iter().filter(|outcome| matches!(outcome, Changed::Done(_))).collect();
    assert_eq!(made.len(), 1, "{outcomes:?}");
    assert!(outcomes.iter().all(|outcome| !matches!(outcome, Changed::Absent)));
}

#[tokio::test]
async fn pages_show_each_line_once() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    for n in 0..25_i64 {
        let at = Timestamp(NOW.0 + n / 5);
        vault.create_conversation(conversation(&format!("c-{n:02}")), String::new(), at).await.unwrap();
    }
    let mut from = ListFrom::Top;
    let mut seen = Vec::new();
    loop {
        let page = vault.conversations(ConversationState::Open, from, 4).await.unwrap();
        let Some(last) = page.last() else { break };
        from = ListFrom::After { changed_at: last.changed_at, id: last.id.clone() };
        seen.extend(page.into_iter().map(|line| line.id.as_str().to_owned()));
    }
    assert_eq!(seen.len(), 25);
    assert_eq!(seen.iter().collect::<std::collections::BTreeSet<_>>().len(), 25);
    assert_eq!((seen[0].as_str(), seen[24].as_str()), ("c-20", "c-04"));
}

#[tokio::test]
async fn an_entry_moves_its_conversation_to_the_top() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    conversation_in(&vault, "a").await;
    conversation_in(&vault, "b").await;
    let later = domain::entry::Draft { at: Timestamp(NOW.0 + 9), ..said("m1", "x") };
    vault.append(&conversation("b"), EntryNumber(0), vec![later]).await.unwrap();
    let list = vault.conversations(ConversationState::Open, ListFrom::Top, 50).await.unwrap();
    let order: Vec<_> = list.iter().map(|line| (line.id.as_str(), line.head)).collect();
    assert_eq!(order, [("b", 1), ("a", 0)]);
}
