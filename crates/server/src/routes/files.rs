//! The person's files, read only. Opened beneath the home folder by the tools' own resolver, never by joining paths.

use axum::Json;
use serde_json::Value;

use crate::extract::Unlocked;
use crate::problem::{Code, Problem};

/// A folder's entries.
pub(super) async fn list(Unlocked(_): Unlocked) -> Result<Json<Value>, Problem> {
    Err(Problem::new(Code::NotReady, "Files cannot be shown yet."))
}

/// A file's bytes.
pub(super) async fn content(Unlocked(_): Unlocked) -> Result<Json<Value>, Problem> {
    Err(Problem::new(Code::NotReady, "Files cannot be shown yet."))
}
