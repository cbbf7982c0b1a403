//! From an open vault to the ports of its turns. Nothing is decided here: it says which part stands where.

mod instructions;
mod no_model;
mod rules;
mod settings;

use std::path::PathBuf;
use std::sync::Arc;

use domain::model::ModelDescription;
use domain::rule::RuleSet;
use harness::ports::{Model, Ports, Tool};
use store::{Person, Vault};

use crate::clock::SystemClock;
use crate::config::Config;
use crate::files;
use crate::stream::Hub;
use crate::wire::session::ModelView;

pub use no_model::NoModel;

/// What all turns of this server are built from.
pub struct Wiring {
    /// The data folder.
    data: PathBuf,
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// The rules in force.
    rules: Arc<RuleSet>,
}

impl Wiring {
    /// Reads the seeded rules and looks for the model. Nothing is loaded yet.
    pub fn new(config: &Config, model: Arc<dyn Model>) -> Result<Self, String> {
        Ok(Self { data: config.data.clone(), model, rules: Arc::new(rules::seeds()?) })
    }

    /// The ports over one open vault, and the person's folder of files.
    pub fn ports(&self, person: &Person, vault: &Vault, hub: Arc<Hub>) -> Result<(Ports, PathBuf), String> {
        let home = self.data.join("homes").join(person.id.to_string());
        files::private_folder(&home).map_err(|error| format!("the person's folder cannot be made: {error}"))?;
        let tools: Vec<Arc<dyn Tool>> = Vec::new();
        let settings = settings::Wired::new(&tools, self.rules.clone(), self.model.clone())?;
        let ports = Ports {
            journal: vault.journal(),
            model: self.model.clone(),
            settings: Arc::new(settings),
            hooks: Arc::new([]),
            tools: tools.into(),
            observer: hub,
            clock: Arc::new(SystemClock),
        };
        Ok((ports, home))
    }

    /// The models as people see them.
    pub fn models(&self) -> Vec<ModelView> {
        vec![view(&self.model.describe())]
    }
}

fn view(model: &ModelDescription) -> ModelView {
    match model.fingerprint.as_str() {
        no_model::FINGERPRINT => ModelView::new(model, "absent", Some(no_model::HELP.to_owned())),
        _ => ModelView::new(model, "ready", None),
    }
}
