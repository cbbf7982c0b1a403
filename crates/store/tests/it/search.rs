//! What was said and answered is found again, in its own vault and wherever it is listed.

use domain::entry::{Body, Draft};
use domain::id::{ConversationId, EntryNumber, FrameId, TurnId};
use harness::ports::Journal as _;
use store::{ConversationChange, ConversationState, Hit, Search, Speaker, Vault};
use testkit::counts;

use crate::world::{NOW, World, conversation_in, open_vault, said};

async fn found(vault: &Vault, words: &str) -> Vec<Hit> {
    let search = Search { words: words.to_owned(), conversation: None, before: None, limit: 50 };
    vault.search(search).await.unwrap()
}

async fn say(vault: &Vault, talk: &ConversationId, head: u64, text: &str) {
    let draft = said(&format!("m-{}-{head}", talk.as_str()), text);
    vault.append(talk, EntryNumber(head), vec![draft]).await.unwrap();
}

#[tokio::test]
async fn words_are_found_in_all_conversations_newest_first() {
    let vault = open_vault(&World::new().set_up().await).await;
    let (one, two) = (conversation_in(&vault, "one").await, conversation_in(&vault, "two").await);
    say(&vault, &one, 0, "Water the lemon tree in the Courtyard").await;
    say(&vault, &two, 0, "The courtyard needs lamps").await;
    let archived = ConversationChange { state: Some(ConversationState::Archived), ..ConversationChange::default() };
    vault.change_conversation(one.clone(), archived, NOW, |_| true).await.unwrap();
    let hits = found(&vault, "COURT").await;
    assert_eq!(hits.iter().map(|hit| hit.conversation.clone()).collect::<Vec<_>>(), [two.clone(), one.clone()]);
    assert_eq!((hits[1].state, hits[1].speaker, hits[1].number), (ConversationState::Archived, Speaker::Person, 1));
    assert_eq!(found(&vault, "lemon courtyard").await.len(), 1, "all the words must be there");
    assert_eq!(found(&vault, "mon").await, [], "a word is found from its beginning");
    say(&vault, &two, 1, "Lamps again, in the courtyard").await;
    let before = found(&vault, "courtyard").await;
    assert_eq!(before.len(), 3, "what came after the first search is found too");
    let next = Search { words: "courtyard".into(), conversation: Some(two), before: Some(before[0].seq), limit: 50 };
    let hits = vault.search(next).await.unwrap();
    assert_eq!(hits.iter().map(|hit| hit.number).collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn operators_of_the_search_language_are_words_like_others() {
    let vault = open_vault(&World::new().set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    say(&vault, &talk, 0, "near or not").await;
    for words in ["\"", "*", "-", "text:near AND NOT", "(", "NEAR(", "^near", "near\0"] {
        let search = Search { words: words.into(), conversation: None, before: None, limit: 50 };
        vault.search(search).await.unwrap_or_else(|fault| panic!("{words}: {fault}"));
    }
    assert_eq!(found(&vault, "NEAR or").await.len(), 1);
}

#[tokio::test]
async fn what_is_said_inside_the_machine_is_not_found() {
    let vault = open_vault(&World::new().set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    let inner = Draft { frame: FrameId::new("inner"), ..said("m1", "a task for somebody else") };
    let stopped = Draft { at: NOW, turn: TurnId::new("t"), frame: FrameId::outer(), body: Body::Stopped };
    vault.append(&talk, EntryNumber(0), vec![inner, stopped]).await.unwrap();
    assert_eq!(found(&vault, "task").await, []);
    assert_eq!(found(&vault, "stopped").await, []);
}

/// The row's 100,000 entries with the full counts; the time is measured by a bench.
#[tokio::test]
async fn every_one_of_many_entries_is_found() {
    let many = counts::pick(2_000, 100_000);
    let vault = open_vault(&World::new().set_up().await).await;
    let talk = conversation_in(&vault, "talk").await;
    for batch in 0..many / 500 {
        let drafts =
            (0..500).map(|n| said(&format!("m{}", batch * 500 + n), &format!("number n{}x of many", batch * 500 + n)));
        vault.append(&talk, EntryNumber((batch * 500) as u64), drafts.collect()).await.unwrap();
    }
    for number in [0, 499, 500, many - 1] {
        let hits = found(&vault, &format!("n{number}x many")).await;
        assert!(hits.iter().any(|hit| hit.number == number as u64 + 1), "{number}");
    }
    assert_eq!(found(&vault, "many").await.len(), 50);
}
