//! How an account comes to be: its key, its wraps and its vault file, whole or not at all. The file is made under an
//! unfinished name inside the transaction and gets its name after the commit. Not here: who may make one (`setup`,
//! `invitations`).

use std::net::IpAddr;
use std::path::Path;

use domain::account::{DisplayName, Handle, Locale, Password, Zone};
use domain::time::Timestamp;
use rusqlite::Connection;

use crate::error::StoreError;
use crate::files;
use crate::id::PersonId;
use crate::instance::people::{self, VaultKind};
use crate::instance::wraps::{self, PasswordWrap};
use crate::instance::{Inner, Instance};
use crate::kdf::{Address, Busy};
use crate::key::VaultKey;
use crate::vault;

/// What a person says of themselves, judged. Their role is not theirs to say.
#[derive(Debug)]
pub struct NewAccount {
    /// For signing in.
    pub handle: Handle,
    /// For others to see.
    pub name: DisplayName,
    /// BCP 47.
    pub locale: Locale,
    /// IANA.
    pub zone: Zone,
    /// Who can open the vault.
    pub vault: VaultKind,
}

const FIRST_GENERATION: u64 = 1;

/// All that an account needs, derived and wrapped, before anything is written.
pub(crate) struct Birth {
    id: PersonId,
    key: VaultKey,
    wrap: PasswordWrap,
    account: NewAccount,
}

impl Instance {
    /// Draws the key and derives from the password: one derivation in the gate.
    pub(crate) async fn prepare<E>(&self, account: NewAccount, password: Password, address: IpAddr) -> Result<Birth, E>
    where
        E: From<Busy> + From<StoreError>,
    {
        let id = PersonId::random()?;
        let policy = self.0.policy;
        let made = self.0.gate.run(Address::of(address), move || {
            let key = VaultKey::random()?;
            let wrap = PasswordWrap::make(&key, password.typed(), policy, id, FIRST_GENERATION)?;
            Ok::<_, StoreError>((key, wrap))
        });
        let (key, wrap) = made.await??;
        Ok(Birth { id, key, wrap, account })
    }

    /// Gives the vault its name after the commit. If that fails it gets it at its first opening.
    pub(crate) async fn finish_birth(&self, id: PersonId) -> Result<(), StoreError> {
        self.0.probe.at("birth.committed")?;
        let inner = self.0.clone();
        let named = tokio::task::spawn_blocking(move || inner.root.finished_vault(id, FIRST_GENERATION));
        if let Ok(Err(error)) = named.await {
            tracing::warn!(?error, "the vault gets its name at its first opening");
        }
        Ok(self.0.probe.at("birth.finished")?)
    }
}

impl Birth {
    pub(crate) fn id(&self) -> PersonId {
        self.id
    }

    pub(crate) fn account(&self) -> &NewAccount {
        &self.account
    }

    /// Writes rows and vault file inside the caller's transaction; what fails leaves no file.
    pub(crate) fn make(&self, inner: &Inner, db: &Connection, role: &str, now: Timestamp) -> Result<(), StoreError> {
        people::insert(db, self.id, &self.account, role, now)?;
        self.wrap.store(db, self.id, FIRST_GENERATION)?;
        if self.account.vault == VaultKind::Open {
            wraps::store_for_instance(db, &self.key, &inner.wrap_key(), self.id, FIRST_GENERATION)?;
        }
        inner.probe.at("birth.rows")?;
        let path = inner.root.unfinished_vault(self.id, FIRST_GENERATION);
        let made = vault::create(&path, &self.key, self.id, &inner.probe, now)
            .and_then(|()| Ok(inner.probe.at("birth.vault")?));
        if made.is_err() {
            remove_vault(&path)?;
        }
        made
    }
}

fn remove_vault(path: &Path) -> Result<(), StoreError> {
    for ending in ["-wal", "-shm", ""] {
        files::remove_durably(&files::with_ending(path, ending))?;
    }
    Ok(())
}
