//! From an open vault to the ports of its turns. Nothing is decided here: it says which part stands where.

mod instructions;
mod model;
mod no_model;
mod rules;
mod settings;

use std::path::PathBuf;
use std::sync::Arc;

use domain::rule::RuleSet;
use harness::ports::{Ports, Tool};
use sandbox::Sandbox;
use store::{Person, Vault};

use crate::clock::SystemClock;
use crate::config::Config;
use crate::files;
use crate::stream::Hub;

pub use model::Answering;

/// What all turns of this server are built from.
pub struct Wiring {
    /// The data folder.
    data: PathBuf,
    /// Who answers.
    pub answering: Answering,
    /// Where commands run, if all its walls stand.
    pub sandbox: Option<Sandbox>,
    /// The rules in force.
    rules: Arc<RuleSet>,
}

impl Wiring {
    /// Reads the seeded rules and takes the parts that were opened.
    pub fn new(config: &Config, answering: Answering, sandbox: Option<Sandbox>) -> Result<Self, String> {
        Ok(Self { data: config.data.clone(), answering, sandbox, rules: Arc::new(rules::seeds()?) })
    }

    /// The ports over one open vault, and the person's folder of files.
    pub fn ports(&self, person: &Person, vault: &Vault, hub: Arc<Hub>) -> Result<(Ports, PathBuf), String> {
        let home = self.data.join("homes").join(person.id.to_string());
        files::private_folder(&home).map_err(|error| format!("the person's folder cannot be made: {error}"))?;
        let tools: Vec<Arc<dyn Tool>> = Vec::new();
        let settings = settings::Wired::new(&tools, self.rules.clone(), self.answering.model.clone())?;
        let ports = Ports {
            journal: vault.journal(),
            model: self.answering.model.clone(),
            settings: Arc::new(settings),
            hooks: Arc::new([]),
            tools: tools.into(),
            observer: hub,
            clock: Arc::new(SystemClock),
        };
        Ok((ports, home))
    }
}
