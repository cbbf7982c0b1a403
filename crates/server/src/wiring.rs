//! From an open vault to the ports of its turns. Nothing is decided here: it says which part stands where.

pub(crate) mod agents;
mod bundled;
pub(crate) mod choices;
mod delegates;
mod house;
mod model;
mod no_model;
pub(crate) mod rules;
mod settings;

use std::path::PathBuf;
use std::sync::Arc;

use domain::digest::Digest;
use domain::rule::RuleSet;
use harness::ports::{Clock, Ports, Settings};
use harness::rests::Rests;
use sandbox::Sandbox;
use store::{Person, PersonId, Vault};
use tools::{CommandRunner, Places};

use crate::config::Config;
use crate::files;
use crate::stream::Hub;

use agents::Agents;
use choices::Choices;
pub use model::{Answering, Models};
pub(crate) use settings::OfPerson;

/// What all turns of this server are built from.
pub struct Wiring {
    /// The data folder.
    data: PathBuf,
    /// Who can answer.
    pub models: Models,
    /// Where commands run, or why none can.
    pub sandbox: Result<Sandbox, String>,
    /// What time it is, and new ids.
    pub clock: Arc<dyn Clock>,
    /// The rules in force.
    rules: Arc<RuleSet>,
    /// The profiles and the commands of this version.
    bundled: bundled::Bundled,
    /// Which models have failed of late.
    pub rests: Arc<Rests>,
}

/// What one person's turns run on.
pub struct Wired {
    /// The ports.
    pub ports: Ports,
    /// Where the person's tools may go.
    pub places: Places,
    /// What was chosen, and what holds by it.
    pub(crate) settings: Arc<OfPerson>,
}

impl Wiring {
    /// Reads the seeded rules, the bundled profiles and commands, and takes the parts that were opened.
    pub fn new(
        config: &Config,
        models: Models,
        sandbox: Result<Sandbox, String>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, String> {
        let rules = Arc::new(rules::seeds()?);
        let bundled = bundled::read()?;
        Ok(Self { data: config.data.clone(), models, sandbox, clock, rules, bundled, rests: Arc::default() })
    }

    /// The ports over one open vault.
    pub fn ports(&self, person: &Person, vault: &Vault, hub: Arc<Hub>) -> Result<Wired, String> {
        let owner = files::runs_as_root().then(|| owner_of(person.id));
        let places = self.places(person.id, vault, owner)?;
        let mut tools = tools::all(&places, &CommandRunner::new(self.sandbox.clone(), owner));
        tools.push(tools::recall(vault.journal()));
        tools.extend(tools::of_frames());
        let names = self.models.offers().iter().map(|offer| offer.name.clone()).collect();
        let settings = Arc::new(OfPerson {
            agents: Arc::new(Agents::of(&self.bundled, vault.clone(), &tools, names)?),
            choices: Arc::new(Choices::of(vault.clone())),
            models: self.models.clone(),
            rules: self.rules.clone(),
        });
        let ports = Ports {
            journal: vault.journal(),
            models: self.models.ports(),
            rests: Arc::clone(&self.rests),
            settings: Arc::clone(&settings) as Arc<dyn Settings>,
            hooks: Arc::new([]),
            tools: tools.into(),
            observer: hub,
            clock: self.clock.clone(),
        };
        Ok(Wired { ports, places, settings })
    }

    /// The person's home and the folder of their work folders, made if they are not there. Riad's own files are kept from
    /// every tool.
    fn places(&self, id: PersonId, vault: &Vault, owner: Option<u32>) -> Result<Places, String> {
        let folder = |kind: &str| {
            let folder = self.data.join(kind).join(id.to_string());
            let made = files::private_folder(&folder).and_then(|()| files::give(&folder, owner));
            made.map(|()| folder).map_err(|error| format!("a folder of the person cannot be made: {error}"))
        };
        let kept: Vec<PathBuf> = KEPT.iter().map(|name| self.data.join(name)).collect();
        let kept: Vec<&std::path::Path> = kept.iter().map(PathBuf::as_path).collect();
        let notes = vault.notes(self.clock.clone());
        let places =
            Places::open(&folder("homes")?, &folder("works")?, &kept, notes).map_err(|fault| fault.to_string())?;
        match owner {
            Some(owner) => places.owned_by(owner).map_err(|fault| fault.to_string()),
            None => Ok(places),
        }
    }
}

/// What of the data folder no tool reaches.
const KEPT: &[&str] = &["", "vaults", "instance.db", "instance.key", "sandbox"];

/// The first user of this machine that is given to a person, where the server is root.
const FIRST_OWNER: u32 = 1_000_000;

/// Where the server is root, each person's commands run as a user of their own, who follows from the id.
fn owner_of(id: PersonId) -> u32 {
    let [first, second, third, fourth, ..] = Digest::of_bytes(id.to_string().as_bytes()).bytes();
    FIRST_OWNER + (u32::from_be_bytes([first, second, third, fourth]) >> 4)
}
