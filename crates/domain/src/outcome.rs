//! How a turn ends, in a word for the journal and in a sentence for the person.

use serde::{Deserialize, Deserializer, Serialize};

use crate::model::{Faltered, SampleFault};
use crate::plan::LEAST_WINDOW;

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The model answered.
    Answered,
    /// The model said nothing, also when asked again.
    Mute,
    /// The rounds or calls of a turn are used up.
    RoundLimit,
    /// The time of a turn is used up.
    TimeLimit,
    /// The tokens of a turn are used up.
    BudgetSpent,
    /// The model did the same again and again, or only failed.
    LoopBroken,
    /// The prompt does not fit the window.
    Overflow {
        /// Tokens that would be needed.
        needed: u32,
        /// Tokens there are.
        window: u32,
    },
    /// The person stopped it.
    Stopped,
    /// No model answered: each that was asked, with its last fault.
    ModelUnavailable(#[serde(deserialize_with = "one_or_many")] Vec<Faltered>),
    /// The host could not go on.
    Failed(String),
}

impl Outcome {
    /// What happened, for the person.
    pub fn sentence(&self) -> String {
        match self {
            Self::Answered => "Answered.".to_owned(),
            Self::Mute => "The model gave no answer.".to_owned(),
            Self::RoundLimit => "The turn reached its limit of rounds.".to_owned(),
            Self::TimeLimit => "The turn reached its limit of time.".to_owned(),
            Self::BudgetSpent => "The turn reached its limit of tokens.".to_owned(),
            Self::LoopBroken => "The model went in circles, so the turn was ended.".to_owned(),
            Self::Overflow { needed, window } => {
                format!("The conversation needs {needed} tokens and the model has room for {window}.")
            }
            Self::Stopped => "You stopped this turn.".to_owned(),
            Self::ModelUnavailable(faults) => nobody_answered(faults),
            Self::Failed(reason) => format!("The turn failed: {reason}."),
        }
    }

    /// What the person can do now.
    pub fn next_step(&self) -> &'static str {
        match self {
            Self::Answered => "",
            Self::Mute => "Ask again in other words, or choose another model.",
            Self::RoundLimit | Self::TimeLimit | Self::BudgetSpent => "Write \"continue\" to let it go on.",
            Self::LoopBroken => "Say what it should do differently, or write \"continue\" to let it try again.",
            Self::Overflow { .. } => "Start a new conversation, or choose a model with a larger window.",
            Self::Stopped => "Write again when you like; what was done is listed above.",
            Self::ModelUnavailable(_) => "Send the message again, or choose another model.",
            Self::Failed(_) => "Send the message again; if it fails again, tell the operator.",
        }
    }
}

/// One fault, as it was stored when only one model could be asked, or those of all models.
fn one_or_many<'de, D: Deserializer<'de>>(stored: D) -> Result<Vec<Faltered>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Many(Vec<Faltered>),
        One(Faltered),
    }
    Ok(match Stored::deserialize(stored)? {
        Stored::Many(faults) => faults,
        Stored::One(fault) => vec![fault],
    })
}

fn nobody_answered(faults: &[Faltered]) -> String {
    match faults {
        [] => "No model may be asked.".to_owned(),
        [one] => format!("The model did not answer: {}.", why(&one.fault)),
        many => {
            let each: Vec<_> = many.iter().map(|one| format!("{} ({})", one.model, why(&one.fault))).collect();
            format!("No model answered: {}.", each.join(", "))
        }
    }
}

/// Why a sample failed, in words that follow a colon.
pub fn why(fault: &SampleFault) -> String {
    match fault {
        SampleFault::Busy | SampleFault::BusyFor(_) => "it serves others at the moment".to_owned(),
        SampleFault::RateLimited(_) => "too many requests were made".to_owned(),
        SampleFault::Unauthorised => "its key is missing or refused".to_owned(),
        SampleFault::NoCredit => "its account has no credit left".to_owned(),
        SampleFault::BadRequest(reason) => format!("it refused the request ({reason})"),
        SampleFault::TooLong { needed, window } => format!("the prompt needs {needed} of {window} tokens"),
        SampleFault::Overflow { needed, window } => format!("the prompt needs {needed} of {window} tokens"),
        SampleFault::TooSmall { prefix, window } => {
            let least = LEAST_WINDOW.max(prefix.saturating_mul(2));
            format!("its window of {window} tokens is too small, this assistant needs {least}")
        }
        SampleFault::Gone(name) => format!("there is no model {name}"),
        SampleFault::Crashed(reason) => format!("its worker ended ({reason})"),
        SampleFault::Timeout(phase) => format!("nothing came in time ({phase})"),
        SampleFault::Network(reason) => format!("the network failed ({reason})"),
        SampleFault::Cut => "its reply broke off".to_owned(),
        SampleFault::Filtered => "the provider withheld the reply".to_owned(),
        SampleFault::Unknown(reason) => reason.clone(),
    }
}
