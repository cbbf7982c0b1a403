//! What can go wrong, typed by who must act. Texts hold no path, key, query or content, so they may be shown.

use std::time::Duration;
use thiserror::Error;

use crate::kdf::Busy;
use crate::migrate::MigrateError;

/// A fault below the rules: nobody did anything wrong, and nothing was changed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// SQLite or SQLCipher refused; the transaction was rolled back.
    #[error("The database could not do that. Nothing was changed; try again, and look at the log if it stays so.")]
    Database(#[from] rusqlite::Error),
    /// A file could not be read or written.
    #[error("A file of the data folder could not be read or written. Check free space and permissions.")]
    File(#[from] std::io::Error),
    /// The database was closed (lock, sign-out, shutdown) before the work was done.
    #[error("The database is closed. Unlock it and try again.")]
    Closed,
    /// The operating system gave no random bytes.
    #[error("The system gave no random numbers. Restart the machine and try again.")]
    Randomness,
    /// A stored value is not one that this program writes.
    #[error("A stored value cannot be read ({0}). Keep the data folder as it is, and ask for help with this message.")]
    Corrupt(&'static str),
    /// A key derivation failed to run.
    #[error("The key could not be derived. Free some memory and try again.")]
    Derivation,
}

/// Why an instance does not open: the operator must act. [`OpenError::kind`] says in which way.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another server holds the data folder.
    #[error("Another server already uses this data folder. Stop it first, or choose another folder.")]
    InUse,
    /// The data folder is readable for others or belongs to somebody else.
    #[error(
        "The data folder must belong to you and be closed to others. Run chmod 700 on it, or choose another folder."
    )]
    RootUnsafe,
    /// The key file has the wrong owner, mode, kind or length.
    #[error(
        "instance.key in the data folder must be your own file of 32 bytes with mode 0600. Run chmod 600 on it, or put it back from your own copy of the data folder."
    )]
    KeyUnsafe,
    /// There is a database but no key; a new key would open nothing.
    #[error(
        "instance.key is missing from the data folder although instance.db is there. Put it back from your own copy of the data folder; nothing else opens the database."
    )]
    KeyMissing,
    /// The key does not open the database.
    #[error(
        "instance.key does not open instance.db. Put back the two that belong together, from your own copy of the data folder."
    )]
    KeyWrong,
    /// Vaults lie in the folder, but no instance database.
    #[error(
        "instance.db is missing from the data folder although vaults are there. Put it back from your own copy of the data folder."
    )]
    DatabaseMissing,
    /// The schema is newer than this program, or was changed after it was applied.
    #[error("{0}")]
    Schema(#[from] SchemaError),
    /// Anything below.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What kind of fault keeps an instance shut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenErrorKind {
    /// Somebody else holds it: later it may open.
    Busy,
    /// What lies in the data folder is not what must lie there.
    Folder,
    /// The data is from another release, or damaged.
    Data,
    /// Reading or writing failed.
    Io,
}

impl OpenError {
    /// The kind of this fault.
    pub fn kind(&self) -> OpenErrorKind {
        match self {
            Self::InUse => OpenErrorKind::Busy,
            Self::RootUnsafe | Self::KeyUnsafe | Self::KeyMissing | Self::KeyWrong | Self::DatabaseMissing => {
                OpenErrorKind::Folder
            }
            Self::Schema(_) => OpenErrorKind::Data,
            Self::Store(_) => OpenErrorKind::Io,
        }
    }
}

/// Why a schema is refused. Nothing was changed.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// Made by a later release.
    #[error("This database was made by a newer release (schema {found}, known up to {known}). Install that release.")]
    Newer {
        /// The highest step that the database holds.
        found: u32,
        /// The highest step that this program knows.
        known: u32,
    },
    /// An applied step differs from the one in this program.
    #[error("Step {number} of the schema differs from the one in this release. Install the release it came from.")]
    Changed {
        /// The number of the step.
        number: u32,
    },
    /// A migration was cut off and the copy made before it does not verify.
    #[error(
        "A change of the schema was cut off, and the copy made before it (beside the database, its name ends in .before- and a number) does not verify. Keep both files, and put back your own copy of the data folder or ask for help with them."
    )]
    HalfMigrated,
    /// Not enough free space for the safety copy (2.2 times the file).
    #[error("The migration needs {needed} bytes of free space. Make room and try again.")]
    NoSpace {
        /// Bytes needed.
        needed: u64,
    },
    /// A step failed; the copy was put back.
    #[error("The migration failed and the former state was put back. Look at the log, then try again.")]
    Failed,
}

/// Why a vault stays shut although its key is right.
#[derive(Debug, Error)]
pub enum VaultFault {
    /// The file is not the one the instance row describes (person, generation or key).
    #[error(
        "This vault's file is not the one that belongs to this account. Put the right one back from your own copy of the data folder."
    )]
    Swapped,
    /// The file is older than the last one seen: opens only when accepted.
    #[error(
        "This vault's file is older than the one last seen: later changes are missing. Accept that, or put a newer one back from your own copy of the data folder."
    )]
    Older,
    /// There is no file.
    #[error("This vault's file is missing. Put it back from your own copy of the data folder.")]
    Missing,
    /// The schema is refused.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Anything below.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a password was not taken. `Wrong` is the one answer for an unknown handle, a wrong password and a closed account.
#[derive(Debug, Error)]
pub enum SignInError {
    /// Handle or password is wrong.
    #[error("Handle or password is wrong. Check both and try again.")]
    Wrong,
    /// Too many tries; nothing was derived.
    #[error("Too many tries. Wait and try again.")]
    Throttled {
        /// How long until a try can count again.
        retry_after: Duration,
    },
    /// Too many derivations at once; nothing was derived.
    #[error("The server is busy checking passwords. Try again in a few seconds.")]
    Busy,
    /// The password is right but the vault stays shut.
    #[error(transparent)]
    Vault(#[from] VaultFault),
    /// Anything below.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why the first account was not made. Nothing was changed.
#[derive(Debug, Error)]
pub enum SetupError {
    /// Somebody exists already.
    #[error("This instance is already set up. Sign in instead.")]
    Done,
    /// Too many derivations at once.
    #[error("The server is busy checking passwords. Try again in a few seconds.")]
    Busy,
    /// Anything below.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why an account was not made or changed. Nothing was changed.
#[derive(Debug, Error)]
pub enum AccountError {
    /// The code was never given out.
    #[error("This code is wrong. Check it, or ask for a new one.")]
    WrongCode,
    /// The code was used or is too old (410).
    #[error("This code is used up. Ask for a new one.")]
    UsedUp,
    /// Somebody has the handle (409).
    #[error("This handle is taken. Choose another.")]
    HandleTaken,
    /// The role allows another kind of vault (422).
    #[error("This role does not allow that kind of vault. Choose the other one.")]
    VaultKind,
    /// There is no such person or role (404).
    #[error("There is no such person or role.")]
    Absent,
    /// The one who asks lacks the right, or a right that the role has (403).
    #[error("You may not do that. Ask an administrator.")]
    NotAllowed,
    /// It would leave no active admin (409).
    #[error("This is the last active administrator. Make another one first.")]
    LastAdmin,
    /// Too many tries; nothing was derived.
    #[error("Too many tries. Wait and try again.")]
    Throttled {
        /// How long until a try can count again.
        retry_after: Duration,
    },
    /// Too many derivations at once.
    #[error("The server is busy checking passwords. Try again in a few seconds.")]
    Busy,
    /// Anything below.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Busy> for SignInError {
    fn from(_: Busy) -> Self {
        Self::Busy
    }
}

impl From<Busy> for SetupError {
    fn from(_: Busy) -> Self {
        Self::Busy
    }
}

impl From<Busy> for AccountError {
    fn from(_: Busy) -> Self {
        Self::Busy
    }
}

macro_rules! from_sql_and_io {
    ($($error:ty),*) => {$(
        impl From<rusqlite::Error> for $error {
            fn from(error: rusqlite::Error) -> Self {
                Self::Store(error.into())
            }
        }
        impl From<std::io::Error> for $error {
            fn from(error: std::io::Error) -> Self {
                Self::Store(error.into())
            }
        }
    )*};
}

impl From<MigrateError> for OpenError {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::NotThisKey => Self::KeyWrong,
            MigrateError::Schema(error) => Self::Schema(error),
            MigrateError::Store(error) => Self::Store(error),
        }
    }
}

impl From<MigrateError> for VaultFault {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::NotThisKey => Self::Swapped,
            MigrateError::Schema(error) => Self::Schema(error),
            MigrateError::Store(error) => Self::Store(error),
        }
    }
}

from_sql_and_io!(OpenError, VaultFault, SignInError, SetupError, AccountError);
