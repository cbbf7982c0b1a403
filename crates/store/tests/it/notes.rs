//! Private notes: every version kept, stale writes refused, limits named, search that hears no operators.

use std::sync::Arc;

use domain::digest::Digest;
use domain::id::CallId;
use domain::time::Timestamp;
use harness::ports::{Clock, NoteError, Notes};

use crate::world::{NOW, World, open_vault};

struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        NOW
    }

    fn new_id(&self) -> String {
        "00000000000000000000000000".to_owned()
    }
}

async fn notes(world: &World) -> (store::Vault, Arc<dyn Notes>) {
    let vault = open_vault(&world.set_up().await).await;
    let notes = vault.notes(Arc::new(Fixed));
    (vault, notes)
}

fn call(id: &str) -> CallId {
    CallId::new(id)
}

fn of(text: &str) -> Option<Digest> {
    Some(Digest::of_bytes(text.as_bytes()))
}

#[tokio::test]
async fn they_keep_the_promises_of_the_port() {
    let world = World::new();
    let (_vault, notes) = notes(&world).await;
    testkit::contract::notes::check(&*notes).await;
}

#[tokio::test]
async fn a_note_is_written_read_and_every_version_kept() {
    let world = World::new();
    let (vault, notes) = notes(&world).await;
    assert_eq!(notes.read("me.md").await.unwrap(), None);
    notes.write("me.md", None, "one", &call("c1")).await.unwrap();
    notes.write("me.md", of("one"), "two", &call("c2")).await.unwrap();
    notes.write("people/noor.md", None, "likes kettles", &call("c3")).await.unwrap();
    assert_eq!(notes.read("me.md").await.unwrap().as_deref(), Some("two"));
    let listed = notes.list().await.unwrap();
    assert_eq!(listed, [("me.md".to_owned(), 3), ("people/noor.md".to_owned(), 13)]);
    let versions = vault.note_versions("me.md".to_owned()).await.unwrap();
    let kept: Vec<_> = versions
        .iter()
        .map(|version| (version.version, version.call.as_ref().map(CallId::as_str), version.text.as_deref()))
        .collect();
    assert_eq!(kept, [(2, Some("c2"), Some("two")), (1, Some("c1"), Some("one"))]);
}

#[tokio::test]
async fn a_stale_write_changes_nothing() {
    let world = World::new();
    let (vault, notes) = notes(&world).await;
    notes.write("me.md", None, "one", &call("c1")).await.unwrap();
    for stale in [None, of("another")] {
        assert_eq!(notes.write("me.md", stale, "two", &call("c2")).await, Err(NoteError::Stale));
    }
    assert_eq!(notes.write("new.md", of("one"), "two", &call("c2")).await, Err(NoteError::Stale));
    assert_eq!(notes.read("me.md").await.unwrap().as_deref(), Some("one"));
    assert_eq!(vault.note_versions("me.md".to_owned()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn of_many_writes_behind_one_hash_one_wins() {
    let world = World::new();
    let (_vault, notes) = notes(&world).await;
    let tasks: Vec<_> = (0..30)
        .map(|n| {
            let notes = notes.clone();
            tokio::spawn(async move { notes.write("me.md", None, &format!("text {n}"), &call("c")).await.is_ok() })
        })
        .collect();
    let mut won = 0;
    for task in tasks {
        won += usize::from(task.await.unwrap());
    }
    assert_eq!(won, 1);
}

#[tokio::test]
async fn limits_are_named() {
    let world = World::new();
    let (_vault, notes) = notes(&world).await;
    let long = "a".repeat(201);
    for path in ["", "/me.md", "me.md/", "../me.md", "a//b", "a/./b", "a\\b", "a\0b", "1/2/3/4/5/6/7", long.as_str()] {
        let refused = notes.write(path, None, "x", &call("c")).await;
        assert!(matches!(refused, Err(NoteError::Limit(_))), "{path:?}: {refused:?}");
    }
    // What `domain` refuses as a name is refused here too, whoever writes.
    for path in ["a:b.md", "con.md", "people/mara.md.", "a/../b.md", "n\u{202e}dm.exe", "..", "."] {
        let refused = notes.write(path, None, "x", &call("c")).await;
        assert!(matches!(refused, Err(NoteError::Limit(_))), "{path:?}: {refused:?}");
    }
    let whole = "x".repeat(64 * 1024);
    notes.write("1/2/3/4/5/6", None, &whole, &call("c")).await.unwrap();
    let refused = notes.write("big.md", None, &format!("{whole}x"), &call("c")).await;
    assert!(matches!(refused, Err(NoteError::Limit(_))));
}

#[tokio::test]
async fn search_finds_all_words_and_hears_no_operator() {
    let world = World::new();
    let (_vault, notes) = notes(&world).await;
    notes.write("tea.md", None, "Die grüne Kanne steht im Regal.", &call("c1")).await.unwrap();
    notes.write("kettle.md", None, "A quiet green kettle.", &call("c2")).await.unwrap();
    let paths = |hits: Vec<(String, String)>| hits.into_iter().map(|(path, _)| path).collect::<Vec<_>>();
    assert_eq!(paths(notes.search("green kettle", 10).await.unwrap()), ["kettle.md"]);
    assert_eq!(paths(notes.search("grune", 10).await.unwrap()), ["tea.md"], "diacritics are folded");
    assert_eq!(paths(notes.search("kettle.md", 10).await.unwrap()), ["kettle.md"], "paths are searched too");
    for odd in
        ["green AND kettle", "kettle OR kanne", "kettle NOT green", "text:kettle", "\"kettle", "kett*", "NEAR(a b)"]
    {
        let hits = notes.search(odd, 10).await.unwrap();
        assert!(hits.len() <= 1, "{odd} was heard as an operator: {hits:?}");
    }
    notes.write("kettle.md", of("A quiet green kettle."), "Gone.", &call("c3")).await.unwrap();
    assert_eq!(notes.search("kettle quiet", 10).await.unwrap(), []);
    for empty in ["", "  ", "*", "\"\""] {
        assert!(matches!(notes.search(empty, 10).await, Err(NoteError::Limit(_))), "{empty:?}");
    }
}
