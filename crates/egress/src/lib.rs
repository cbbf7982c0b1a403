//! The only way out to the network. It resolves once, refuses what is not public unless a person granted it, connects to
//! exactly the address that was judged, verifies TLS, follows no redirects, counts bytes and keeps deadlines. What is
//! public is judged in `domain::address`. It knows no users and no tools, and adds no secret by itself.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod body;
mod client;
mod connection;
mod judge;
mod own;
mod resolve;
mod target;

pub use body::Body;
pub use client::{Client, Grant, Limits, Method, Purpose, Request, Response};
pub use judge::judge_url;
pub use own::connect_to_own;
pub use resolve::{Resolve, SystemResolver};

use domain::address::NotPublic;
use thiserror::Error;

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EgressError {
    /// The URL is refused as it is written.
    #[error("the URL is not accepted: {0}")]
    BadUrl(&'static str),
    /// The host is not public and nobody granted it.
    #[error("the host is not public: {0}. An admin can grant host and port in Network settings.")]
    Blocked(NotPublic),
    /// The name has no answer.
    #[error("the name could not be resolved")]
    Dns,
    /// No connection.
    #[error("the connection failed: {0}")]
    Connect(String),
    /// No trusted connection.
    #[error("the certificate or the TLS handshake was refused: {0}")]
    Tls(String),
    /// Too slow.
    #[error("nothing came in time while {0}")]
    Timeout(Phase),
    /// More bytes than the purpose allows.
    #[error("more than {0} bytes")]
    TooLarge(u64),
    /// A redirect, which is not followed here.
    #[error("the server redirects, which is not followed")]
    Redirected,
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// What a deadline belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Looking up the name.
    Resolving,
    /// Connecting, TLS included.
    Connecting,
    /// Waiting for the head of the answer.
    Waiting,
    /// Waiting for the next bytes.
    Reading,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Phase::Resolving => "resolving the name",
            Phase::Connecting => "connecting",
            Phase::Waiting => "waiting for the answer",
            Phase::Reading => "reading the answer",
        })
    }
}
