//! Sessions and devices as rows: hashed tokens with their ends (PEOPLE-11, 12). Role and state are read anew at each
//! request. Not here: how a session begins (`sign_in`) and whether it is unlocked (`vault`).

use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::id::PersonId;
use crate::instance::Instance;
use crate::instance::people::{self, Person, PersonState};
use crate::token::{DeviceToken, SessionToken};

const MINUTE: i64 = 60 * 1000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Without use for so long, a session ends.
const IDLE: i64 = 7 * DAY;
/// However much it is used, a session ends.
const LONGEST: i64 = 30 * DAY;
/// The end of a session on a device that is not the person's own.
const BORROWED: i64 = 12 * HOUR;
/// Use is noted at most so often; a clock set back by more than this ends a session.
const GRAIN: i64 = MINUTE;
/// A password counts as proof for so long.
const PROOF: i64 = 5 * MINUTE;

/// A person who is signed in, as of this request.
#[derive(Clone, Debug)]
pub struct Session {
    /// The account, read now.
    pub person: Person,
    pub(crate) token: [u8; 32],
    pub(crate) device: Option<i64>,
    lasting: bool,
    proved_at: Timestamp,
}

impl Session {
    /// Whether it outlives its browser; "not my device" does not.
    pub fn is_lasting(&self) -> bool {
        self.lasting
    }

    /// True if the password was given in the last five minutes.
    pub fn is_proved(&self, now: Timestamp) -> bool {
        (0..PROOF).contains(&(now.0 - self.proved_at.0))
    }
}

impl Instance {
    /// The session of a token, if it still holds; an ended one is deleted. Call it at each request, and every 30 s on
    /// an open stream.
    pub async fn session(&self, token: &SessionToken, now: Timestamp) -> Result<Option<Session>, StoreError> {
        let hash = token.hash();
        let found = self.0.database.read(move |db| find(db, hash)).await?;
        let Some(found) = found else { return Ok(None) };
        if !found.holds(now) {
            self.0.database.write(move |db| delete(db, &hash)).await?;
            self.forget(found.session.person.id, &hash);
            return Ok(None);
        }
        if now.0 - found.used_at >= GRAIN {
            self.0.database.write(move |db| touch(db, &hash, now)).await?;
        }
        Ok(Some(found.session))
    }

    /// Ends a session.
    pub async fn sign_out(&self, session: Session) -> Result<(), StoreError> {
        let hash = session.token;
        self.0.database.write(move |db| delete(db, &hash)).await?;
        self.forget(session.person.id, &hash);
        Ok(())
    }

    pub(crate) fn forget(&self, person: PersonId, token: &[u8; 32]) {
        if let Some(vault) = self.0.vaults().get(&person) {
            vault.forget_session(token);
        }
    }
}

struct Found {
    session: Session,
    used_at: i64,
    idle_ends: i64,
    ends: i64,
}

impl Found {
    /// A clock set back would make a session last longer, so it ends it instead.
    fn holds(&self, now: Timestamp) -> bool {
        let set_back = now.0 + GRAIN < self.used_at;
        now.0 < self.idle_ends && now.0 < self.ends && !set_back && self.session.person.state == PersonState::Active
    }
}

fn find(db: &Connection, token: [u8; 32]) -> Result<Option<Found>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT person, device, used_at, idle_ends, ends, proved_at, created_at FROM sessions WHERE token = ?1",
    )?;
    let row = statement.query_row([token], |row| {
        let person: PersonId = row.get(0)?;
        let times: (i64, i64, i64, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?);
        Ok((person, row.get(1)?, times))
    });
    let Some((person, device, (used_at, idle_ends, ends, proved_at, created_at))) = row.optional()? else {
        return Ok(None);
    };
    let Some(person) = people::by_id(db, person)? else { return Ok(None) };
    let lasting = ends - created_at > BORROWED;
    let session = Session { person, token, device, lasting, proved_at: Timestamp(proved_at) };
    Ok(Some(Found { session, used_at, idle_ends, ends }))
}

fn touch(db: &Connection, token: &[u8; 32], now: Timestamp) -> Result<(), StoreError> {
    db.execute(
        "UPDATE sessions SET used_at = ?2, idle_ends = min(ends, ?2 + ?3) WHERE token = ?1 AND used_at < ?2",
        params![token, now.0, IDLE],
    )?;
    db.execute(
        "UPDATE devices SET last_used = ?2 WHERE id = (SELECT device FROM sessions WHERE token = ?1)",
        params![token, now.0],
    )?;
    Ok(())
}

pub(crate) fn delete(db: &Connection, token: &[u8; 32]) -> Result<(), StoreError> {
    db.execute("DELETE FROM sessions WHERE token = ?1", [token])?;
    Ok(())
}

/// Ends a session and says whose it was.
pub(crate) fn end(db: &Connection, token: &[u8; 32]) -> Result<Option<PersonId>, StoreError> {
    let mut statement = db.prepare_cached("DELETE FROM sessions WHERE token = ?1 RETURNING person")?;
    Ok(statement.query_row([token], |row| row.get(0)).optional()?)
}

/// Ends all sessions of a person but one.
pub(crate) fn delete_others(db: &Connection, person: PersonId, token: &[u8; 32]) -> Result<(), StoreError> {
    db.execute("DELETE FROM sessions WHERE person = ?1 AND token <> ?2", params![person, token])?;
    Ok(())
}

/// Begins a session. On a borrowed device it is short and the device is not remembered.
pub(crate) fn begin(
    db: &Connection,
    token: &SessionToken,
    person: PersonId,
    device: Option<i64>,
    lasting: bool,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (idle, longest) = if lasting { (IDLE, LONGEST) } else { (BORROWED, BORROWED) };
    db.execute(
        "INSERT INTO sessions (token, person, device, created_at, used_at, idle_ends, ends, proved_at)
         VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?4)",
        params![token.hash(), person, device, now.0, now.0 + idle, now.0 + longest],
    )?;
    Ok(())
}

/// Begins a session in place of another on the same device; the old token fails from now on.
pub(crate) fn replace(
    db: &Connection,
    token: &SessionToken,
    before: &Session,
    now: Timestamp,
) -> Result<(), StoreError> {
    delete(db, &before.token)?;
    begin(db, token, before.person.id, before.device, before.lasting, now)
}

/// The row of a device that this person used before.
pub(crate) fn device_of(db: &Connection, person: PersonId, token: &[u8; 32]) -> Result<Option<i64>, StoreError> {
    let mut statement = db.prepare_cached("SELECT id FROM devices WHERE token = ?1 AND person = ?2")?;
    Ok(statement.query_row(params![token, person], |row| row.get(0)).optional()?)
}

/// Remembers a device.
pub(crate) fn add_device(
    db: &Connection,
    person: PersonId,
    token: &DeviceToken,
    name: &str,
    now: Timestamp,
) -> Result<i64, StoreError> {
    db.execute(
        "INSERT INTO devices (token, person, name, first_used, last_used) VALUES (?1, ?2, ?3, ?4, ?4)",
        params![token.hash(), person, name, now.0],
    )?;
    Ok(db.last_insert_rowid())
}
