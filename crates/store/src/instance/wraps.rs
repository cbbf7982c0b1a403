//! Wraps of data keys as rows. The record is opened in `key`; the tag of the password wrap is the only password
//! verifier there is.

use domain::account::TypedPassword;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::id::PersonId;
use crate::kdf::{KdfPolicy, derive};
use crate::key::{VaultKey, WRAP_LENGTH, WRAP_VERSION, WrapBinding, WrapKind, wrap};
use crate::secret::{Secret, random_bytes};

/// One row. `kdf` is there for passwords.
pub(crate) struct WrapRow {
    pub(crate) record: Vec<u8>,
    pub(crate) kdf: Option<Kdf>,
}

/// How a password becomes the key of its wrap.
#[derive(Clone, Copy)]
pub(crate) struct Kdf {
    pub(crate) salt: [u8; 16],
    pub(crate) policy: KdfPolicy,
}

/// A password wrap that is ready to be stored.
pub(crate) struct PasswordWrap {
    pub(crate) record: [u8; WRAP_LENGTH],
    pub(crate) kdf: Kdf,
}

impl PasswordWrap {
    /// Derives with a fresh salt and wraps. Blocks for one derivation.
    pub(crate) fn make(
        key: &VaultKey,
        password: &TypedPassword,
        policy: KdfPolicy,
        person: PersonId,
        generation: u64,
    ) -> Result<Self, StoreError> {
        let salt = random_bytes()?;
        let by = derive(password.bytes(), &salt, policy)?;
        let binding = WrapBinding { person, kind: WrapKind::Password, generation };
        Ok(Self { record: wrap(key, &by, binding)?, kdf: Kdf { salt, policy } })
    }

    /// Stores the wrap in place of the one before.
    pub(crate) fn store(&self, db: &Connection, person: PersonId, generation: u64) -> Result<(), StoreError> {
        db.execute(
            "INSERT INTO key_wraps (person, kind, generation, version, record, salt, memory_kib, passes, lanes)
             VALUES (?1, 'password', ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (person, kind) DO UPDATE SET generation = excluded.generation, version = excluded.version,
                 record = excluded.record, salt = excluded.salt, memory_kib = excluded.memory_kib,
                 passes = excluded.passes, lanes = excluded.lanes",
            params![
                person,
                generation,
                WRAP_VERSION,
                self.record,
                self.kdf.salt,
                self.kdf.policy.memory_kib(),
                self.kdf.policy.passes(),
                self.kdf.policy.lanes(),
            ],
        )?;
        Ok(())
    }
}

/// Wraps the key for the instance itself and stores it; the tables refuse that for a private vault.
pub(crate) fn store_for_instance(
    db: &Connection,
    key: &VaultKey,
    by: &Secret<32>,
    person: PersonId,
    generation: u64,
) -> Result<(), StoreError> {
    let record = wrap(key, by, WrapBinding { person, kind: WrapKind::Instance, generation })?;
    db.execute(
        "INSERT INTO key_wraps (person, kind, generation, version, record) VALUES (?1, 'instance', ?2, ?3, ?4)",
        params![person, generation, WRAP_VERSION, record],
    )?;
    Ok(())
}

/// The wrap of one kind. Parameters outside the range are refused here, before anything is derived.
pub(crate) fn load(db: &Connection, person: PersonId, kind: WrapKind) -> Result<Option<WrapRow>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT record, salt, memory_kib, passes, lanes FROM key_wraps WHERE person = ?1 AND kind = ?2",
    )?;
    let row = statement
        .query_row(params![person, kind.name()], |row| {
            let kdf: (Option<[u8; 16]>, Option<u32>, Option<u32>, Option<u32>) =
                (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
            Ok((row.get::<_, Vec<u8>>(0)?, kdf))
        })
        .optional()?;
    let Some((record, kdf)) = row else { return Ok(None) };
    let kdf = match kdf {
        (Some(salt), Some(memory), Some(passes), Some(lanes)) => Some(Kdf {
            salt,
            policy: KdfPolicy::new(memory, passes, lanes).ok_or(StoreError::Corrupt("key parameters"))?,
        }),
        _ => None,
    };
    Ok(Some(WrapRow { record, kdf }))
}
