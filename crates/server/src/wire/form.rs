//! What pages and terminals send. Whether it is right is asked of the domain, so words are still plain text here
//! where a refusal is to name the field.

use serde::Deserialize;

use super::choice::ChoiceForm;

/// The first account. The terminal collects the same, but for the token.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct SetupForm {
    pub(crate) token: String,
    /// `home`, `team` or `care`.
    pub(crate) preset: String,
    pub(crate) handle: String,
    pub(crate) name: String,
    pub(crate) locale: String,
    pub(crate) zone: String,
    /// `private` or `open`.
    pub(crate) vault: String,
    pub(crate) password: String,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInForm {
    pub(crate) handle: String,
    pub(crate) password: String,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub(crate) keep: bool,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct UnlockForm {
    pub(crate) password: String,
    /// Of a vault file that is older than the one last seen: open it all the same.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub(crate) accept_older: bool,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateForm {
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub(crate) title: String,
    /// What is chosen for it from the first message on.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub(crate) choice: Option<ChoiceForm>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeForm {
    pub(crate) title: Option<String>,
    pub(crate) archived: Option<bool>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub(crate) struct SayForm {
    pub(crate) text: String,
    /// A message that was read: it is said anew, or with the same text answered anew, on a new line.
    pub(crate) instead_of: Option<String>,
    /// The model that is to answer this message, whatever is chosen for the conversation.
    pub(crate) model: Option<String>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct BranchForm {
    /// The new line shares all turns that are over at this entry.
    pub(crate) after: u64,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchForm {
    pub(crate) line: u64,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct StopForm {
    pub(crate) turn: String,
}

/// An answer to what was asked: a decision on a call, or options and words for each part of a question.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerForm {
    /// Of what was shown.
    pub(crate) digest: String,
    pub(crate) decision: Option<Decision>,
    pub(crate) words: Option<String>,
    /// Places of chosen options, from 0, of a question with one part.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>"))]
    pub(crate) options: Vec<usize>,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>"))]
    pub(crate) answers: Vec<PartAnswer>,
    #[serde(default)]
    pub(crate) surface: Option<Surface>,
}

#[derive(Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    Approve,
    Refuse,
    RefuseAndStop,
}

#[derive(Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Surface {
    Web,
    Cli,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub(crate) struct PartAnswer {
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>"))]
    pub(crate) options: Vec<usize>,
    pub(crate) words: Option<String>,
}
