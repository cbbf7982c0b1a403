//! How often a password may be tried: counted before the derivation, given back when it was right (PEOPLE-9, 10).
//! Not here: how many derivations run at once (`kdf`).

use std::time::Duration;

use domain::time::Timestamp;
use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};

use crate::error::{SignInError, StoreError};
use crate::kdf::Address;

const QUARTER: i64 = 15 * 60 * 1000;
const HOUR: i64 = 60 * 60 * 1000;

const PER_HANDLE_AND_ADDRESS: usize = 5;
const PER_ADDRESS: usize = 20;
const PER_HANDLE: usize = 30;
const PER_DEVICE: usize = 10;

/// Who tries: the handle as typed, from where, and on which known device of that person.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Try {
    pub(crate) handle: [u8; 32],
    pub(crate) address: Address,
    pub(crate) device: Option<i64>,
}

/// The handle as it is counted: people type passwords into the wrong field, so the text itself is not kept.
pub(crate) fn handle_hash(typed: &str) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(b"riad attempt v1");
    hasher.update(typed.as_bytes());
    hasher.finalize().into()
}

/// Counts a try and returns its row, or says how long to wait without counting it.
pub(crate) fn count(db: &Connection, attempt: Try, now: Timestamp) -> Result<i64, SignInError> {
    db.execute("DELETE FROM attempts WHERE at <= ?1", [now.0 - HOUR])?;
    let wait = match attempt.device {
        Some(_) => wait_of(db, attempt, now, "device = ?4", QUARTER, PER_DEVICE)?,
        None => {
            let both = "handle = ?2 AND address = ?3 AND device IS NULL";
            let waits = [
                wait_of(db, attempt, now, both, QUARTER, PER_HANDLE_AND_ADDRESS)?,
                wait_of(db, attempt, now, "address = ?3 AND device IS NULL", QUARTER, PER_ADDRESS)?,
                wait_of(db, attempt, now, "handle = ?2 AND device IS NULL", HOUR, PER_HANDLE)?,
            ];
            waits.into_iter().max().unwrap_or(0)
        }
    };
    if wait > 0 {
        return Err(SignInError::Throttled { retry_after: Duration::from_millis(wait.unsigned_abs()) });
    }
    db.execute(
        "INSERT INTO attempts (handle, address, device, at) VALUES (?1, ?2, ?3, ?4)",
        params![attempt.handle, attempt.address.bytes(), attempt.device, now.0],
    )?;
    Ok(db.last_insert_rowid())
}

/// Takes a counted try back: it was right, or nothing was derived for it.
pub(crate) fn give_back(db: &Connection, row: i64) -> Result<(), StoreError> {
    db.execute("DELETE FROM attempts WHERE id = ?1", [row])?;
    Ok(())
}

/// Milliseconds until fewer than `most` tries lie in the window; 0 if that is so now.
fn wait_of(
    db: &Connection,
    attempt: Try,
    now: Timestamp,
    which: &str,
    window: i64,
    most: usize,
) -> Result<i64, StoreError> {
    let mut statement =
        db.prepare_cached(&format!("SELECT at FROM attempts WHERE at > ?1 AND {which} ORDER BY at DESC LIMIT ?5"))?;
    let times = statement
        .query_map(params![now.0 - window, attempt.handle, attempt.address.bytes(), attempt.device, most], |row| {
            row.get::<_, i64>(0)
        })?;
    let times = times.collect::<Result<Vec<_>, _>>()?;
    Ok(times.get(most - 1).map_or(0, |oldest| (oldest + window - now.0).max(1)))
}
