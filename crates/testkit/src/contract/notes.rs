//! What the notes of a vault promise. Give it notes that hold nothing.

use domain::digest::Digest;
use domain::id::CallId;
use harness::ports::{NoteError, Notes};

/// Checks all promises but that older versions are kept, which the port does not show.
pub async fn check(notes: &dyn Notes) {
    let origin = CallId::new("c1");
    let hash = |text: &str| Some(Digest::of_bytes(text.as_bytes()));
    assert_eq!(notes.list().await, Ok(Vec::new()), "give the contract notes that hold nothing");
    assert_eq!(notes.read("plan.md").await, Ok(None), "a note that is not there reads as none");
    assert_eq!(notes.write("plan.md", None, "Plan: à vélo\nsecond line", &origin).await, Ok(()));
    assert_eq!(notes.read("plan.md").await, Ok(Some("Plan: à vélo\nsecond line".to_owned())), "a note reads back");

    let twice = notes.write("plan.md", None, "other", &origin).await;
    assert_eq!(twice, Err(NoteError::Stale), "2: a new note does not go over one that exists");
    let wrong = notes.write("plan.md", hash("never"), "other", &origin).await;
    assert_eq!(wrong, Err(NoteError::Stale), "2: another expected hash changes nothing");
    let absent = notes.write("absent.md", hash("x"), "other", &origin).await;
    assert_eq!(absent, Err(NoteError::Stale), "2: a note that is not there has no hash");
    assert_eq!(notes.read("plan.md").await, Ok(Some("Plan: à vélo\nsecond line".to_owned())), "2: nothing has changed");
    assert_eq!(notes.read("absent.md").await, Ok(None), "2: nothing has changed");

    assert_eq!(notes.write("plan.md", hash("Plan: à vélo\nsecond line"), "new", &origin).await, Ok(()));
    assert_eq!(notes.write("a/b.md", None, "the new key", &origin).await, Ok(()));
    let listed = vec![("a/b.md".to_owned(), 11), ("plan.md".to_owned(), 3)];
    assert_eq!(notes.list().await, Ok(listed), "notes are listed in order, with their sizes in bytes");

    let hits = notes.search("NEW key", 10).await;
    assert_eq!(hits, Ok(vec![("a/b.md".to_owned(), "the new key".to_owned())]), "a hit holds all words");
    assert_eq!(notes.search("new", 1).await.map(|hits| hits.len()), Ok(1), "a limit is kept");
}
