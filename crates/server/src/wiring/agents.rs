//! The profiles and commands of one person: the bundled ones and those that they wrote. What is in a profile is read in
//! `domain`; who may run one is not decided here.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::context::Prefix;
use domain::delegate::{described, is_delegate};
use domain::message::ProfileVersion;
use domain::profile::{self, Fault, Known, Layers, Profile, Resolved, resolve};
use domain::scratchpad::is_scratchpad;
use domain::slash::{self, Command, CommandFault};
use domain::tool::{ToolName, ToolSet, ToolSpec};
use harness::ports::Tool;
use store::{OwnText, StoreError, TextKind, Vault};

use super::bundled::{self, Bundled};

/// The scope of what lies inside the binary.
pub(crate) const BUNDLED: &str = "riad";
/// The scope of what a person wrote.
pub(crate) const OWN: &str = "me";

/// The profiles and commands of one person.
pub(crate) struct Agents {
    bundled: Bundled,
    vault: Vault,
    tools: Vec<ToolSpec>,
    models: BTreeSet<String>,
    ready: Mutex<HashMap<ProfileVersion, Arc<Ready>>>,
}

/// One version of a profile, ready to answer.
pub(crate) struct Ready {
    /// Which one.
    pub(crate) version: ProfileVersion,
    /// What it says.
    pub(crate) profile: Arc<Profile>,
    /// The tools that it leaves.
    pub(super) tools: Arc<ToolSet>,
    /// What each of its prompts begins with.
    pub(super) prefix: Arc<Prefix>,
}

impl Ready {
    /// What each of its prompts begins with.
    pub(crate) fn prefix(&self) -> Arc<Prefix> {
        Arc::clone(&self.prefix)
    }
}

/// A profile or a command as a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    /// `riad` or `me`.
    pub(crate) scope: &'static str,
    /// Its name, without the scope.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
    /// 0 for one that lies inside the binary.
    pub(crate) version: u64,
}

impl Listed {
    /// Its name with the scope.
    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.scope, self.name)
    }
}

impl Agents {
    /// Those of an open vault, given the tools and models that there are. Fails if a bundled profile names a tool that
    /// does not exist.
    pub(super) fn of(
        bundled: &Bundled,
        vault: Vault,
        tools: &[Arc<dyn Tool>],
        models: BTreeSet<String>,
    ) -> Result<Self, String> {
        let tools = tools.iter().map(|tool| tool.spec().clone()).collect();
        let agents = Self { bundled: bundled.clone(), vault, tools, models, ready: Mutex::default() };
        for agent in agents.bundled.agents.iter() {
            let faults = agent.profile.unknown(&agents.known());
            if !faults.is_empty() {
                return Err(format!("agents/{}/AGENT.md: {}", agent.name, bundled::told(&faults)));
            }
        }
        Ok(agents)
    }

    /// All profiles, the bundled ones first.
    pub(crate) async fn agents(&self) -> Result<Vec<Listed>, StoreError> {
        let bundled = self.bundled.agents.iter().map(|agent| listed(agent.name, agent.text));
        Ok(bundled.chain(self.vault.own_texts(TextKind::Agent).await?.into_iter().map(own)).collect())
    }

    /// All commands, the bundled ones first.
    pub(crate) async fn commands(&self) -> Result<Vec<Listed>, StoreError> {
        let bundled = self.bundled.commands.iter().map(|each| listed(&each.command.name, each.text));
        Ok(bundled.chain(self.vault.own_texts(TextKind::Command).await?.into_iter().map(own)).collect())
    }

    /// The commands that a message may begin with. Of two of one name the person's own one holds.
    pub(crate) async fn spoken(&self) -> Result<Vec<Command>, StoreError> {
        let own = self.vault.own_texts(TextKind::Command).await?;
        let mut commands: Vec<Command> = own.iter().filter_map(|own| slash::read(&own.name, &own.text).ok()).collect();
        for bundled in self.bundled.commands.iter() {
            if commands.iter().all(|command| command.name != bundled.command.name) {
                commands.push(bundled.command.clone());
            }
        }
        Ok(commands)
    }

    /// The profile that answers where none is chosen.
    pub(crate) fn usual(&self) -> String {
        format!("{BUNDLED}/{}", self.bundled.agents[0].name)
    }

    /// The newest version of a profile; `None` if there is none of that name any more.
    pub(crate) async fn newest(&self, id: &str) -> Result<Option<Arc<Ready>>, String> {
        let version = match id.split_once('/') {
            Some((BUNDLED, name)) if self.bundled.agents.iter().any(|agent| agent.name == name) => 0,
            Some((OWN, name)) => {
                let own = self.vault.own_texts(TextKind::Agent).await.map_err(|error| error.to_string())?;
                match own.iter().find(|own| own.name == name) {
                    Some(own) => own.version,
                    None => return Ok(None),
                }
            }
            Some(_) | None => return Ok(None),
        };
        self.at(&ProfileVersion { id: id.to_owned(), version }).await.map(Some)
    }

    /// The first of these that is there, or the usual one.
    pub(crate) async fn first(&self, ids: impl IntoIterator<Item = String>) -> Result<Arc<Ready>, String> {
        for id in ids {
            if let Some(ready) = self.newest(&id).await? {
                return Ok(ready);
            }
        }
        self.newest(&self.usual()).await?.ok_or_else(|| "the bundled profile is not there".to_owned())
    }

    /// One version of a profile, also if it was changed or removed since.
    pub(crate) async fn at(&self, version: &ProfileVersion) -> Result<Arc<Ready>, String> {
        if let Some(ready) = self.ready().get(version) {
            return Ok(Arc::clone(ready));
        }
        let profile = match version.id.split_once('/') {
            Some((BUNDLED, name)) => {
                self.bundled.agents.iter().find(|agent| agent.name == name).map(|agent| Arc::clone(&agent.profile))
            }
            Some((OWN, name)) => self.own(name, version.version).await?,
            Some(_) | None => None,
        };
        let profile = profile.ok_or_else(|| format!("the profile {} is not there any more", version.id))?;
        let ready = Arc::new(self.make_ready(version.clone(), profile));
        self.ready().insert(version.clone(), Arc::clone(&ready));
        Ok(ready)
    }

    async fn own(&self, name: &str, version: u64) -> Result<Option<Arc<Profile>>, String> {
        let text = self.vault.own_text_version(TextKind::Agent, name.to_owned(), version).await;
        let Some(text) = text.map_err(|error| error.to_string())? else { return Ok(None) };
        let told = |faults: Vec<Fault>| format!("the profile {OWN}/{name} cannot be used: {}", bundled::told(&faults));
        self.check(&text).map(|profile| Some(Arc::new(profile))).map_err(told)
    }

    fn make_ready(&self, version: ProfileVersion, profile: Arc<Profile>) -> Ready {
        let resolved = resolve(&Layers { profile: profile.wishes(), ..Layers::default() });
        let left = self.tools.iter().filter(|spec| resolved.permits(spec.name.as_str()));
        let delegates = self.delegates_of(plain(&version.id), &profile);
        // Those for delegates are shown only where one can be run, and name those.
        let tools = ToolSet::new(left.filter_map(|spec| match is_delegate(&spec.name) {
            true if delegates.is_empty() => None,
            true => Some(described(spec, delegates.iter().copied())),
            false if is_scratchpad(&spec.name) && delegates.is_empty() => None,
            false => Some(spec.clone()),
        }));
        let prefix = Arc::new(Prefix::new(profile.prompt.clone(), &tools));
        Ready { version, profile, tools: Arc::new(tools), prefix }
    }

    /// The profiles that can be run as delegates: those that lie inside the binary.
    pub(super) fn for_tasks(&self) -> impl Iterator<Item = (&'static str, &Arc<Profile>)> {
        self.bundled.agents.iter().map(|agent| (agent.name, &agent.profile))
    }

    /// Those that a profile may run, each with what it is good for.
    fn delegates_of<'a>(&'a self, own: &str, profile: &Profile) -> Vec<(&'a str, &'a str)> {
        let may = |name: &str| name != own && profile.delegates.iter().any(|named| named.name == name);
        let all = self.for_tasks().filter(|(name, _)| may(name));
        all.map(|(name, profile)| (name, profile.description.as_str())).collect()
    }

    /// The tools that a profile leaves, by name.
    pub(super) fn permitted(&self, resolved: &Resolved) -> BTreeSet<ToolName> {
        let names = self.tools.iter().map(|spec| spec.name.clone());
        names.filter(|name| resolved.permits(name.as_str())).collect()
    }

    /// Reads a profile and looks whether all it names is there and all it asks for is built.
    pub(crate) fn check(&self, text: &str) -> Result<Profile, Vec<Fault>> {
        let profile = profile::read(text)?;
        let mut faults = profile.unknown(&self.known());
        if let Some(field) = bundled::not_built(&profile) {
            let line = text.lines().position(|line| line.trim_start().starts_with(&format!("{field}:")));
            faults.push(Fault { line: line.map_or(1, |line| line + 1), column: 1, says: bundled::no_effect(field) });
        }
        if faults.is_empty() { Ok(profile) } else { Err(faults) }
    }

    /// Reads a command.
    pub(crate) fn check_command(&self, name: &str, text: &str) -> Result<Command, CommandFault> {
        slash::read(name, text)
    }

    fn known(&self) -> Known {
        Known {
            tools: self.tools.iter().map(|tool| tool.name.to_string()).collect(),
            models: self.models.clone(),
            profiles: self.bundled.agents.iter().map(|agent| agent.name.to_owned()).collect(),
            ..Known::default()
        }
    }

    fn ready(&self) -> MutexGuard<'_, HashMap<ProfileVersion, Arc<Ready>>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of a profile as others call it: without the scope, where it lies inside the binary.
pub(super) fn plain(id: &str) -> &str {
    id.strip_prefix(BUNDLED).and_then(|name| name.strip_prefix('/')).unwrap_or(id)
}

fn listed(name: &str, text: &str) -> Listed {
    Listed { scope: BUNDLED, name: name.to_owned(), text: text.to_owned(), version: 0 }
}

fn own(own: OwnText) -> Listed {
    Listed { scope: OWN, name: own.name, text: own.text, version: own.version }
}
