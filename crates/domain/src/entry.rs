//! The only thing ever stored: one recorded fact, append-only and versioned.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::approval::{Answer, Approval};
use crate::call::{Clearance, Rejection};
use crate::compact::Compacted;
use crate::delegate::Opened;
use crate::digest::Digest;
use crate::facts::{Facts, Preview};
use crate::footer::SideEffect;
use crate::id::{CallId, EntryNumber, FrameId, MessageId, TurnId};
use crate::line::LineId;
use crate::message::Message;
use crate::model::{Faltered, Reply};
use crate::outcome::{Outcome, why};
use crate::repair::Step;
use crate::result::ToolResult;
use crate::time::Timestamp;

/// The version this build writes.
pub const VERSION: u32 = 1;

/// One recorded fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its place in the conversation.
    pub number: EntryNumber,
    /// The form it was written in.
    pub version: u32,
    /// When.
    pub at: Timestamp,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// The frame it belongs to.
    pub frame: FrameId,
    /// The fact.
    pub body: Body,
}

/// A fact that is about to be recorded: an entry without its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// When.
    pub at: Timestamp,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// The frame it belongs to.
    pub frame: FrameId,
    /// The fact.
    pub body: Body,
}

impl Draft {
    /// The entry that this draft becomes at `number`.
    pub fn at_number(self, number: EntryNumber) -> Entry {
        let Self { at, turn, frame, body } = self;
        Entry { number, version: VERSION, at, turn, frame, body }
    }
}

/// The facts there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// A person said something.
    Said(Message),
    /// A message that still waited was taken back.
    Withdrawn(MessageId),
    /// A model replied.
    Replied(Box<Reply>),
    /// A sample gave no reply.
    Faltered(Faltered),
    /// No model is left but such as the conversation may not travel to: the turn waits for its person.
    Held(Held),
    /// A call was not fit for the gate.
    Rejected {
        /// The call.
        call: CallId,
        /// Why.
        reason: Rejection,
    },
    /// The hooks and the tool have looked at a call.
    Screened(Box<Screened>),
    /// A person is asked.
    Asked(Box<Approval>),
    /// A person answered.
    Answered(Answer),
    /// A call is about to run.
    Started {
        /// The call.
        call: CallId,
        /// What it was cleared for.
        digest: Digest,
        /// What cleared it.
        clearance: Clearance,
        /// Equal over retries and replays.
        key: String,
    },
    /// A call came back.
    Returned(ToolResult),
    /// The turn goes on in a new process; what had started and not returned was cut.
    Resumed,
    /// The person stopped the turn.
    Stopped,
    /// The turn is over.
    Ended {
        /// How.
        outcome: Outcome,
        /// All that it did to the world.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        footer: Vec<SideEffect>,
    },
    /// The projection was folded, or could not be.
    Compacted(Box<Compacted>),
    /// The person asked for a fold.
    CompactionAsked,
    /// A new line starts: it shares what stands up to an entry of the line before it. The line is named after this
    /// entry.
    Forked {
        /// The last entry that is shared; 0 for none.
        after: EntryNumber,
    },
    /// Another line is gone on with.
    Switched {
        /// The line.
        line: LineId,
    },
    /// A frame begins: a delegate works on a task.
    Opened(Box<Opened>),
    /// Written by a newer version than this one; kept, and not understood.
    #[serde(skip)]
    Newer(Value),
}

/// Why a turn waits though no question is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The models that were asked, each with its last fault.
    pub failed: Vec<Faltered>,
    /// The models that were not, since the conversation may not travel to them.
    pub barred: Vec<String>,
}

impl Held {
    /// What happened, for the person.
    pub fn sentence(&self) -> String {
        let failed: Vec<_> = self.failed.iter().map(|one| format!("{} ({})", one.model, why(&one.fault))).collect();
        let answered =
            if failed.is_empty() { String::new() } else { format!("{} did not answer. ", failed.join(", ")) };
        format!("{answered}{} could, but this conversation may not travel that far.", self.barred.join(", "))
    }

    /// What the person can do now.
    pub fn next_step(&self) -> &'static str {
        "Let it travel further in the settings, write to have it tried again, or stop the turn."
    }
}

/// What the hooks and the tool found out about a call, before the gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Screened {
    /// The call.
    pub call: CallId,
    /// Its final arguments.
    pub arguments: Value,
    /// What it would do.
    pub facts: Facts,
    /// Of tool, arguments and facts.
    pub digest: Digest,
    /// One line made by the host.
    pub label: String,
    /// What would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// What had to be mended in the arguments that were written, in order, and keys that nobody knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Step>,
    /// The hooks that changed or blocked it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookNote>,
    /// Why it may not run, if a hook or the tool said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
}

/// What one hook did to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookNote {
    /// The hook.
    pub hook: String,
    /// `rewrote` or `blocked`, with its reason.
    pub did: String,
}

/// Stored text that is no entry.
#[derive(Debug, Error)]
#[error("entry {number} cannot be read: {reason}")]
pub struct Unreadable {
    /// Its place.
    pub number: u64,
    /// What is wrong.
    pub reason: String,
}

impl Body {
    /// The word of the fact: that of its variant.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Said(_) => "said",
            Self::Withdrawn(_) => "withdrawn",
            Self::Replied(_) => "replied",
            Self::Faltered(_) => "faltered",
            Self::Held(_) => "held",
            Self::Rejected { .. } => "rejected",
            Self::Screened(_) => "screened",
            Self::Asked(_) => "asked",
            Self::Answered(_) => "answered",
            Self::Started { .. } => "started",
            Self::Returned(_) => "returned",
            Self::Resumed => "resumed",
            Self::Stopped => "stopped",
            Self::Ended { .. } => "ended",
            Self::Compacted(_) => "compacted",
            Self::CompactionAsked => "compaction_asked",
            Self::Forked { .. } => "forked",
            Self::Switched { .. } => "switched",
            Self::Opened(_) => "opened",
            Self::Newer(_) => "newer",
        }
    }

    /// What a person said, if it is that.
    pub fn said(&self) -> Option<&Message> {
        if let Self::Said(message) = self { Some(message) } else { None }
    }

    /// What a model replied, if it is that.
    pub fn replied(&self) -> Option<&Reply> {
        if let Self::Replied(reply) = self { Some(reply) } else { None }
    }

    /// What a person is asked, if it is that.
    pub fn asked(&self) -> Option<&Approval> {
        if let Self::Asked(approval) = self { Some(approval) } else { None }
    }

    /// The JSON text that is stored.
    pub fn encode(&self) -> String {
        if let Self::Newer(value) = self {
            return value.to_string();
        }
        serde_json::to_string(self).expect("a body is plain data with text keys")
    }

    /// Reads stored text. A body of a newer version is kept as it is.
    pub fn decode(number: EntryNumber, version: u32, text: &str) -> Result<Self, Unreadable> {
        let unreadable = |reason: serde_json::Error| Unreadable { number: number.0, reason: reason.to_string() };
        if version > VERSION {
            return serde_json::from_str(text).map(Self::Newer).map_err(unreadable);
        }
        serde_json::from_str(text).map_err(unreadable)
    }
}
