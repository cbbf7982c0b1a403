//! Which model and profile answer, how far a conversation may travel, and the texts that people write for it.

use serde::{Deserialize, Serialize};

use super::session::ModelView;
use super::word::{Kind, Tier};

/// All models.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelList {
    /// The usual one first.
    pub models: Vec<ModelView>,
}

/// What was chosen for a conversation, or for all of which nothing else is chosen. What is absent was not.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Choice", optional_fields))]
pub struct ChoiceView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tier: Option<Tier>,
    /// What holds by it.
    pub(crate) holds: HoldsView,
}

/// What holds for the next message.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Holds", optional_fields))]
pub struct HoldsView {
    pub(crate) model: String,
    /// Where that model is.
    pub(crate) model_tier: Tier,
    /// Those that stand in for it, in order.
    pub(crate) fallbacks: Vec<String>,
    pub(crate) profile: String,
    pub(crate) profile_title: String,
    pub(crate) tier: Tier,
    /// The most that can be chosen.
    pub(crate) most: Tier,
    /// The profile that was chosen and is not there any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) missing: Option<String>,
}

/// What is to be chosen; what is absent stays, and an empty word takes the choice back.
#[derive(Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub(crate) struct ChoiceForm {
    pub(crate) model: Option<String>,
    pub(crate) profile: Option<String>,
    /// `device`, `trusted` or `any`.
    pub(crate) tier: Option<String>,
}

/// A profile in a list.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Agent", optional_fields))]
pub struct AgentView {
    /// With its scope, for example `me/helper`.
    pub(crate) id: String,
    /// Whether it can be changed.
    pub(crate) own: bool,
    pub(crate) title: String,
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) icon: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) version: u64,
    /// Why it cannot be used, one a line.
    pub(crate) faults: Vec<String>,
}

/// All profiles.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentList {
    /// The bundled ones first.
    pub items: Vec<AgentView>,
}

/// A command in a list.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SlashCommand", optional_fields))]
pub struct CommandView {
    /// With its scope, for example `me/weekly`.
    pub(crate) id: String,
    /// Without its slash.
    pub(crate) name: String,
    /// Whether it can be changed.
    pub(crate) own: bool,
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) argument_hint: Option<String>,
    pub(crate) version: u64,
    /// Whether the person's own one of the same name stands before it.
    pub(crate) hidden: bool,
}

/// All commands from files.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CommandList {
    /// The bundled ones first.
    pub items: Vec<CommandView>,
}

/// The text of a profile or of a command.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OwnTextView {
    pub(crate) id: String,
    pub(crate) own: bool,
    pub(crate) version: u64,
    pub(crate) text: String,
}

/// A text that is to stand.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct TextForm {
    pub(crate) text: String,
    /// The version that it replaces, 0 for none.
    pub(crate) seen: u64,
}

/// A text that is to go.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveForm {
    /// The version that was seen.
    pub(crate) seen: u64,
}
