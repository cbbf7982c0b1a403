//! The id of a person as the store uses it. It never reaches `harness` or `domain`.

use crate::error::StoreError;
use crate::secret::{hex, random_bytes, unhex};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use std::fmt;
use std::str::FromStr;

/// 128 random bits, written as 32 lower-case hex digits. Names files, never shown as a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PersonId([u8; 16]);

impl PersonId {
    pub(crate) fn random() -> Result<Self, StoreError> {
        random_bytes().map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PersonId({self})")
    }
}

/// The text is no person id.
#[derive(Debug, thiserror::Error)]
#[error("That is no person id.")]
pub struct NotAPersonId;

impl FromStr for PersonId {
    type Err = NotAPersonId;

    fn from_str(text: &str) -> Result<Self, NotAPersonId> {
        unhex::<16>(text).map(|id| Self(*id.expose())).ok_or(NotAPersonId)
    }
}

impl ToSql for PersonId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.to_string().into())
    }
}

impl FromSql for PersonId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(|_| FromSqlError::InvalidType)
    }
}
