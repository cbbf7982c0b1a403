//! Closed lists of words, each for an enum of the domain. A new variant there does not compile before it has a word
//! here, and a page that does not know the word shows it as it is.

use std::fmt;

use domain::model::StopReason as DomainStop;
use domain::outcome::Outcome as DomainOutcome;
use serde::{Deserialize, Serialize};

/// An enum of words and the way from the domain's enum of the same variants.
macro_rules! words {
    ($($(#[doc = $doc:literal])+ $name:ident for $from:path { $($variant:ident,)+ })+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(rename_all = "snake_case")]
        #[expect(missing_docs, reason = "the words are explained where they come from")]
        pub enum $name { $($variant,)+ }

        impl From<$from> for $name {
            fn from(from: $from) -> Self {
                match from { $(<$from>::$variant => Self::$variant,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // Serde writes the word of a variant.
                self.serialize(f)
            }
        }
    )+};
}

words! {
    /// What a call does to the world.
    EffectClass for domain::tool::EffectClass { Read, Create, Modify, Delete, Send, Spend, Execute, }

    /// How a call ended.
    Status for domain::result::Status { Done, Failed, Refused, Cancelled, Interrupted, }

    /// What is known of a side effect.
    EffectState for domain::footer::EffectState { Done, Failed, Unknown, }

    /// How far what is said to a model travels.
    Tier for domain::model::Tier { Device, Trusted, Any, }

    /// What a profile is for.
    Kind for domain::profile::Kind { Chat, Task, System, }

    /// Why a reply ended.
    StopReason for DomainStop {
        Natural, Calls, Length, StopMarker, ContextFull, Filtered, Cancelled, Cut,
    }

    /// Whether a turn runs in a conversation, or rests until a person answers.
    Activity for domain::conversation::Activity { Quiet, Running, Resting, }

    /// What a piece of a stream belongs to.
    Channel for harness::ports::Channel { Text, Reasoning, Arguments, Output, }
}

/// How a turn came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words are explained where they come from")]
pub enum Outcome {
    Answered,
    Mute,
    RoundLimit,
    TimeLimit,
    BudgetSpent,
    LoopBroken,
    Overflow,
    Stopped,
    ModelUnavailable,
    Failed,
}

impl From<&DomainOutcome> for Outcome {
    fn from(outcome: &DomainOutcome) -> Self {
        match outcome {
            DomainOutcome::Answered => Self::Answered,
            DomainOutcome::Mute => Self::Mute,
            DomainOutcome::RoundLimit => Self::RoundLimit,
            DomainOutcome::TimeLimit => Self::TimeLimit,
            DomainOutcome::BudgetSpent => Self::BudgetSpent,
            DomainOutcome::LoopBroken => Self::LoopBroken,
            DomainOutcome::Overflow { .. } => Self::Overflow,
            DomainOutcome::Stopped => Self::Stopped,
            DomainOutcome::ModelUnavailable(_) => Self::ModelUnavailable,
            DomainOutcome::Failed(_) => Self::Failed,
        }
    }
}
