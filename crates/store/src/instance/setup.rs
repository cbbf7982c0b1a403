//! The first account: one transaction that seeds the roles and makes the person (PEOPLE-1, 3).
//! The setup token is the server's to check; it is a `token::SetupToken`.

use std::net::IpAddr;

use domain::account::{DisplayName, Handle, Locale, Password, Zone};
use domain::time::Timestamp;
use rusqlite::Connection;

use crate::error::{SetupError, StoreError};
use crate::files;
use crate::id::PersonId;
use crate::instance::Instance;
use crate::instance::audit::{self, Act};
use crate::instance::birth::NewAccount;
use crate::instance::people::{self, ADMIN, Person, VaultKind};
use crate::instance::root::{Root, UNFINISHED};

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

impl Instance {
    /// Makes the first account, an admin, with its vault. Of two at once one wins and the other gets
    /// [`SetupError::Done`]; killed midway, the next start finds no person and no vault file.
    pub async fn set_up(&self, input: SetupInput, address: IpAddr, now: Timestamp) -> Result<Person, SetupError> {
        // Each derives a key for a second, and only one at a time may do that from one address.
        let _alone = self.0.setting_up.lock().await;
        if !self.needs_setup().await? {
            return Err(SetupError::Done);
        }
        let SetupInput { preset, handle, name, locale, zone, vault, password } = input;
        let account = NewAccount { handle, name, locale, zone, vault };
        let birth = self.prepare::<SetupError>(account, password, address).await?;
        let inner = self.0.clone();
        let id = birth.id();
        self.0
            .database
            .write(move |db| {
                if !people::nobody_exists(db)? {
                    return Err(SetupError::Done);
                }
                people::seed_roles(db, preset.as_str(), now)?;
                birth.make(&inner, db, ADMIN, now)?;
                Ok(audit::append(db, Act::SetUp, Some(id), now)?)
            })
            .await?;
        self.finish_birth(id).await?;
        self.person(id).await?.ok_or(SetupError::Store(StoreError::Corrupt("person")))
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
