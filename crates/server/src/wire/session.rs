//! Who is signed in, and what answers.

use domain::model::{ModelDescription, Tier};
use serde::Serialize;
use store::Person;

/// A session as its own browser sees it.
#[derive(Debug, Serialize)]
pub struct SessionView {
    person: PersonView,
    vault: &'static str,
    csrf: String,
    models: Vec<ModelView>,
}

/// An account as its person sees it.
#[derive(Debug, Serialize)]
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
pub struct ModelView {
    name: String,
    tier: Tier,
    window: u32,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl SessionView {
    /// A session's view.
    pub fn new(person: &Person, open: bool, csrf: String, models: Vec<ModelView>) -> Self {
        let vault = if open { "open" } else { "locked" };
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
    /// A model and whether it can answer: `ready`, `loading`, `absent` or `failed`.
    pub fn new(model: &ModelDescription, state: &'static str, reason: Option<String>) -> Self {
        Self { name: model.name.clone(), tier: model.tier, window: model.window, state, reason }
    }
}
