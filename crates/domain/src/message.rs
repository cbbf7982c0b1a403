//! What a person says. Kept byte for byte.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::id::MessageId;
use crate::limits::MESSAGE_BYTES;

/// One message of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Minted by the client.
    pub id: MessageId,
    /// What was written, unchanged.
    pub text: String,
    /// What the host adds beside it (date, time, zone), minted once and never rendered anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
    /// What the person typed, where that was the short form of a command from a file; `text` is then what it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// Who is to answer it, as that was chosen when it was said.
    #[serde(default, skip_serializing_if = "Wanted::is_nobody")]
    pub wanted: Wanted,
}

/// Who is to answer a message. It holds for the turn that the message opens, whatever is chosen meanwhile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// A model, for this message alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileVersion>,
}

/// One version of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProfileVersion {
    /// Its name with its scope, for example `me/helper`.
    pub id: String,
    /// Counted from 1 for each text; 0 where there is one only, that of this version of Riad.
    pub version: u64,
}

impl Wanted {
    fn is_nobody(&self) -> bool {
        *self == Self::default()
    }
}

/// Why a message makes no entry.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MessageFault {
    /// Nothing was written.
    #[error("The message is empty. Write something first.")]
    Empty,
    /// It is longer than a message may be.
    #[error("The message has {0} bytes; at most 262144 fit. Attach it as a file instead.")]
    TooLong(usize),
    /// It holds a NUL character.
    #[error("The message holds a NUL character. Remove it and send again.")]
    Nul,
}

impl Message {
    /// A message, if its text may stand in the journal.
    pub fn new(id: MessageId, text: String, aside: Option<String>) -> Result<Self, MessageFault> {
        match text {
            text if text.trim().is_empty() => Err(MessageFault::Empty),
            text if text.len() > MESSAGE_BYTES => Err(MessageFault::TooLong(text.len())),
            text if text.contains('\0') => Err(MessageFault::Nul),
            text => Ok(Self { id, text, aside, short: None, wanted: Wanted::default() }),
        }
    }

    /// With the short form that the person typed.
    #[must_use]
    pub fn typed_as(mut self, short: String) -> Self {
        self.short = Some(short);
        self
    }
}
