//! Names of things: opaque text, minted outside and passed in. Not keys of any database.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes the text as it is.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The text of the id.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }
    )*};
}

ids! {
    /// One thread of talk.
    ConversationId;
    /// From one message of a person to rest. Equal to the id of the message that opened it.
    TurnId;
    /// One agent profile at work in a turn.
    FrameId;
    /// One message of a person; minted by the client, so that sending twice records once.
    MessageId;
    /// One reply of a model; its stream of deltas carries the same id.
    ReplyId;
    /// One use of a tool; unique in its conversation.
    CallId;
    /// One question about one exact call.
    ApprovalId;
    /// One line of policy.
    RuleId;
}

impl FrameId {
    /// The frame of the turn itself, outside every delegate.
    pub fn outer() -> Self {
        Self::new("outer")
    }

    /// A frame is named after the call that opened it, so that it is the same after a crash.
    pub fn opened_by(call: &CallId) -> Self {
        Self::new(format!("of {call}"))
    }

    /// The call that opened it; `None` for the frame of the turn itself.
    pub fn call(&self) -> Option<&str> {
        self.as_str().strip_prefix("of ")
    }

    /// Whether this is the frame of the turn itself.
    pub fn is_outer(&self) -> bool {
        self.as_str() == "outer"
    }
}

impl TurnId {
    /// A turn is named after the message that opened it, so every reader of the journal finds the same name.
    pub fn opened_by(message: &MessageId) -> Self {
        Self::new(message.as_str())
    }
}

/// The place of an entry in its conversation, counted from 1 without gap. 0 means "before the first".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryNumber(pub u64);

impl EntryNumber {
    /// The number that follows.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}
