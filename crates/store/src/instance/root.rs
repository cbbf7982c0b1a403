//! The data folder: who may use it, where things lie in it, and the instance key. Not here: what the files hold.

use std::fs::File;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::error::{OpenError, StoreError, VaultFault};
use crate::files;
use crate::id::PersonId;
use crate::secret::Secret;

/// A data folder that this process alone uses. The lock goes with the value.
pub(crate) struct Root {
    path: PathBuf,
    key: PathBuf,
    _lock: File,
}

/// The ending of a vault file whose setup is not yet finished.
pub(crate) const UNFINISHED: &str = ".new";

/// The instance database of a data folder.
pub(crate) fn database_of(folder: &Path) -> PathBuf {
    folder.join("instance.db")
}

impl Root {
    /// Makes or checks the folder and takes its lock.
    pub(crate) fn take(path: &Path, key: Option<PathBuf>) -> Result<Self, OpenError> {
        if !files::private_folder(path)? {
            return Err(OpenError::RootUnsafe);
        }
        let lock = files::lock_alone(&path.join("riad.lock"))?.ok_or(OpenError::InUse)?;
        let root = Self { path: path.to_owned(), key: key.unwrap_or_else(|| path.join("instance.key")), _lock: lock };
        if !files::private_folder(&root.vaults())? {
            return Err(OpenError::RootUnsafe);
        }
        Ok(root)
    }

    pub(crate) fn database(&self) -> PathBuf {
        database_of(&self.path)
    }

    pub(crate) fn vaults(&self) -> PathBuf {
        self.path.join("vaults")
    }

    pub(crate) fn vault(&self, person: PersonId, generation: u64) -> PathBuf {
        self.vaults().join(format!("{person}.{generation}.db"))
    }

    pub(crate) fn unfinished_vault(&self, person: PersonId, generation: u64) -> PathBuf {
        files::with_ending(&self.vault(person, generation), UNFINISHED)
    }

    /// The vault file of a person who exists. A setup that was cut off after its commit is finished here.
    pub(crate) fn finished_vault(&self, person: PersonId, generation: u64) -> Result<PathBuf, VaultFault> {
        let path = self.vault(person, generation);
        if files::metadata_if_there(&path)?.is_some() {
            return Ok(path);
        }
        let unfinished = self.unfinished_vault(person, generation);
        if files::metadata_if_there(&unfinished)?.is_none() {
            return Err(VaultFault::Missing);
        }
        files::rename_durably(&unfinished, &path)?;
        Ok(path)
    }

    /// The instance key. It is made only if there is no database that it would have to open.
    pub(crate) fn key(&self) -> Result<Secret<32>, OpenError> {
        let Some(metadata) = files::metadata_if_there(&self.key)? else {
            return self.make_key();
        };
        if !metadata.is_file() || !files::is_private(&metadata) {
            return Err(OpenError::KeyUnsafe);
        }
        let bytes = Zeroizing::new(files::read_if_there(&self.key)?.unwrap_or_default());
        Secret::from_slice(&bytes).ok_or(OpenError::KeyUnsafe)
    }

    fn make_key(&self) -> Result<Secret<32>, OpenError> {
        if self.has_database()? || self.has_vaults()? {
            return Err(OpenError::KeyMissing);
        }
        let key = Secret::random()?;
        files::write_durably(&self.key, key.expose())?;
        Ok(key)
    }

    /// Makes an empty database file for the first start. Beside vaults a missing database is a loss, not a start.
    pub(crate) fn make_database(&self) -> Result<(), OpenError> {
        if self.has_database()? {
            return Ok(());
        }
        if self.has_vaults()? {
            return Err(OpenError::DatabaseMissing);
        }
        files::remove_if_there(&self.database())?;
        files::create_empty(&self.database())?;
        files::sync_folder_of(&self.database())?;
        Ok(())
    }

    fn has_database(&self) -> Result<bool, StoreError> {
        Ok(files::metadata_if_there(&self.database())?.is_some_and(|file| file.len() > 0))
    }

    fn has_vaults(&self) -> Result<bool, StoreError> {
        Ok(files::names_in(&self.vaults())?.iter().any(|name| name.ends_with(".db")))
    }
}
