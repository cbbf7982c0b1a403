//! Who is signed in, and what answers.

use domain::model::ModelDescription;
use serde::Serialize;
use store::Person;

use super::word::Tier;

/// A session as its own browser sees it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Session"))]
pub struct SessionView {
    person: PersonView,
    vault: VaultState,
    csrf: String,
    models: Vec<ModelView>,
}

/// Whether the session's person has unlocked the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
enum VaultState {
    Locked,
    Open,
}

/// An account as its person sees it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Person"))]
pub struct PersonView {
    id: String,
    handle: String,
    name: String,
    role: String,
    locale: String,
    zone: String,
}

/// A model as people see it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ModelInfo", optional_fields))]
pub struct ModelView {
    /// The name by which it is chosen.
    name: String,
    /// The name that people read, where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Whose it is, where it is not on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<String>,
    tier: Tier,
    window: u32,
    state: ModelState,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Whether it answers where nobody chose.
    usual: bool,
    /// Whether it failed several times in a row and is left alone for a while.
    resting: bool,
}

/// Whether a model can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ModelState {
    /// It can.
    Ready,
    /// It will: it is being read in.
    Loading,
    /// None is set up.
    Absent,
    /// It cannot be used.
    Failed,
}

impl SessionView {
    /// A session's view.
    pub fn new(person: &Person, open: bool, csrf: String, models: Vec<ModelView>) -> Self {
        let vault = if open { VaultState::Open } else { VaultState::Locked };
        Self { person: PersonView::from(person), vault, csrf, models }
    }
}

impl From<&Person> for PersonView {
    fn from(person: &Person) -> Self {
        Self {
            id: person.id.to_string(),
            handle: person.handle.clone(),
            name: person.name.clone(),
            role: person.role.clone(),
            locale: person.locale.clone(),
            zone: person.zone.clone(),
        }
    }
}

impl ModelView {
    /// A model and whether it can answer.
    pub fn new(model: &ModelDescription, state: ModelState, reason: Option<String>) -> Self {
        let (name, tier, window) = (model.name.clone(), model.tier.into(), model.window);
        Self { name, title: None, provider: None, tier, window, state, reason, usual: false, resting: false }
    }

    /// With the names that people read.
    #[must_use]
    pub fn known_as(self, title: Option<String>, provider: Option<String>) -> Self {
        Self { title, provider, ..self }
    }

    /// Whether it is the usual one, and whether it rests.
    #[must_use]
    pub fn standing(self, usual: bool, resting: bool) -> Self {
        Self { usual, resting, ..self }
    }
}
