//! What a model is and what it said, without any provider's wire.

use serde::{Deserialize, Serialize};

use crate::call::ToolCall;
use crate::digest::Digest;
use crate::id::{EntryNumber, ReplyId};
use crate::plan::Counted;

/// What is known of a model without asking it anything. `None` means unknown and counts as absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelDescription {
    /// The name people see.
    pub name: String,
    /// Which exact weights or remote model this is.
    pub fingerprint: String,
    /// Tokens that prompt and reply share.
    pub window: u32,
    /// The most tokens of one reply.
    pub output_cap: Option<u32>,
    /// The dialect of its calls, for example `hermes` or `native`.
    pub dialect: String,
    /// Whether calls can be made valid by construction.
    pub constrained: bool,
    /// Whether it can go on with a reply that was left open, from its last token.
    #[serde(default)]
    pub continues: bool,
    /// How far what is said to it travels.
    pub tier: Tier,
}

/// How far a conversation may travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// It stays on this machine.
    Device,
    /// It goes to a machine that the operator trusts.
    Trusted,
    /// It may go anywhere.
    Any,
}

/// Why a sample ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model was done.
    Natural,
    /// The model asks for calls.
    Calls,
    /// The cap of the reply was reached.
    Length,
    /// A marker of the caller.
    StopMarker,
    /// The window is full.
    ContextFull,
    /// The provider withheld it.
    Filtered,
    /// The person stopped it.
    Cancelled,
    /// The stream broke off.
    Cut,
}

/// Tokens and times of one sample. `None` is unknown, never 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: Option<u32>,
    /// Tokens of the prompt that were not decoded again.
    pub reused: Option<u32>,
    /// Tokens of the prompt that were decoded.
    pub prefilled: Option<u32>,
    /// Tokens of the reply.
    pub decoded: Option<u32>,
    /// Tokens of its reasoning, part of `decoded`.
    pub reasoning: Option<u32>,
    /// Milliseconds that the request waited for others before anything was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_ms: Option<u64>,
    /// Milliseconds until the first token.
    pub first_token_ms: Option<u64>,
    /// Milliseconds in all.
    pub total_ms: Option<u64>,
    /// What computed it: `cpu`, `remote`, ...
    pub backend: Option<String>,
    /// How likely a call would have begun where the reply ended by itself, in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opener: Option<u16>,
}

/// One reply of a model, as an adapter hands it over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampled {
    /// What it said.
    pub text: String,
    /// What it thought, kept apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The calls it asks for, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Why it ended.
    pub stop: StopReason,
    /// Tokens and times.
    pub usage: Usage,
    /// The model that answered.
    pub model: String,
    /// Its reasoning as its provider signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signed>,
}

/// What a provider signed of a reply's reasoning. Nobody but the adapter that wrote it reads what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// Whose signature it is: a wire and the service behind it.
    pub lineage: String,
    /// The blocks, in the text of that wire.
    pub blocks: String,
}

impl Signed {
    /// The blocks, for the lineage that signed them; others get none, since they would refuse them.
    pub fn for_lineage(&self, lineage: &str) -> Option<&str> {
        (self.lineage == lineage).then_some(self.blocks.as_str())
    }
}

impl Sampled {
    /// Whether there is neither text nor a call; reasoning alone is no answer.
    pub fn is_mute(&self) -> bool {
        self.calls.is_empty() && self.text.trim().is_empty()
    }
}

/// One reply as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The id its deltas carried.
    pub id: ReplyId,
    /// The last entry that its prompt knew of: what was said later joins after this reply.
    pub seen: EntryNumber,
    /// The hash of the prefix that its prompt began with.
    pub prefix: Digest,
    /// Whether its prompt allowed no calls.
    #[serde(default)]
    pub forbidden: bool,
    /// Whether it goes on with the reply before it, from that one's last token.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continues: bool,
    /// The tokens of its prompt as they were planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
    /// What was said.
    pub sampled: Sampled,
}

/// A sample that gave no reply. Earlier journals hold the fault alone, since one model answered then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredFaltered")]
pub struct Faltered {
    /// The model that was asked; empty where an earlier version did not say.
    pub model: String,
    /// Why it gave none.
    pub fault: SampleFault,
}

impl Faltered {
    /// A sample of that model that failed so.
    pub fn new(model: impl Into<String>, fault: SampleFault) -> Self {
        Self { model: model.into(), fault }
    }
}

/// Both forms in which a failed sample is stored.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredFaltered {
    Named { model: String, fault: SampleFault },
    Plain(SampleFault),
}

impl From<StoredFaltered> for Faltered {
    fn from(stored: StoredFaltered) -> Self {
        match stored {
            StoredFaltered::Named { model, fault } => Self { model, fault },
            StoredFaltered::Plain(fault) => Self::new("", fault),
        }
    }
}

/// Why a sample gave no reply. Classes come from status and fields, never from the words of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleFault {
    /// It serves others.
    Busy,
    /// It serves others, and says for how many milliseconds.
    BusyFor(u64),
    /// Too many requests; milliseconds to wait, when it says so.
    RateLimited(Option<u64>),
    /// The key is missing or refused.
    Unauthorised,
    /// The account is empty.
    NoCredit,
    /// The request was refused as such.
    BadRequest(String),
    /// The prompt does not fit.
    TooLong {
        /// Tokens of the prompt with its reserve.
        needed: u32,
        /// Tokens there are.
        window: u32,
    },
    /// The prompt was not sent, because no fold makes it fit.
    Overflow {
        /// Tokens of the prompt with its reserve.
        needed: u32,
        /// Tokens there are.
        window: u32,
    },
    /// The prompt was not sent, because the window is too small for this profile.
    TooSmall {
        /// Tokens of the system text and the tools.
        prefix: u32,
        /// Tokens there are.
        window: u32,
    },
    /// There is no such model.
    Gone(String),
    /// The worker died.
    Crashed(String),
    /// Nothing came in time; says in which phase.
    Timeout(String),
    /// The network failed.
    Network(String),
    /// The stream broke off before the reply had an end.
    Cut,
    /// The provider withheld the reply.
    Filtered,
    /// Anything else.
    Unknown(String),
}

impl SampleFault {
    /// Whether the same request may succeed a moment later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Busy
            | Self::BusyFor(_)
            | Self::RateLimited(_)
            | Self::Crashed(_)
            | Self::Timeout(_)
            | Self::Network(_)
            | Self::Cut => true,
            Self::Unauthorised
            | Self::NoCredit
            | Self::BadRequest(_)
            | Self::TooLong { .. }
            | Self::Overflow { .. }
            | Self::TooSmall { .. }
            | Self::Gone(_)
            | Self::Filtered
            | Self::Unknown(_) => false,
        }
    }

    /// How many milliseconds to wait before the same request, where the engine said so.
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::BusyFor(wait) => Some(*wait),
            Self::RateLimited(wait) => *wait,
            Self::Busy
            | Self::Unauthorised
            | Self::NoCredit
            | Self::BadRequest(_)
            | Self::TooLong { .. }
            | Self::Overflow { .. }
            | Self::TooSmall { .. }
            | Self::Gone(_)
            | Self::Crashed(_)
            | Self::Timeout(_)
            | Self::Network(_)
            | Self::Cut
            | Self::Filtered
            | Self::Unknown(_) => None,
        }
    }
}
