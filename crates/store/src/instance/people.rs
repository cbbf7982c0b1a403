//! Accounts and roles as rows of the instance database. Not here: passwords, keys and sessions.

use domain::time::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::Deserialize;

use crate::error::StoreError;
use crate::id::PersonId;
use crate::instance::birth::NewAccount;

/// One account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Its id.
    pub id: PersonId,
    /// The name for signing in; never changes.
    pub handle: String,
    /// The name that others see.
    pub name: String,
    /// The name of its role.
    pub role: String,
    /// Whether it may sign in.
    pub state: PersonState,
    /// BCP 47.
    pub locale: String,
    /// IANA.
    pub zone: String,
    /// Who can open its vault.
    pub vault: VaultKind,
    pub(crate) generation: u64,
}

impl Person {
    /// True for the role that holds every capability.
    pub fn is_admin(&self) -> bool {
        self.role == ADMIN
    }
}

/// The role that holds every capability.
pub(crate) const ADMIN: &str = "admin";

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$line:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$line])* $variant,)* }

        impl $name {
            /// The word that is stored.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The value of a stored word.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                Self::parse(value.as_str()?).ok_or(FromSqlError::InvalidType)
            }
        }
    )*};
}

words! {
    /// Whether an account may sign in.
    PersonState {
        /// It may.
        Active = "active",
        /// It may not; nothing is deleted.
        Deactivated = "deactivated",
        /// It is being deleted.
        Deleting = "deleting",
    }
    /// Who can open a vault.
    VaultKind {
        /// Only what its person knows.
        Private = "private",
        /// The instance too.
        Open = "open",
    }
}

pub(crate) fn insert(
    db: &Connection,
    id: PersonId,
    account: &NewAccount,
    role: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO people (id, handle, name, role, state, locale, zone, vault_kind, generation, created_at)
         VALUES (?1, ?2, ?3, ?4, 'active', ?5, ?6, ?7, 1, ?8)",
        params![
            id,
            account.handle.as_str(),
            account.name.as_str(),
            role,
            account.locale.as_str(),
            account.zone.as_str(),
            account.vault.as_str(),
            now.0,
        ],
    )?;
    Ok(())
}

pub(crate) fn nobody_exists(db: &Connection) -> Result<bool, StoreError> {
    Ok(db.query_row("SELECT NOT EXISTS (SELECT 1 FROM people)", [], |row| row.get(0))?)
}

const COLUMNS: &str = "id, handle, name, role, state, locale, zone, vault_kind, generation";

fn read(row: &Row<'_>) -> rusqlite::Result<Person> {
    Ok(Person {
        id: row.get(0)?,
        handle: row.get(1)?,
        name: row.get(2)?,
        role: row.get(3)?,
        state: row.get(4)?,
        locale: row.get(5)?,
        zone: row.get(6)?,
        vault: row.get(7)?,
        generation: row.get(8)?,
    })
}

pub(crate) fn by_id(db: &Connection, id: PersonId) -> Result<Option<Person>, StoreError> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM people WHERE id = ?1"))?;
    Ok(statement.query_row([id], read).optional()?)
}

pub(crate) fn by_handle(db: &Connection, handle: &str) -> Result<Option<Person>, StoreError> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM people WHERE handle = ?1"))?;
    Ok(statement.query_row([handle], read).optional()?)
}

pub(crate) fn all(db: &Connection) -> Result<Vec<Person>, StoreError> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM people ORDER BY handle"))?;
    let people = statement.query_map([], read)?.collect::<Result<_, _>>()?;
    Ok(people)
}

pub(crate) fn capabilities(db: &Connection, id: PersonId) -> Result<Vec<String>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT capability FROM role_capabilities JOIN people ON people.role = role_capabilities.role
         WHERE people.id = ?1 AND people.state = 'active' ORDER BY capability",
    )?;
    let capabilities = statement.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(capabilities)
}

/// What a role may do.
pub(crate) fn capabilities_of_role(db: &Connection, role: &str) -> Result<Vec<String>, StoreError> {
    let mut statement = db.prepare_cached("SELECT capability FROM role_capabilities WHERE role = ?1")?;
    let capabilities = statement.query_map([role], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(capabilities)
}

/// The kind of vault that a role asks for (`private`, `open` or `either`), or nothing if there is no such role.
pub(crate) fn vault_kind_of_role(db: &Connection, role: &str) -> Result<Option<String>, StoreError> {
    let mut statement = db.prepare_cached("SELECT vault_kind FROM roles WHERE name = ?1")?;
    Ok(statement.query_row([role], |row| row.get(0)).optional()?)
}

/// True if an active admin is there.
pub(crate) fn has_active_admin(db: &Connection) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM people WHERE role = ?1 AND state = 'active')";
    Ok(db.query_row(sql, [ADMIN], |row| row.get(0))?)
}

/// The highest write counter of the person's vault that is known to be durable.
pub(crate) fn vault_writes(db: &Connection, id: PersonId) -> Result<u64, StoreError> {
    Ok(db.query_row("SELECT vault_writes FROM people WHERE id = ?1", [id], |row| row.get(0))?)
}

/// Raises the known counter; `lower` takes an older file's counter after its person accepted it.
pub(crate) fn set_vault_writes(db: &Connection, id: PersonId, writes: u64, lower: bool) -> Result<(), StoreError> {
    let floor = if lower { "?2" } else { "max(vault_writes, ?2)" };
    db.execute(&format!("UPDATE people SET vault_writes = {floor} WHERE id = ?1"), params![id, writes])?;
    Ok(())
}

/// The seeded roles and the labels that presets give them.
#[derive(Deserialize)]
struct Seed {
    presets: std::collections::BTreeMap<String, SeedPreset>,
    roles: Vec<SeedRole>,
}

#[derive(Deserialize)]
struct SeedPreset {
    labels: std::collections::BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct SeedRole {
    name: String,
    ui: String,
    permission_group: String,
    profile: String,
    auto_grant: bool,
    privacy_tier: String,
    vault_kind: String,
    second_approval: Vec<String>,
    supervision: String,
    lease: bool,
    capabilities: Vec<String>,
}

/// Writes the seeded roles once; a second call changes nothing.
pub(crate) fn seed_roles(db: &Connection, preset: &str, now: Timestamp) -> Result<(), StoreError> {
    let sown = db.execute("INSERT OR IGNORE INTO seeds (name, applied_at) VALUES ('roles', ?1)", [now.0])?;
    if sown == 0 {
        return Ok(());
    }
    let seed: Seed = serde_json::from_str(include_str!("../../seed/roles.json")).map_err(|_| SEED)?;
    let labels = &seed.presets.get(preset).ok_or(SEED)?.labels;
    for role in &seed.roles {
        insert_role(db, role, labels.get(&role.name).ok_or(SEED)?)?;
    }
    Ok(())
}

const SEED: StoreError = StoreError::Corrupt("seeded roles");

fn insert_role(db: &Connection, role: &SeedRole, label: &str) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO roles (name, label, ui, permission_group, profile, auto_grant, privacy_tier, vault_kind,
                            second_approval, supervision, lease)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            role.name,
            label,
            role.ui,
            role.permission_group,
            role.profile,
            role.auto_grant,
            role.privacy_tier,
            role.vault_kind,
            serde_json::to_string(&role.second_approval).map_err(|_| SEED)?,
            role.supervision,
            role.lease,
        ],
    )?;
    for capability in &role.capabilities {
        db.execute("INSERT INTO role_capabilities (role, capability) VALUES (?1, ?2)", params![role.name, capability])?;
    }
    Ok(())
}
