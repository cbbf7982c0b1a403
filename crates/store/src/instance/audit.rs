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
    Joined,
    Invited,
    RoleChanged,
    Deactivated,
    Activated,
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
            Self::Joined => "joined",
            Self::Invited => "invited",
            Self::RoleChanged => "role_changed",
            Self::Deactivated => "deactivated",
            Self::Activated => "activated",
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
    append_about(db, act, person, person, now)
}

/// Adds a row about what `actor` did that concerns `subject`.
pub(crate) fn append_about(
    db: &Connection,
    act: Act,
    actor: Option<PersonId>,
    subject: Option<PersonId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let before = head(db)?.unwrap_or(Head { number: 0, hash: [0; 32] });
    let number = before.number + 1;
    let (actor, subject) = (actor.map(|id| id.to_string()), subject.map(|id| id.to_string()));
    let hash = chain(&before.hash, number, now, [actor.as_deref(), subject.as_deref(), Some(act.name())]);
    db.execute(
        "INSERT INTO audit (number, at, actor, subject, act, previous, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![number, now.0, actor, subject, act.name(), before.hash, hash],
    )?;
    Ok(())
}

pub(crate) fn head(db: &Connection) -> Result<Option<Head>, StoreError> {
    let mut statement = db.prepare_cached("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")?;
    Ok(statement.query_row([], |row| Ok(Head { number: row.get(0)?, hash: row.get(1)? })).optional()?)
}

/// True if each of these rows is in the log as it was.
pub(crate) fn holds_all(db: &Connection, heads: &[Head]) -> Result<bool, StoreError> {
    let mut statement = db.prepare_cached("SELECT EXISTS (SELECT 1 FROM audit WHERE number = ?1 AND hash = ?2)")?;
    for head in heads {
        if !statement.query_row(params![head.number, head.hash], |row| row.get(0))? {
            return Ok(false);
        }
    }
    Ok(true)
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
        let texts = [actor.as_deref(), subject.as_deref(), Some(act.as_str())];
        let expected = chain(&before.hash, before.number + 1, Timestamp(row.get(1)?), texts);
        if number != before.number + 1 || previous != before.hash || hash != expected {
            return Ok(Some(before.number + 1));
        }
        before = Head { number, hash };
    }
    Ok(None)
}

/// Lengths stand before texts, so that no two rows give the same bytes.
fn chain(previous: &[u8; 32], number: i64, at: Timestamp, texts: [Option<&str>; 3]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(b"riad audit v1");
    hasher.update(previous);
    hasher.update(number.to_be_bytes());
    hasher.update(at.0.to_be_bytes());
    for text in texts {
        let text = text.unwrap_or_default();
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().into()
}
