//! A look at the audit log of an instance that nobody runs, without migrating or clearing away anything. Not here: how
//! the rows are chained (`audit`).

use crate::database::{Access, connect};
use crate::error::{OpenError, StoreError};
use crate::files;
use crate::instance::root::{Root, database_of};
use crate::instance::{Options, audit};
use crate::migrate::{self, MigrateError};

/// What the audit log shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditLog {
    /// There is none yet, or only the next start gives the database the schema of this program.
    Absent,
    /// Every row fits the one before it.
    Fits,
    /// This row is the first that does not fit, or that is missing.
    Breaks(i64),
}

/// Looks at the audit log of a data folder. A running server has the folder for itself: then it is
/// [`OpenError::InUse`].
pub async fn audit_log(options: Options) -> Result<AuditLog, OpenError> {
    let looked = tokio::task::spawn_blocking(move || look(options));
    looked.await.map_err(|_| StoreError::Closed)?
}

fn look(options: Options) -> Result<AuditLog, OpenError> {
    if files::metadata_if_there(&database_of(&options.root))?.is_none_or(|file| file.len() == 0) {
        return Ok(AuditLog::Absent);
    }
    let root = Root::take(&options.root, options.key)?;
    // A database is there, so no key is made here: a missing one is told.
    let key = root.key()?;
    let connection = connect(&root.database(), &key, Access::Read).map_err(MigrateError::from)?;
    if migrate::standing(&connection, migrate::INSTANCE)? < migrate::last(migrate::INSTANCE) {
        return Ok(AuditLog::Absent);
    }
    Ok(audit::first_bad_row(&connection)?.map_or(AuditLog::Fits, AuditLog::Breaks))
}
