//! One installation: the data folder with its lock and key, the instance database and the vaults that are open.
//! Not here: what a vault holds (`vault`), and who may do what with it (the server's extractors).

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::time::Timestamp;

use crate::database::{Access, Database, connect};
use crate::error::{OpenError, StoreError, VaultFault};
use crate::id::PersonId;
use crate::kdf::{DerivationGate, KdfPolicy};
use crate::key::{VaultKey, WrapBinding, WrapKind, subkey, unwrap};
use crate::migrate::{self, MigrateError, Migration};
use crate::probe::Probe;
use crate::secret::Secret;
use crate::vault::{Opening, Vault};
use people::{Person, VaultKind};
use root::Root;
use sessions::Session;

pub(crate) mod audit;
pub(crate) mod birth;
pub(crate) mod invitations;
pub(crate) mod look;
pub(crate) mod people;
pub(crate) mod root;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod sign_in;
pub(crate) mod throttle;
pub(crate) mod wraps;

/// Where an instance lies and what its keys cost.
#[derive(Clone, Debug)]
pub struct Options {
    /// The data folder; made with mode 0700 if it is not there.
    pub root: PathBuf,
    /// The file of the instance key, if it does not lie in the data folder.
    pub key: Option<PathBuf>,
    /// What deriving a key from a password costs.
    pub policy: KdfPolicy,
    /// Where tests look at the disk.
    pub probe: Probe,
}

impl Options {
    /// A data folder with the standard policy.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), key: None, policy: KdfPolicy::STANDARD, probe: Probe::default() }
    }
}

/// The open instance. Clones are the same instance; [`Instance::close`] ends all of them.
#[derive(Clone)]
pub struct Instance(Arc<Inner>);

/// Fields are dropped in order: the lock of the data folder goes last.
pub(crate) struct Inner {
    vaults: Mutex<HashMap<PersonId, Vault>>,
    database: Arc<Database>,
    key: Secret<32>,
    gate: DerivationGate,
    policy: KdfPolicy,
    probe: Probe,
    /// Held while one vault file is opened, so that no file is opened twice. Never held across an await.
    opening: Mutex<()>,
    /// Setups go one after the other: who waited here finds the instance set up.
    setting_up: tokio::sync::Mutex<()>,
    root: Root,
}

impl Instance {
    /// Opens the instance of a data folder, making it if the folder is empty: takes the lock, reads or makes the key,
    /// migrates the database and clears away what a cut-off setup left.
    pub async fn open(options: Options, now: Timestamp) -> Result<Self, OpenError> {
        let opened = tokio::task::spawn_blocking(move || Self::open_blocking(options, now));
        opened.await.map_err(|_| StoreError::Closed)?
    }

    fn open_blocking(options: Options, now: Timestamp) -> Result<Self, OpenError> {
        let root = Root::take(&options.root, options.key)?;
        let key = root.key()?;
        root.make_database()?;
        let path = root.database();
        let steps = migrate::INSTANCE;
        let writer = Migration { path: &path, key: &key, steps, probe: &options.probe, now }.open()?;
        let reader = connect(&path, &key, Access::Read).map_err(MigrateError::from)?;
        setup::sweep(&root, &writer)?;
        Ok(Self(Arc::new(Inner {
            database: Arc::new(Database::start(writer, reader)?),
            key,
            gate: DerivationGate::new(),
            policy: options.policy,
            probe: options.probe,
            vaults: Mutex::default(),
            opening: Mutex::default(),
            setting_up: tokio::sync::Mutex::default(),
            root,
        })))
    }

    /// Closes every vault and the instance database and gives the data folder free.
    pub async fn close(self) {
        let people: Vec<PersonId> = self.0.vaults().keys().copied().collect();
        for person in people {
            self.lock(person).await;
        }
        let _ = tokio::task::spawn_blocking(move || self.0.database.close()).await;
    }

    /// True while nobody exists.
    pub async fn needs_setup(&self) -> Result<bool, StoreError> {
        self.0.database.read(|db| people::nobody_exists(db)).await
    }

    /// The account with this id.
    pub async fn person(&self, id: PersonId) -> Result<Option<Person>, StoreError> {
        self.0.database.read(move |db| people::by_id(db, id)).await
    }

    /// All accounts, by handle.
    pub async fn people(&self) -> Result<Vec<Person>, StoreError> {
        self.0.database.read(|db| people::all(db)).await
    }

    /// What the person's role may do, read now.
    pub async fn capabilities(&self, id: PersonId) -> Result<Vec<String>, StoreError> {
        self.0.database.read(move |db| people::capabilities(db, id)).await
    }

    /// The number of the first audit row that does not fit the chain, or nothing if all do.
    pub async fn first_bad_audit_row(&self) -> Result<Option<i64>, StoreError> {
        self.0.database.read(|db| audit::first_bad_row(db)).await
    }

    /// The vault of a session that gave the password since the vault was last closed; nothing otherwise (423).
    pub fn vault(&self, session: &Session) -> Option<Vault> {
        let vault = self.0.vaults().get(&session.person.id).cloned()?;
        vault.is_unlocked_for(&session.token).then_some(vault)
    }

    /// The vault of a person if it is open at all, for work that goes on without a session.
    pub fn open_vault(&self, id: PersonId) -> Option<Vault> {
        self.0.vaults().get(&id).cloned()
    }

    /// Closes a person's vault: the file is closed and the key wiped when this returns; holders get `Closed`.
    pub async fn lock(&self, id: PersonId) {
        let Some(vault) = self.retire(id) else { return };
        vault.note_last_writes().await;
        let _ = tokio::task::spawn_blocking(move || vault.close()).await;
    }

    /// Under one lock, so that of one person's vaults at most one is not closed.
    fn retire(&self, id: PersonId) -> Option<Vault> {
        let mut vaults = self.0.vaults();
        let vault = vaults.remove(&id)?;
        vault.retire();
        Some(vault)
    }

    /// Opens the vaults that the instance may open by itself (open ones), and says which did not open.
    pub async fn open_instance_vaults(&self, now: Timestamp) -> Result<Vec<(PersonId, VaultFault)>, StoreError> {
        let people = self.people().await?;
        let mut faults = Vec::new();
        for person in people.into_iter().filter(|person| person.vault == VaultKind::Open) {
            if let Err(fault) = self.open_by_instance(&person, now).await {
                faults.push((person.id, fault));
            }
        }
        Ok(faults)
    }

    async fn open_by_instance(&self, person: &Person, now: Timestamp) -> Result<Vault, VaultFault> {
        let (id, generation) = (person.id, person.generation);
        let wrap = self.0.database.read(move |db| wraps::load(db, id, WrapKind::Instance)).await?;
        let wrap = wrap.ok_or(VaultFault::Swapped)?;
        let binding = WrapBinding { person: id, kind: WrapKind::Instance, generation };
        let key = unwrap(&wrap.record, &self.0.wrap_key(), binding).map_err(|_| VaultFault::Swapped)?;
        self.open_with(person, key, false, now).await
    }

    /// Opens the file unless it is open already, checks that it fits the instance row, and notes its counter there.
    async fn open_with(
        &self,
        person: &Person,
        key: VaultKey,
        accept_older: bool,
        now: Timestamp,
    ) -> Result<Vault, VaultFault> {
        let (id, generation) = (person.id, person.generation);
        let known = self.0.database.read(move |db| people::vault_writes(db, id)).await?;
        let inner = self.0.clone();
        let opened = tokio::task::spawn_blocking(move || {
            let expected = Opening { person: id, generation, known_writes: known, accept_older, now };
            inner.open_vault_blocking(&expected, &key)
        });
        let (vault, counted) = opened.await.map_err(|_| StoreError::Closed)??;
        if let Some(writes) = counted {
            self.0.database.write(move |db| people::set_vault_writes(db, id, writes, accept_older)).await?;
            self.compare_audit(&vault, now).await?;
        }
        Ok(vault)
    }

    /// The log that a vault saw at any unlock must still be a beginning of the log there is.
    async fn compare_audit(&self, vault: &Vault, now: Timestamp) -> Result<(), StoreError> {
        let seen = vault.seen_audit_heads().await?;
        let fits = self.0.database.read(move |db| audit::holds_all(db, &seen)).await?;
        let head = self.0.database.read(|db| audit::head(db)).await?;
        match head {
            Some(head) => vault.keep_audit_head(head, fits, now).await,
            None => Ok(()),
        }
    }
}

impl Inner {
    fn vaults(&self) -> MutexGuard<'_, HashMap<PersonId, Vault>> {
        self.vaults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_vault_blocking(&self, expected: &Opening, key: &VaultKey) -> Result<(Vault, Option<u64>), VaultFault> {
        let _alone = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let id = expected.person;
        if let Some(vault) = self.vaults().get(&id) {
            return Ok((vault.clone(), None));
        }
        let path = self.root.finished_vault(id, expected.generation)?;
        let (vault, writes) = Vault::open(&path, expected, key, self.database.clone(), &self.probe)?;
        self.vaults().insert(id, vault.clone());
        Ok((vault, Some(writes)))
    }

    /// The key under which open vaults are wrapped for the instance.
    fn wrap_key(&self) -> Secret<32> {
        subkey(&self.key, "riad instance wrap v1")
    }
}
