//! The audit log: append-only rows, each bound to the one before it by SHA-256 (PEOPLE-90). Ids and acts, no content.

use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};
use sha2::{Digest as _, Sha256};

use crate::error::StoreError;
use crate::id::PersonId;

/// What an audit row says was done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    SetUp,
    SignedIn,
    SignInFailed,
    Unlocked,
    UnlockFailed,
    PasswordChanged,
}

impl Act {
    fn name(self) -> &'static str {
        match self {
            Self::SetUp => "set_up",
            Self::SignedIn => "signed_in",
            Self::SignInFailed => "sign_in_failed",
            Self::Unlocked => "unlocked",
            Self::UnlockFailed => "unlock_failed",
            Self::PasswordChanged => "password_changed",
        }
    }
}

/// The newest row: its number and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: i64,
    pub(crate) hash: [u8; 32],
}

/// Adds a row about `person`, who both acted and is concerned; nobody for an unknown handle.
pub(crate) fn append(db: &Connection, act: Act, person: Option<PersonId>, now: Timestamp) -> Result<(), StoreError> {
    let before = head(db)?.unwrap_or(Head { number: 0, hash: [0; 32] });
    let number = before.number + 1;
    let id = person.map(|id| id.to_string());
    let hash = chain(&before.hash, number, now, id.as_deref(), act.name());
    db.execute(
        "INSERT INTO audit (number, at, actor, subject, act, previous, hash) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6)",
        params![number, now.0, id, act.name(), before.hash, hash],
    )?;
    Ok(())
}

pub(crate) fn head(db: &Connection) -> Result<Option<Head>, StoreError> {
    let mut statement = db.prepare_cached("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")?;
    Ok(statement.query_row([], |row| Ok(Head { number: row.get(0)?, hash: row.get(1)? })).optional()?)
}

/// The number of the first row that does not fit the chain.
pub(crate) fn first_bad_row(db: &Connection) -> Result<Option<i64>, StoreError> {
    let mut statement =
        db.prepare("SELECT number, at, actor, subject, act, previous, hash FROM audit ORDER BY number")?;
    let mut rows = statement.query([])?;
    let mut before = Head { number: 0, hash: [0; 32] };
    while let Some(row) = rows.next()? {
        let number = row.get(0)?;
        let (actor, subject): (Option<String>, Option<String>) = (row.get(2)?, row.get(3)?);
        let act: String = row.get(4)?;
        let (previous, hash): ([u8; 32], [u8; 32]) = (row.get(5)?, row.get(6)?);
        let expected = chain(&before.hash, before.number + 1, Timestamp(row.get(1)?), actor.as_deref(), &act);
        if number != before.number + 1 || previous != before.hash || hash != expected || actor != subject {
            return Ok(Some(before.number + 1));
        }
        before = Head { number, hash };
    }
    Ok(None)
}

/// Lengths stand before texts, so that no two rows give the same bytes.
fn chain(previous: &[u8; 32], number: i64, at: Timestamp, person: Option<&str>, act: &str) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(b"riad audit v1");
    hasher.update(previous);
    hasher.update(number.to_be_bytes());
    hasher.update(at.0.to_be_bytes());
    for text in [person.unwrap_or_default(), act] {
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().into()
}
