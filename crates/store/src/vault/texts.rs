//! Profiles and commands that a person wrote: plain texts with all their versions. What is in them is not read here.

use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::vault::Vault;

/// Most texts of a kind in a vault.
const TEXTS: u64 = 200;

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// A profile, as `agents/<name>/AGENT.md` would hold it.
    Agent,
    /// A command, as `commands/<name>.md` would hold it.
    Command,
}

impl TextKind {
    fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Command => "command",
        }
    }
}

/// A text as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnText {
    /// Its name.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Counted from 1; a text that is made again goes on counting.
    pub version: u64,
    /// When it was written.
    pub changed_at: Timestamp,
}

/// What came of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrote {
    /// This version stands now.
    Version(u64),
    /// Another version stands than was seen; nothing changed.
    Stale,
    /// There are too many.
    Full,
}

impl Vault {
    /// All texts of a kind, by name.
    pub async fn own_texts(&self, kind: TextKind) -> Result<Vec<OwnText>, StoreError> {
        self.read(move |db| {
            let mut statement = db.prepare_cached(
                "SELECT name, text, version, changed_at FROM own_texts WHERE kind = ?1 ORDER BY name",
            )?;
            let texts = statement.query_map([kind.word()], |row| {
                let (name, text, version) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(OwnText { name, text, version, changed_at: Timestamp(row.get(3)?) })
            })?;
            Ok(texts.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The text of one version, also when it was changed or removed since.
    pub async fn own_text_version(
        &self,
        kind: TextKind,
        name: String,
        version: u64,
    ) -> Result<Option<String>, StoreError> {
        self.read(move |db| {
            let mut statement =
                db.prepare_cached("SELECT text FROM own_text_versions WHERE kind = ?1 AND name = ?2 AND version = ?3")?;
            let text = statement.query_row(params![kind.word(), name, version], |row| row.get::<_, Option<String>>(0));
            Ok(text.optional()?.flatten())
        })
        .await
    }

    /// Writes a text over the version that was seen, 0 for none.
    pub async fn write_own_text(
        &self,
        kind: TextKind,
        name: String,
        seen: u64,
        text: String,
        now: Timestamp,
    ) -> Result<Wrote, StoreError> {
        self.write(move |db| write(db, kind, &name, seen, &text, now)).await
    }

    /// Removes a text, if its version is the one that was seen. Its versions stay.
    pub async fn remove_own_text(
        &self,
        kind: TextKind,
        name: String,
        seen: u64,
        now: Timestamp,
    ) -> Result<Wrote, StoreError> {
        self.write(move |db| {
            if standing(db, kind, &name)? != seen || seen == 0 {
                return Ok(Wrote::Stale);
            }
            let version = keep_version(db, kind, &name, None, now)?;
            db.execute("DELETE FROM own_texts WHERE kind = ?1 AND name = ?2", params![kind.word(), name])?;
            Ok(Wrote::Version(version))
        })
        .await
    }
}

fn write(
    db: &Connection,
    kind: TextKind,
    name: &str,
    seen: u64,
    text: &str,
    now: Timestamp,
) -> Result<Wrote, StoreError> {
    if standing(db, kind, name)? != seen {
        return Ok(Wrote::Stale);
    }
    let count: u64 = db.query_row("SELECT count(*) FROM own_texts WHERE kind = ?1", [kind.word()], |row| row.get(0))?;
    if seen == 0 && count >= TEXTS {
        return Ok(Wrote::Full);
    }
    let version = keep_version(db, kind, name, Some(text), now)?;
    db.execute(
        "INSERT INTO own_texts (kind, name, text, version, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (kind, name) DO UPDATE SET text = excluded.text, version = excluded.version,
             changed_at = excluded.changed_at",
        params![kind.word(), name, text, version, now.0],
    )?;
    Ok(Wrote::Version(version))
}

/// The version that stands, 0 for none.
fn standing(db: &Connection, kind: TextKind, name: &str) -> Result<u64, StoreError> {
    let mut statement = db.prepare_cached("SELECT version FROM own_texts WHERE kind = ?1 AND name = ?2")?;
    Ok(statement.query_row(params![kind.word(), name], |row| row.get(0)).optional()?.unwrap_or(0))
}

fn keep_version(
    db: &Connection,
    kind: TextKind,
    name: &str,
    text: Option<&str>,
    now: Timestamp,
) -> Result<u64, StoreError> {
    let version: u64 = db.query_row(
        "SELECT coalesce(max(version), 0) + 1 FROM own_text_versions WHERE kind = ?1 AND name = ?2",
        params![kind.word(), name],
        |row| row.get(0),
    )?;
    db.execute(
        "INSERT INTO own_text_versions (kind, name, version, text, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![kind.word(), name, version, text, now.0],
    )?;
    Ok(version)
}
