//! How a turn ends, in a word for the journal and in a sentence for the person.

use serde::{Deserialize, Serialize};

use crate::model::SampleFault;

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
    /// The prompt does not fit the window.
    Overflow {
        /// Tokens that would be needed.
        needed: u32,
        /// Tokens there are.
        window: u32,
    },
    /// The person stopped it.
    Stopped,
    /// No model answered.
    ModelUnavailable(SampleFault),
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
            Self::Overflow { needed, window } => {
                format!("The conversation needs {needed} tokens and the model has room for {window}.")
            }
            Self::Stopped => "You stopped this turn.".to_owned(),
            Self::ModelUnavailable(fault) => format!("The model did not answer: {}.", why(fault)),
            Self::Failed(reason) => format!("The turn failed: {reason}."),
        }
    }

    /// What the person can do now.
    pub fn next_step(&self) -> &'static str {
        match self {
            Self::Answered => "",
            Self::Mute => "Ask again in other words, or choose another model.",
            Self::RoundLimit => "Write \"continue\" to let it go on.",
            Self::Overflow { .. } => "Start a new conversation, or choose a model with a larger window.",
            Self::Stopped => "Write again when you like; what was done is listed above.",
            Self::ModelUnavailable(_) => "Send the message again, or choose another model.",
            Self::Failed(_) => "Send the message again; if it fails again, tell the operator.",
        }
    }
}

fn why(fault: &SampleFault) -> String {
    match fault {
        SampleFault::Busy | SampleFault::BusyFor(_) => "it serves others at the moment".to_owned(),
        SampleFault::RateLimited(_) => "too many requests were made".to_owned(),
        SampleFault::Unauthorised => "its key is missing or refused".to_owned(),
        SampleFault::NoCredit => "its account has no credit left".to_owned(),
        SampleFault::BadRequest(reason) => format!("it refused the request ({reason})"),
        SampleFault::TooLong { needed, window } => format!("the prompt needs {needed} of {window} tokens"),
        SampleFault::Gone(name) => format!("there is no model {name}"),
        SampleFault::Crashed(reason) => format!("its worker ended ({reason})"),
        SampleFault::Timeout(phase) => format!("nothing came in time ({phase})"),
        SampleFault::Network(reason) => format!("the network failed ({reason})"),
        SampleFault::Cut => "its reply broke off".to_owned(),
        SampleFault::Filtered => "the provider withheld the reply".to_owned(),
        SampleFault::Unknown(reason) => reason.clone(),
    }
}
