//! Keys of requests that create or act: the same key again gives the first answer (UI-6). The answer is
//! stored after the effect, so every effect bears the key itself (the id of a message, of a conversation, the key of an
//! answer): done again after a crash in between, it changes nothing and is answered alike. Not here: what a route answers.

use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::vault::Vault;

/// How long an answer is kept.
const KEPT: i64 = 24 * 60 * 60 * 1000;

/// What a key means now.
#[derive(Debug, PartialEq, Eq)]
pub enum Begun {
    /// Nobody used it, or its work was cut off before its effect: do the work and finish the ticket.
    New(Ticket),
    /// The work is done: this was the answer.
    Replay {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: Vec<u8>,
    },
    /// The work is under way.
    Working,
    /// The key was used for another request.
    KeyReused,
}

/// The right and the duty to answer for one key. It can be answered once; clones are for a second try after the first
/// effect did not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    key: String,
}

impl Vault {
    /// Looks a key up and takes it if it is free. `request` is the SHA-256 of the body.
    pub async fn begin(
        &self,
        key: String,
        route: String,
        request: [u8; 32],
        now: Timestamp,
    ) -> Result<Begun, StoreError> {
        let asked = Asked { key, route, request, opened: self.0.opened, now };
        // Who waits for another's answer asks often, so looking alone writes nothing.
        let seen = {
            let asked = asked.clone();
            self.read(move |db| see(db, &asked)).await?
        };
        match seen {
            Some(begun) => Ok(begun),
            None => self.write(move |db| take(db, asked)).await,
        }
    }

    /// Whether a request that is no message used this key.
    pub async fn is_key(&self, key: String, now: Timestamp) -> Result<bool, StoreError> {
        self.read(move |db| Ok(known(db, &key)?.is_some_and(|row| row.at > now.0 - KEPT))).await
    }

    /// Stores the answer of work that is done.
    pub async fn finish(&self, ticket: Ticket, status: u16, body: Vec<u8>) -> Result<(), StoreError> {
        self.write(move |db| store(db, &ticket, status, &body)).await
    }

    /// Gives a key free: nothing was done, and the same request may come again.
    pub async fn abandon(&self, ticket: Ticket) -> Result<(), StoreError> {
        self.write(move |db| {
            db.execute("DELETE FROM idempotency WHERE key = ?1 AND status IS NULL", [ticket.key])?;
            Ok(())
        })
        .await
    }
}

struct Row {
    route: String,
    request: [u8; 32],
    opened: u64,
    at: i64,
    answer: Option<(u16, Vec<u8>)>,
}

fn known(db: &Connection, key: &str) -> Result<Option<Row>, StoreError> {
    let mut statement =
        db.prepare_cached("SELECT route, request, opened, at, status, body FROM idempotency WHERE key = ?1")?;
    let row = statement.query_row([key], |row| {
        let answer: (Option<u16>, Option<Vec<u8>>) = (row.get(4)?, row.get(5)?);
        let answer = answer.0.zip(answer.1);
        Ok(Row { route: row.get(0)?, request: row.get(1)?, opened: row.get(2)?, at: row.get(3)?, answer })
    });
    Ok(row.optional()?)
}

/// A request's key with what else must be the same.
#[derive(Clone)]
struct Asked {
    key: String,
    route: String,
    request: [u8; 32],
    opened: u64,
    now: Timestamp,
}

/// What a key means, or nothing if it is free: unused, too old, or of work that was cut off when the vault was last
/// closed.
fn see(db: &Connection, asked: &Asked) -> Result<Option<Begun>, StoreError> {
    let known = known(db, &asked.key)?.filter(|row| row.at > asked.now.0 - KEPT);
    Ok(match known {
        Some(row) if row.route != asked.route || row.request != asked.request => Some(Begun::KeyReused),
        Some(Row { answer: Some((status, body)), .. }) => Some(Begun::Replay { status, body }),
        Some(row) if row.opened == asked.opened => Some(Begun::Working),
        _ => None,
    })
}

fn is_message(db: &Connection, key: &str) -> Result<bool, StoreError> {
    // In this order the index by conversation and message answers, one look a conversation.
    let mut statement = db.prepare_cached(
        "SELECT 1 FROM conversations CROSS JOIN entries
         WHERE entries.conversation = conversations.id AND entries.message = ?1",
    )?;
    Ok(statement.exists([key])?)
}

/// Takes the key if it is still free.
fn take(db: &Connection, asked: Asked) -> Result<Begun, StoreError> {
    if let Some(begun) = see(db, &asked)? {
        return Ok(begun);
    }
    // The key of a message is its id, and stands there alone.
    if is_message(db, &asked.key)? {
        return Ok(Begun::KeyReused);
    }
    db.execute("DELETE FROM idempotency WHERE at <= ?1", [asked.now.0 - KEPT])?;
    db.execute(
        "INSERT OR REPLACE INTO idempotency (key, route, request, opened, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![asked.key, asked.route, asked.request, asked.opened, asked.now.0],
    )?;
    Ok(Begun::New(Ticket { key: asked.key }))
}

fn store(db: &Connection, ticket: &Ticket, status: u16, body: &[u8]) -> Result<(), StoreError> {
    let stored = db.execute(
        "UPDATE idempotency SET status = ?2, body = ?3 WHERE key = ?1 AND status IS NULL",
        params![ticket.key, status, body],
    )?;
    if stored == 0 { Err(StoreError::Corrupt("idempotency key")) } else { Ok(()) }
}
