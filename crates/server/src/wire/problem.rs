//! The body of a refusal (RFC 9457).

use serde::Serialize;

use crate::problem::{Code, Field};

/// What is written of a problem.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ProblemBody {
    /// `urn:riad:problem:` and the code.
    #[serde(rename = "type")]
    pub about: String,
    /// What the code means.
    pub title: &'static str,
    /// Of the answer.
    pub status: u16,
    /// What happened, for the person.
    pub detail: String,
    /// From a closed list; none changes its meaning.
    pub code: Code,
    /// To look for in the log.
    pub request_id: String,
    /// Every bad field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>"))]
    pub fields: Vec<Field>,
    /// Seconds to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<&'static str>,
    /// Further members.
    #[serde(flatten)]
    pub more: More,
}

/// Members that only some codes have.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct More {
    /// Of a question that was answered already: who did,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<&'static str>,
    /// with what
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<super::entry::Answered>,
    /// and when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Of a vault that stays shut: its file is older than the one last seen, and can be opened all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older: Option<bool>,
}
