//! The list of conversations: made once, named, put away, paged without a gap.

use domain::id::EntryNumber;
use domain::time::Timestamp;
use harness::ports::Journal as _;
use store::{ConversationState, ListFrom};

use crate::world::{NOW, World, conversation, conversation_in, open_vault, said};

#[tokio::test]
async fn a_conversation_is_made_once_named_and_put_away() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    vault.rename_conversation(talk.clone(), "Tea".to_owned(), Timestamp(NOW.0 + 5)).await.unwrap();
    conversation_in(&vault, "talk").await;
    let summary = vault.conversation(talk.clone()).await.unwrap().unwrap();
    assert_eq!((summary.title.as_str(), summary.head), ("Tea", 0));
    assert_eq!((summary.created_at, summary.changed_at), (NOW, Timestamp(NOW.0 + 5)));
    assert!(vault.set_conversation_state(talk.clone(), ConversationState::Archived).await.unwrap());
    assert_eq!(vault.conversations(ConversationState::Open, ListFrom::Top, 50).await.unwrap(), []);
    assert_eq!(vault.conversations(ConversationState::Archived, ListFrom::Top, 50).await.unwrap().len(), 1);
    assert!(!vault.rename_conversation(conversation("other"), "x".to_owned(), NOW).await.unwrap());
}

#[tokio::test]
async fn pages_show_each_line_once() {
    let world = World::new();
    let vault = open_vault(&world.set_up().await).await;
    for n in 0..25_i64 {
        let at = Timestamp(NOW.0 + n / 5);
        vault.create_conversation(conversation(&format!("c-{n:02}")), String::new(), at, None).await.unwrap();
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
