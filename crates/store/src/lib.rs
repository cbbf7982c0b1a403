//! Encrypted SQLite: one vault a person and one instance database. Keys, migrations, journal, accounts, sessions,
//! throttle, private notes, choices, own profiles and commands, search, and idempotency keys.
//!
//! It knows no HTTP, prompt or policy. Begin at [`Instance`]: it signs people in and hands out [`Vault`]s; holding a
//! `Vault` is the proof that its person unlocked it. Time comes in as an argument; keys, tokens and ids are drawn
//! from the operating system.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod database;
mod error;
mod files;
mod id;
mod instance;
mod kdf;
mod key;
mod migrate;
mod probe;
mod secret;
mod token;
mod vault;

pub use error::{AccountError, OpenError, OpenErrorKind, SchemaError, SetupError, SignInError, StoreError, VaultFault};
pub use id::{NotAPersonId, PersonId};
pub use instance::birth::NewAccount;
pub use instance::look::{AuditLog, audit_log};
pub use instance::people::{Person, PersonState, VaultKind};
pub use instance::sessions::Session;
pub use instance::setup::{Preset, SetupInput};
pub use instance::sign_in::{SignIn, SignedIn, Unlock, Unlocked};
pub use instance::{Instance, Options};
pub use kdf::KdfPolicy;
pub use probe::Probe;
pub use token::{DeviceToken, InvitationCode, SessionToken, SetupToken, SetupTokenFault};
pub use vault::Vault;
pub use vault::conversations::{Changed, ConversationChange, ConversationState, ConversationSummary, ListFrom};
pub use vault::idempotency::{Begun, Ticket};
pub use vault::journal::Sequenced;
pub use vault::notes::NoteVersion;
pub use vault::search::{Hit, Piece, Search, Speaker};
pub use vault::texts::{OwnText, TextKind, Wrote};
