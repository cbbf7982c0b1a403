//! The first account: one transaction that seeds the roles, makes the person, the wraps and the vault (PEOPLE-1, 3).
//! The setup token is the server's to check; it is a `token::SetupToken`.

use std::net::IpAddr;

use domain::account::{DisplayName, Handle, Locale, Password, Zone};
use domain::time::Timestamp;
use rusqlite::{Connection, Transaction};

use crate::error::{SetupError, StoreError};
use crate::files;
use crate::id::PersonId;
use crate::instance::audit::{self, Act};
use crate::instance::people::{self, ADMIN, NewPerson, Person, VaultKind};
use crate::instance::root::{Root, UNFINISHED};
use crate::instance::wraps::{self, PasswordWrap};
use crate::instance::{Inner, Instance};
use crate::kdf::Address;
use crate::key::VaultKey;
use crate::vault;

/// What the wizard and the terminal collect, judged.
#[derive(Debug)]
pub struct SetupInput {
    /// How the roles are labelled.
    pub preset: Preset,
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
    /// The password.
    pub password: Password,
}

/// The labels of the seeded roles; the texts are in `seed/roles.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// For a home.
    Home,
    /// For a team.
    Team,
    /// For care.
    Care,
}

impl Preset {
    /// The preset of a word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Home, Self::Team, Self::Care].into_iter().find(|preset| preset.as_str() == word)
    }

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Team => "team",
            Self::Care => "care",
        }
    }
}

const FIRST_GENERATION: u64 = 1;

impl Instance {
    /// Makes the first account, an admin, with its vault. Of two at once one wins and the other gets
    /// [`SetupError::Done`]; killed midway, the next start finds no person and no vault file.
    pub async fn set_up(&self, input: SetupInput, address: IpAddr, now: Timestamp) -> Result<Person, SetupError> {
        if !self.needs_setup().await? {
            return Err(SetupError::Done);
        }
        let id = PersonId::random()?;
        let (policy, probe) = (self.0.policy, self.0.probe.clone());
        let (key, wrap, input) = self
            .0
            .gate
            .run(Address::of(address), move || {
                let key = VaultKey::random()?;
                let wrap = PasswordWrap::make(&key, input.password.typed(), policy, id, FIRST_GENERATION)?;
                Ok::<_, StoreError>((key, wrap, input))
            })
            .await
            .map_err(|_| SetupError::Busy)??;
        let inner = self.0.clone();
        let first = FirstPerson { id, key, wrap, input };
        self.0.database.write(move |db| first.make(&inner, db, now)).await?;
        probe.at("setup.committed")?;
        let inner = self.0.clone();
        let named = tokio::task::spawn_blocking(move || inner.root.finished_vault(id, FIRST_GENERATION));
        if let Ok(Err(error)) = named.await {
            tracing::warn!(?error, "the vault gets its name at its first opening");
        }
        probe.at("setup.finished")?;
        self.person(id).await?.ok_or(SetupError::Store(StoreError::Corrupt("person")))
    }
}

struct FirstPerson {
    id: PersonId,
    key: VaultKey,
    wrap: PasswordWrap,
    input: SetupInput,
}

impl FirstPerson {
    fn make(&self, inner: &Inner, db: &Transaction<'_>, now: Timestamp) -> Result<(), SetupError> {
        if !people::nobody_exists(db)? {
            return Err(SetupError::Done);
        }
        self.insert_rows(inner, db, now)?;
        inner.probe.at("setup.rows")?;
        let path = inner.root.unfinished_vault(self.id, FIRST_GENERATION);
        let made = vault::create(&path, &self.key, self.id, &inner.probe, now)
            .and_then(|()| Ok(inner.probe.at("setup.vault")?));
        if made.is_err() {
            remove_vault(&path)?;
        }
        Ok(made?)
    }

    fn insert_rows(&self, inner: &Inner, db: &Connection, now: Timestamp) -> Result<(), StoreError> {
        people::seed_roles(db, self.input.preset.as_str(), now)?;
        let person = NewPerson {
            id: self.id,
            handle: &self.input.handle,
            name: &self.input.name,
            role: ADMIN,
            locale: &self.input.locale,
            zone: &self.input.zone,
            vault: self.input.vault,
        };
        people::insert(db, &person, now)?;
        self.wrap.store(db, self.id, FIRST_GENERATION)?;
        if self.input.vault == VaultKind::Open {
            wraps::store_for_instance(db, &self.key, &inner.wrap_key(), self.id, FIRST_GENERATION)?;
        }
        audit::append(db, Act::SetUp, Some(self.id), now)
    }
}

/// Removes the vault files of setups that were cut off before their commit. Those whose person exists stay; they get
/// their name when they are opened.
pub(crate) fn sweep(root: &Root, db: &Connection) -> Result<(), StoreError> {
    for name in files::names_in(&root.vaults())? {
        let Some((vault, rest)) = name.split_once(&format!(".db{UNFINISHED}")) else { continue };
        let id = vault.split('.').next().and_then(|id| id.parse::<PersonId>().ok());
        let belongs = match id {
            Some(id) => people::by_id(db, id)?.is_some(),
            None => false,
        };
        if !belongs {
            files::remove_durably(&root.vaults().join(&name))?;
            tracing::info!(rest, "removed what a cut-off setup left");
        }
    }
    Ok(())
}

fn remove_vault(path: &std::path::Path) -> Result<(), StoreError> {
    for ending in ["-wal", "-shm", ""] {
        files::remove_durably(&files::with_ending(path, ending))?;
    }
    Ok(())
}
