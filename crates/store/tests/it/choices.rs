//! What a person chose and wrote stands after the vault was shut, and a version is found again after its text is gone.

use domain::model::Tier;
use domain::profile::Choice;
use domain::time::Timestamp;
use store::{TextKind, Wrote};

use crate::world::{NOW, World, conversation_in, open_vault, sign_in};

#[tokio::test]
async fn a_choice_stands_after_a_restart_and_each_conversation_has_its_own() {
    let world = World::new();
    let instance = world.set_up().await;
    let vault = open_vault(&instance).await;
    let talk = conversation_in(&vault, "talk").await;
    assert_eq!(vault.choice(Some(talk.clone())).await.unwrap(), Choice::default());
    let far = Choice { model: Some("own/large".into()), profile: Some("me/helper".into()), tier: Some(Tier::Trusted) };
    let usual = Choice { tier: Some(Tier::Device), ..Choice::default() };
    vault.choose(Some(talk.clone()), far.clone(), NOW).await.unwrap();
    vault.choose(None, Choice { model: Some("small".into()), ..usual.clone() }, NOW).await.unwrap();
    vault.choose(None, usual.clone(), NOW).await.unwrap();
    instance.close().await;
    let instance = world.open().await;
    let vault = sign_in(&instance).await.vault.unwrap();
    assert_eq!(vault.choice(Some(talk)).await.unwrap(), far);
    assert_eq!(vault.choice(None).await.unwrap(), usual);
}

#[tokio::test]
async fn a_text_is_written_over_what_was_seen_and_its_versions_outlive_it() {
    let vault = open_vault(&World::new().set_up().await).await;
    let write = |seen, text: &str| {
        vault.write_own_text(TextKind::Agent, "helper".to_owned(), seen, text.to_owned(), Timestamp(NOW.0 + 1))
    };
    let version = |version| vault.own_text_version(TextKind::Agent, "helper".to_owned(), version);
    assert_eq!(write(0, "one").await.unwrap(), Wrote::Version(1));
    assert_eq!(write(0, "other").await.unwrap(), Wrote::Stale);
    assert_eq!(write(1, "two").await.unwrap(), Wrote::Version(2));
    let texts = vault.own_texts(TextKind::Agent).await.unwrap();
    assert_eq!((texts.len(), texts[0].text.as_str(), texts[0].version), (1, "two", 2));
    assert!(vault.own_texts(TextKind::Command).await.unwrap().is_empty());
    let remove = |seen| vault.remove_own_text(TextKind::Agent, "helper".to_owned(), seen, NOW);
    assert_eq!(remove(1).await.unwrap(), Wrote::Stale);
    assert_eq!(remove(2).await.unwrap(), Wrote::Version(3));
    assert_eq!(remove(0).await.unwrap(), Wrote::Stale);
    assert!(vault.own_texts(TextKind::Agent).await.unwrap().is_empty());
    assert_eq!(version(1).await.unwrap().as_deref(), Some("one"));
    assert_eq!((version(3).await.unwrap(), version(9).await.unwrap()), (None, None));
    assert_eq!(write(0, "again").await.unwrap(), Wrote::Version(4), "a version is never given twice");
}

#[tokio::test]
async fn there_is_room_for_two_hundred_texts_of_a_kind() {
    let vault = open_vault(&World::new().set_up().await).await;
    for n in 0..200 {
        let wrote = vault.write_own_text(TextKind::Command, format!("c{n}"), 0, "x".to_owned(), NOW).await.unwrap();
        assert_eq!(wrote, Wrote::Version(1));
    }
    let more = vault.write_own_text(TextKind::Command, "more".to_owned(), 0, "x".to_owned(), NOW).await.unwrap();
    assert_eq!(more, Wrote::Full);
    let known = vault.write_own_text(TextKind::Command, "c0".to_owned(), 1, "y".to_owned(), NOW).await.unwrap();
    assert_eq!(known, Wrote::Version(2));
}
