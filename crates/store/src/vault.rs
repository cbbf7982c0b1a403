//! One person's encrypted database, opened. Holding a [`Vault`] is the proof that its person (or, for an open vault,
//! the instance) opened it; nothing here takes a person's id. Not here: keys and who may open it (`instance`).

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::time::Timestamp;
use rusqlite::{Connection, Transaction, params};
use tokio::sync::watch;

use crate::database::{Access, Database, connect};
use crate::error::{StoreError, VaultFault};
use crate::files;
use crate::id::PersonId;
use crate::instance::audit::Head;
use crate::instance::people;
use crate::key::VaultKey;
use crate::migrate::{self, MigrateError, Migration};
use crate::probe::Probe;
use crate::secret::{hex, random_bytes};

pub(crate) mod choices;
pub(crate) mod conversations;
pub(crate) mod idempotency;
pub(crate) mod journal;
pub(crate) mod notes;
pub(crate) mod search;
pub(crate) mod texts;

/// An open vault. Clones are the same vault; when it is locked, all of them answer `Closed`.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    person: PersonId,
    epoch: String,
    opened: u64,
    audit_fits: AtomicBool,
    database: Database,
    /// The lock has begun: this vault takes nobody new.
    retired: AtomicBool,
    head: watch::Sender<u64>,
    /// Hashed tokens of the sessions that gave the password since this opening.
    unlocked: Mutex<HashSet<[u8; 32]>>,
    instance: Arc<Database>,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault")
    }
}

/// What must fit before a file counts as this person's vault.
pub(crate) struct Opening {
    pub(crate) person: PersonId,
    pub(crate) generation: u64,
    pub(crate) known_writes: u64,
    pub(crate) accept_older: bool,
    pub(crate) now: Timestamp,
}

/// After so many writing transactions the instance learns the counter, so that an older file is noticed.
const WRITES_BETWEEN_NOTES: u64 = 32;

/// Makes a vault file with its schema and identity. The file is closed and durable on return.
pub(crate) fn create(
    path: &Path,
    key: &VaultKey,
    person: PersonId,
    probe: &Probe,
    now: Timestamp,
) -> Result<(), StoreError> {
    files::create_empty(path)?;
    let migration = Migration { path, key: key.secret(), steps: migrate::VAULT, probe, now };
    let connection = migration.open().map_err(|error| match error {
        MigrateError::Store(error) => error,
        MigrateError::NotThisKey | MigrateError::Schema(_) => StoreError::Corrupt("new vault"),
    })?;
    connection.execute(
        "INSERT INTO identity (only, person, generation, writes, opened, epoch, head) VALUES (1, ?1, 1, 0, 0, ?2, 0)",
        params![person, hex(&random_bytes::<16>()?)],
    )?;
    connection.close().map_err(|(_, error)| error)?;
    files::sync_folder_of(path)?;
    Ok(())
}

impl Vault {
    /// Opens a file and returns it with its write counter. Blocks.
    pub(crate) fn open(
        path: &Path,
        opening: &Opening,
        key: &VaultKey,
        instance: Arc<Database>,
        probe: &Probe,
    ) -> Result<(Self, u64), VaultFault> {
        let migration = Migration { path, key: key.secret(), steps: migrate::VAULT, probe, now: opening.now };
        let mut writer = migration.open()?;
        let begun = begin(&mut writer, opening)?;
        let reader = connect(path, key.secret(), Access::Read).map_err(MigrateError::from)?;
        let vault = Self(Arc::new(Inner {
            person: opening.person,
            epoch: begun.epoch,
            opened: begun.opened,
            audit_fits: AtomicBool::new(true),
            database: Database::start(writer, reader)?,
            retired: AtomicBool::new(false),
            head: watch::Sender::new(begun.head),
            unlocked: Mutex::default(),
            instance,
        }));
        Ok((vault, begun.writes))
    }

    /// Whether it is locked, or is being locked: nothing new may be built on it. It never opens again; an unlock gives
    /// another vault.
    pub fn is_closed(&self) -> bool {
        self.0.retired.load(Ordering::Acquire)
    }

    /// From now on [`Vault::is_closed`]. Work that is queued still ends.
    pub(crate) fn retire(&self) {
        self.0.retired.store(true, Ordering::Release);
    }

    /// Changes when a backup is restored; numbers of another epoch mean nothing.
    pub fn epoch(&self) -> &str {
        &self.0.epoch
    }

    /// The number of entries ever appended, over all conversations: the last `seq`.
    pub fn head_seq(&self) -> u64 {
        *self.0.head.borrow()
    }

    /// Follows [`Vault::head_seq`]: a change means that more entries are durable. Ends when the vault is dropped.
    pub fn follow_head(&self) -> watch::Receiver<u64> {
        self.0.head.subscribe()
    }

    /// False if the instance's audit log is not the one that this vault saw at an earlier unlock: warn the person.
    pub fn audit_log_fits(&self) -> bool {
        self.0.audit_fits.load(Ordering::Relaxed)
    }

    /// The heads of the audit log that this vault saw at its last thousand unlocks.
    pub(crate) async fn seen_audit_heads(&self) -> Result<Vec<Head>, StoreError> {
        self.read(|db| {
            let mut statement = db.prepare("SELECT number, hash FROM audit_heads ORDER BY number DESC LIMIT 1000")?;
            let heads = statement.query_map([], |row| Ok(Head { number: row.get(0)?, hash: row.get(1)? }))?;
            Ok(heads.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Keeps the head of the audit log as of now, and whether all heads seen before are still in it.
    pub(crate) async fn keep_audit_head(&self, head: Head, fits: bool, now: Timestamp) -> Result<(), StoreError> {
        self.0.audit_fits.store(fits, Ordering::Relaxed);
        self.write(move |db| {
            db.execute(
                "INSERT OR IGNORE INTO audit_heads (number, hash, seen_at) VALUES (?1, ?2, ?3)",
                params![head.number, head.hash, now.0],
            )?;
            Ok(())
        })
        .await
    }

    /// Ends the work queued, closes the file and wipes the key. Blocks.
    pub(crate) fn close(&self) {
        self.sessions().clear();
        self.0.database.close();
    }

    pub(crate) fn unlock_for(&self, token: [u8; 32]) {
        self.sessions().insert(token);
    }

    pub(crate) fn is_unlocked_for(&self, token: &[u8; 32]) -> bool {
        self.sessions().contains(token)
    }

    pub(crate) fn forget_session(&self, token: &[u8; 32]) {
        self.sessions().remove(token);
    }

    pub(crate) fn forget_all_sessions(&self) {
        self.sessions().clear();
    }

    fn sessions(&self) -> MutexGuard<'_, HashSet<[u8; 32]>> {
        self.0.unlocked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read<T, E>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.0.database.read(work).await
    }

    /// Runs `work` in one transaction that also counts itself.
    async fn write<T, E>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (value, writes) = self
            .0
            .database
            .write(move |db| {
                let value = work(db)?;
                Ok::<_, E>((value, count_write(db)?))
            })
            .await?;
        if writes.is_multiple_of(WRITES_BETWEEN_NOTES) {
            self.note_writes(writes).await;
        }
        Ok(value)
    }

    /// Tells the instance how far this vault is. A failure costs a later warning, never the write that is done.
    async fn note_writes(&self, writes: u64) {
        let person = self.0.person;
        let noted = self.0.instance.write(move |db| people::set_vault_writes(db, person, writes, false)).await;
        if let Err(error) = noted {
            tracing::warn!(?error, "the write counter of a vault was not noted");
        }
    }

    /// Notes the last write counter, before the vault is closed.
    pub(crate) async fn note_last_writes(&self) {
        let writes =
            self.read(|db| Ok::<_, StoreError>(db.query_row("SELECT writes FROM identity", [], |row| row.get(0))?));
        if let Ok(writes) = writes.await {
            self.note_writes(writes).await;
        }
    }
}

fn count_write(db: &Connection) -> Result<u64, StoreError> {
    let mut statement = db.prepare_cached("UPDATE identity SET writes = writes + 1 RETURNING writes")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

struct Begun {
    writes: u64,
    opened: u64,
    head: u64,
    epoch: String,
}

/// Checks that the file fits the instance row, and counts the opening.
fn begin(connection: &mut Connection, opening: &Opening) -> Result<Begun, VaultFault> {
    let transaction = connection.transaction()?;
    let (person, generation, writes): (PersonId, u64, u64) =
        transaction.query_row("SELECT person, generation, writes FROM identity", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    if person != opening.person || generation != opening.generation {
        return Err(VaultFault::Swapped);
    }
    if writes < opening.known_writes {
        if !opening.accept_older {
            return Err(VaultFault::Older);
        }
        // Numbers that were given out will be given out again: they belong to another epoch.
        transaction.execute("UPDATE identity SET epoch = ?1", [hex(&random_bytes::<16>()?)])?;
    }
    let begun = transaction.query_row(
        "UPDATE identity SET writes = writes + 1, opened = opened + 1 RETURNING writes, opened, head, epoch",
        [],
        |row| Ok(Begun { writes: row.get(0)?, opened: row.get(1)?, head: row.get(2)?, epoch: row.get(3)? }),
    )?;
    transaction.commit()?;
    Ok(begun)
}
