//! Numbered, forward-only steps of a schema, kept with their SHA-256, and the safe way through them: copy, verify,
//! mark, all steps in one transaction, unmark (PEOPLE-42 to 44). Not here: what the tables mean.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use sha2::{Digest as _, Sha256};

use crate::database::{Access, ConnectError, connect};
use crate::error::{SchemaError, StoreError};
use crate::files;
use crate::probe::Probe;
use crate::secret::Secret;

/// One step of a schema.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub(crate) number: u32,
    pub(crate) sql: &'static str,
}

/// The steps of the instance database.
pub(crate) const INSTANCE: &[Step] = &[
    Step { number: 1, sql: include_str!("migrations/instance/0001_accounts.sql") },
    Step { number: 2, sql: include_str!("migrations/instance/0002_audit.sql") },
];

/// The steps of a vault.
pub(crate) const VAULT: &[Step] = &[
    Step { number: 1, sql: include_str!("migrations/vault/0001_journal.sql") },
    Step { number: 2, sql: include_str!("migrations/vault/0002_notes.sql") },
    Step { number: 3, sql: include_str!("migrations/vault/0003_choices.sql") },
    Step { number: 4, sql: include_str!("migrations/vault/0004_search.sql") },
];

/// How long the copy made before a migration is kept.
const COPY_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Why a file was not brought up to date.
#[derive(Debug)]
pub(crate) enum MigrateError {
    NotThisKey,
    Schema(SchemaError),
    Store(StoreError),
}

impl From<SchemaError> for MigrateError {
    fn from(error: SchemaError) -> Self {
        Self::Schema(error)
    }
}

impl From<ConnectError> for MigrateError {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::NotThisKey => Self::NotThisKey,
            ConnectError::Store(error) => Self::Store(error),
        }
    }
}

impl From<rusqlite::Error> for MigrateError {
    fn from(error: rusqlite::Error) -> Self {
        ConnectError::from(error).into()
    }
}

impl From<std::io::Error> for MigrateError {
    fn from(error: std::io::Error) -> Self {
        Self::Store(error.into())
    }
}

/// All that bringing a file up to date needs.
pub(crate) struct Migration<'a> {
    pub(crate) path: &'a Path,
    pub(crate) key: &'a Secret<32>,
    pub(crate) steps: &'a [Step],
    pub(crate) probe: &'a Probe,
    pub(crate) now: Timestamp,
}

impl Migration<'_> {
    /// Opens the file with its schema current, or leaves it as it was and says why.
    pub(crate) fn open(&self) -> Result<Connection, MigrateError> {
        self.recover()?;
        let mut connection = connect(self.path, self.key, Access::Write)?;
        match standing(&connection, self.steps)? {
            0 => self.apply(&mut connection, 0)?,
            from if from < last(self.steps) => {
                connection = self.migrate(connection, from)?;
            }
            _ => {}
        }
        self.drop_old_copies()?;
        Ok(connection)
    }

    fn migrate(&self, connection: Connection, from: u32) -> Result<Connection, MigrateError> {
        let copy = self.safety_copy(connection, from)?;
        self.probe.at("migrate.copied")?;
        files::write_durably(&self.marker(), from.to_string().as_bytes())?;
        match self.run_steps(from) {
            Ok(connection) => Ok(connection),
            Err(error) => {
                tracing::error!(?error, from, "migration failed; putting the copy back");
                self.put_back(&copy, from)?;
                Err(SchemaError::Failed.into())
            }
        }
    }

    fn run_steps(&self, from: u32) -> Result<Connection, MigrateError> {
        self.probe.at("migrate.marked")?;
        let mut connection = connect(self.path, self.key, Access::Write)?;
        self.apply(&mut connection, from)?;
        self.probe.at("migrate.applied")?;
        check_whole(&connection)?;
        files::remove_durably(&self.marker())?;
        self.probe.at("migrate.unmarked")?;
        Ok(connection)
    }

    /// Runs every step above `from` in one transaction and records it.
    fn apply(&self, connection: &mut Connection, from: u32) -> Result<(), MigrateError> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(
            "CREATE TABLE IF NOT EXISTS migrations (
                 number INTEGER NOT NULL PRIMARY KEY,
                 sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
                 applied_at INTEGER NOT NULL
             ) STRICT",
        )?;
        for step in self.steps.iter().filter(|step| step.number > from) {
            transaction.execute_batch(step.sql)?;
            transaction.execute(
                "INSERT INTO migrations (number, sha256, applied_at) VALUES (?1, ?2, ?3)",
                params![step.number, hash(step), self.now.0],
            )?;
            self.probe.at("migrate.step")?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// A copy of the closed file under the same key, verified. Takes the connection, so nothing else is writing.
    fn safety_copy(&self, connection: Connection, from: u32) -> Result<PathBuf, MigrateError> {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        connection.close().map_err(|(_, error)| error)?;
        let needed = files::metadata_if_there(self.path)?.map_or(0, |file| file.len()).saturating_mul(22) / 10;
        if files::free_space(self.path)? < needed {
            return Err(SchemaError::NoSpace { needed }.into());
        }
        let copy = self.copy_of(from);
        files::copy_durably(self.path, &copy)?;
        self.verify(&copy, from)?;
        Ok(copy)
    }

    /// A marker says that a migration was cut off: the copy is put back, or nothing opens.
    fn recover(&self) -> Result<(), MigrateError> {
        let Some(bytes) = files::read_if_there(&self.marker())? else { return Ok(()) };
        let text = String::from_utf8(bytes).map_err(|_| SchemaError::HalfMigrated)?;
        let from = text.parse().map_err(|_| SchemaError::HalfMigrated)?;
        self.put_back(&self.copy_of(from), from)
    }

    /// The journal files go first: a journal beside another main file would be replayed into it.
    fn put_back(&self, copy: &Path, from: u32) -> Result<(), MigrateError> {
        match self.verify(copy, from) {
            Err(MigrateError::Store(error)) => return Err(MigrateError::Store(error)),
            Err(_) => return Err(SchemaError::HalfMigrated.into()),
            Ok(()) => {}
        }
        self.probe.at("migrate.back")?;
        files::remove_if_there(&files::with_ending(self.path, "-shm"))?;
        files::remove_durably(&files::with_ending(self.path, "-wal"))?;
        self.probe.at("migrate.back.bare")?;
        files::copy_durably(copy, self.path)?;
        self.probe.at("migrate.back.put")?;
        files::remove_durably(&self.marker())?;
        Ok(())
    }

    fn verify(&self, copy: &Path, from: u32) -> Result<(), MigrateError> {
        if files::metadata_if_there(copy)?.is_none() {
            return Err(SchemaError::HalfMigrated.into());
        }
        let connection = connect(copy, self.key, Access::Write)?;
        check_whole(&connection)?;
        if standing(&connection, self.steps)? != from {
            return Err(SchemaError::HalfMigrated.into());
        }
        connection.close().map_err(|(_, error)| error)?;
        Ok(())
    }

    fn marker(&self) -> PathBuf {
        files::with_ending(self.path, ".migrating")
    }

    fn copy_of(&self, from: u32) -> PathBuf {
        files::with_ending(self.path, &format!(".before-{}", from + 1))
    }

    fn drop_old_copies(&self) -> Result<(), MigrateError> {
        for step in self.steps {
            let copy = self.copy_of(step.number);
            let Some(metadata) = files::metadata_if_there(&copy)? else { continue };
            let now = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(self.now.0).unwrap_or(0));
            if now.duration_since(metadata.modified()?).is_ok_and(|age| age > COPY_KEPT) {
                files::remove_durably(&copy)?;
            }
        }
        Ok(())
    }
}

/// The highest step that the database holds, 0 for an empty one. Refuses changed and unknown steps.
pub(crate) fn standing(connection: &Connection, steps: &[Step]) -> Result<u32, MigrateError> {
    let is_there = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'";
    if connection.query_row(is_there, [], |_| Ok(())).optional()?.is_none() {
        return Ok(0);
    }
    let mut statement = connection.prepare("SELECT number, sha256 FROM migrations ORDER BY number")?;
    let applied = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut highest = 0;
    for row in applied {
        let (number, sha256): (u32, Vec<u8>) = row?;
        match steps.iter().find(|step| step.number == number) {
            None => return Err(SchemaError::Newer { found: number, known: last(steps) }.into()),
            Some(step) if hash(step)[..] != sha256[..] => return Err(SchemaError::Changed { number }.into()),
            Some(_) => highest = number,
        }
    }
    Ok(highest)
}

fn hash(step: &Step) -> [u8; 32] {
    Sha256::digest(step.sql.as_bytes()).into()
}

/// The highest step that this program knows.
pub(crate) fn last(steps: &[Step]) -> u32 {
    steps.iter().map(|step| step.number).max().unwrap_or(0)
}

/// Every page authentic, every index and key whole.
fn check_whole(connection: &Connection) -> Result<(), MigrateError> {
    let mut pages = connection.prepare("PRAGMA cipher_integrity_check")?;
    if pages.query([])?.next()?.is_some() {
        return Err(SchemaError::HalfMigrated.into());
    }
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    let mut foreign = connection.prepare("PRAGMA foreign_key_check")?;
    if verdict != "ok" || foreign.query([])?.next()?.is_some() {
        return Err(SchemaError::HalfMigrated.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
