//! Private notes: Markdown under `user-memory/`, every version kept, searched in full text. No index spans two
//! people, because there is one in each vault. Not here: who may write when (`domain`'s gate).

use std::sync::Arc;

use async_trait::async_trait;
use domain::digest::Digest;
use domain::facts::Root;
use domain::id::CallId;
use domain::place::{Place, root_name};
use domain::time::Timestamp;
use harness::ports::{Clock, NoteError, Notes};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::vault::Vault;

/// Most bytes of a note.
const NOTE_BYTES: usize = 64 * 1024;
/// Most notes in a vault.
const NOTES: u64 = 5000;
/// Most hits of a search.
const HITS: usize = 50;

/// One kept version of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteVersion {
    /// Counted from 1 for each path.
    pub version: u64,
    /// When it was written.
    pub at: Timestamp,
    /// The call that wrote it, if a call did.
    pub call: Option<CallId>,
    /// Its text; nothing if the note was deleted by this version.
    pub text: Option<String>,
}

/// The notes of one vault with the clock that dates their versions.
struct VaultNotes {
    vault: Vault,
    clock: Arc<dyn Clock>,
}

impl Vault {
    /// The notes port of this vault.
    pub fn notes(&self, clock: Arc<dyn Clock>) -> Arc<dyn Notes> {
        Arc::new(VaultNotes { vault: self.clone(), clock })
    }

    /// All kept versions of a note, newest first.
    pub async fn note_versions(&self, path: String) -> Result<Vec<NoteVersion>, StoreError> {
        self.read(move |db| versions(db, &path)).await
    }
}

#[async_trait]
impl Notes for VaultNotes {
    async fn list(&self) -> Result<Vec<(String, u64)>, NoteError> {
        Ok(self.vault.read(|db| list(db)).await?)
    }

    async fn read(&self, path: &str) -> Result<Option<String>, NoteError> {
        let path = path.to_owned();
        Ok(self.vault.read(move |db| text(db, &path)).await?)
    }

    async fn write(&self, path: &str, expected: Option<Digest>, text: &str, origin: &CallId) -> Result<(), NoteError> {
        check_path(path)?;
        if text.len() > NOTE_BYTES {
            return Err(NoteError::Limit(format!(
                "a note has at most {NOTE_BYTES} bytes; this one has {}",
                text.len()
            )));
        }
        let (path, text) = (path.to_owned(), text.to_owned());
        let origin = serde_json::json!({ "call": origin.as_str() }).to_string();
        let now = self.clock.now();
        self.vault.write(move |db| write(db, &path, expected, &text, &origin, now)).await.map_err(NoteError::from)
    }

    async fn search(&self, words: &str, limit: usize) -> Result<Vec<(String, String)>, NoteError> {
        let query = quoted(words);
        if query.is_empty() {
            return Err(NoteError::Limit("name at least one word to search for".to_owned()));
        }
        Ok(self.vault.read(move |db| search(db, &query, limit.min(HITS))).await?)
    }
}

enum WriteError {
    Store(StoreError),
    Note(NoteError),
}

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<WriteError> for NoteError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Store(error) => error.into(),
            WriteError::Note(error) => error,
        }
    }
}

impl From<StoreError> for NoteError {
    fn from(error: StoreError) -> Self {
        tracing::error!(?error, "the notes failed");
        Self::Storage(error.to_string())
    }
}

/// A path of a note as `domain` reads it (PEOPLE-69), in its one spelling.
fn check_path(path: &str) -> Result<(), NoteError> {
    let place = Place::read(&format!("{}/{path}", root_name(Root::Notes)));
    let place = place.map_err(|fault| NoteError::Limit(fault.to_string()))?;
    if place.is_root() || place.below() != path {
        return Err(NoteError::Limit("a note's path is relative, as in people/mara.md".to_owned()));
    }
    Ok(())
}

fn list(db: &Connection) -> Result<Vec<(String, u64)>, StoreError> {
    let mut statement = db.prepare_cached("SELECT path, length(CAST(text AS BLOB)) FROM notes ORDER BY path")?;
    let notes = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok(notes)
}

fn text(db: &Connection, path: &str) -> Result<Option<String>, StoreError> {
    let mut statement = db.prepare_cached("SELECT text FROM notes WHERE path = ?1")?;
    Ok(statement.query_row([path], |row| row.get(0)).optional()?)
}

fn write(
    db: &Connection,
    path: &str,
    expected: Option<Digest>,
    new: &str,
    origin: &str,
    now: Timestamp,
) -> Result<(), WriteError> {
    let present = text(db, path)?.map(|text| Digest::of_bytes(text.as_bytes()));
    if present != expected {
        return Err(WriteError::Note(NoteError::Stale));
    }
    let count: u64 = db.query_row("SELECT count(*) FROM notes", [], |row| row.get(0))?;
    if present.is_none() && count >= NOTES {
        return Err(WriteError::Note(NoteError::Limit(format!("there are {NOTES} notes already; delete some first"))));
    }
    let hash = Digest::of_bytes(new.as_bytes()).bytes();
    let version: u64 =
        db.query_row("SELECT coalesce(max(version), 0) + 1 FROM note_versions WHERE path = ?1", [path], |row| {
            row.get(0)
        })?;
    db.execute(
        "INSERT INTO note_versions (path, version, text, hash, at, origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![path, version, new, hash, now.0, origin],
    )?;
    db.execute(
        "INSERT INTO notes (path, text, hash, version, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (path) DO UPDATE SET text = excluded.text, hash = excluded.hash, version = excluded.version,
             changed_at = excluded.changed_at",
        params![path, new, hash, version, now.0],
    )?;
    Ok(())
}

/// Every word in quotes, so that no operator of the search language is heard.
fn quoted(words: &str) -> String {
    let words = words.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    words.map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect::<Vec<_>>().join(" ")
}

fn search(db: &Connection, query: &str, limit: usize) -> Result<Vec<(String, String)>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT path, snippet(note_search, 1, '', '', '…', 32) FROM note_search WHERE note_search MATCH ?1
         ORDER BY rank LIMIT ?2",
    )?;
    let hits = statement.query_map(params![query, limit], |row| {
        let snippet: String = row.get(1)?;
        Ok((row.get(0)?, snippet.chars().take(300).collect()))
    })?;
    Ok(hits.collect::<Result<_, _>>()?)
}

fn versions(db: &Connection, path: &str) -> Result<Vec<NoteVersion>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT version, at, origin ->> 'call', text FROM note_versions WHERE path = ?1 ORDER BY version DESC",
    )?;
    let rows = statement.query_map([path], |row| {
        Ok(NoteVersion {
            version: row.get(0)?,
            at: Timestamp(row.get(1)?),
            call: row.get::<_, Option<String>>(2)?.map(CallId::new),
            text: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
