//! The event stream: one WebSocket a client, for everything that concerns one person.
//!
//! Entries are pulled from the vault by their number, so nothing can be lost or doubled and a slow reader costs
//! nobody else anything. Only deltas, snapshots and hints pass through memory (`mailbox`), bounded and best effort.

mod hub;
mod mailbox;
mod socket;

pub use hub::Hub;
pub use mailbox::Mailbox;
pub use socket::follow;

/// Why the server ends a stream, as a WebSocket close code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The server goes down; come back (RFC 6455: going away).
    Shutdown = 1001,
    /// The first frame was not `open`, or a frame was not understood.
    NotUnderstood = 4400,
    /// The session is over.
    Revoked = 4401,
    /// The vault was locked.
    Locked = 4423,
    /// Too many streams; the least recently active gives way.
    TooMany = 4008,
    /// The client does not read.
    TooSlow = 4009,
    /// The client sends too much.
    TooMuch = 4010,
}

impl Ending {
    /// A word for the close frame.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Shutdown => "shutdown",
            Self::NotUnderstood => "not_understood",
            Self::Revoked => "revoked",
            Self::Locked => "locked",
            Self::TooMany => "too_many",
            Self::TooSlow => "too_slow",
            Self::TooMuch => "too_much",
        }
    }
}

#[cfg(test)]
mod tests;
