//! Declared providers: what `providers.yaml` says of remote engines, beside those that come with Riad. A bad entry is
//! left out with its line and reason, and the others hold. Keys never stand here, only where they are found; nothing is
//! read from disk or environment and nothing is asked of a provider.

mod address;
mod entry;
mod fields;
mod reasoning;

use std::path::PathBuf;

use domain::model::{Tier, Usage};
use domain::profile::Strength;
use domain::yaml;
use egress::Grant;

pub use address::{Address, Reach};
pub use reasoning::{Allowed, Mode, Reasoning, Style};

use crate::remote::{ApiKey, PromptCache, RemoteOptions, WireKind};

/// The longest file, in bytes (OPS-14).
pub const FILE_BYTES: usize = 1 << 20;

/// The most entries of a file (OPS-14).
pub const MOST_ENTRIES: usize = 200;

/// The providers that come with Riad.
pub const BUNDLED: &str = include_str!("../providers.yaml");

/// All providers that can be used, and what was left out of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Providers {
    /// Those that can be used: the bundled ones first, then those of the file.
    pub entries: Vec<Provider>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
}

/// An entry that was left out, or the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its line.
    pub line: usize,
    /// Its id, where it has one.
    pub id: Option<String>,
    /// Why.
    pub says: String,
}

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.id {
            Some(id) => write!(f, "line {}: the provider `{id}` is left out: {}", self.line, self.says),
            None => write!(f, "line {}: {}", self.line, self.says),
        }
    }
}

/// One provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// The name by which it is chosen.
    pub id: String,
    /// The name that people see.
    pub name: String,
    /// What it speaks.
    pub wire: WireKind,
    /// Where it is.
    pub address: Address,
    /// Whether it wants a key.
    pub key: KeyNeed,
    /// Where the key is found.
    pub key_source: Option<KeySource>,
    /// The header of the key; the wire's own where it is none.
    pub key_header: Option<String>,
    /// How far what is said to it travels.
    pub tier: Tier,
    /// How it keeps the beginning of a prompt.
    pub prompt_cache: PromptCache,
    /// The day on which its prices and windows were listed.
    pub listed: Option<String>,
    /// The models that are named.
    pub models: Vec<DeclaredModel>,
    /// What holds for a model that is not named; without it, only named ones can be chosen.
    pub others: Option<DeclaredModel>,
    /// How its models are asked to reason.
    pub reasoning: Option<Reasoning>,
}

/// One model of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredModel {
    /// The provider's id of it, which goes on the wire.
    pub id: String,
    /// The name that people see.
    pub name: String,
    /// Tokens that prompt and reply share.
    pub window: u32,
    /// The most tokens of one reply.
    pub output_cap: Option<u32>,
    /// What it costs, as listed.
    pub price: Option<Price>,
    /// Models of one lineage read each other's signed reasoning; its own id where it is none.
    pub lineage: Option<String>,
    /// Its temperature; the engine's own where it is none.
    pub temperature: Option<f32>,
    /// How capable it is; nothing is known where it is none.
    pub strength: Option<Strength>,
}

/// What a million tokens cost, in the provider's currency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Of a prompt.
    pub input: f64,
    /// Of a prompt that the provider had kept.
    pub cached: Option<f64>,
    /// Of a reply.
    pub output: f64,
}

/// Whether a provider wants a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyNeed {
    /// It does.
    Required,
    /// It takes one.
    Optional,
    /// It takes none.
    None,
}

/// Where a key is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// In a file that is closed to others.
    File(PathBuf),
    /// In a variable of the environment.
    Environment(String),
}

impl Price {
    /// What a sample cost by this list, in the provider's currency; `None` where it does not say its tokens.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> Option<f64> {
        let (prompt, decoded) = (f64::from(usage.prompt?), f64::from(usage.decoded?));
        let kept = f64::from(usage.reused.unwrap_or(0)).min(prompt);
        let read = (prompt - kept) * self.input + kept * self.cached.unwrap_or(self.input);
        Some((read + decoded * self.output) / 1_000_000.0)
    }
}

impl Providers {
    /// The bundled providers and those of a file.
    #[must_use]
    pub fn read(file: &str) -> Providers {
        let mut all = Providers { entries: Vec::new(), skipped: Vec::new() };
        all.add(BUNDLED);
        all.add(file);
        all
    }

    fn add(&mut self, text: &str) {
        match entries_of(text) {
            Err(fault) => self.skip(fault.line, None, fault.says),
            Ok(nodes) => nodes.iter().for_each(|node| self.add_entry(node)),
        }
    }

    fn add_entry(&mut self, node: &yaml::Node) {
        let id = node.get("id").and_then(yaml::Node::text).map(str::to_owned);
        match entry::read(node) {
            Err(fault) => self.skip(fault.line, id, fault.says),
            Ok(entry) if self.entries.iter().any(|known| known.id == entry.id) => {
                let line = node.get("id").map_or(node.line, |id| id.line);
                self.skip(line, id, "its id is taken by an earlier entry or a bundled one; choose another".to_owned());
            }
            Ok(entry) => self.entries.push(entry),
        }
    }

    fn skip(&mut self, line: usize, id: Option<String>, says: String) {
        self.skipped.push(Skipped { line, id, says });
    }

    /// The model of a name such as `anthropic/some-model`.
    ///
    /// # Errors
    /// What is wrong with the name, and which there are.
    pub fn choose(&self, name: &str) -> Result<Chosen, String> {
        let (provider, model) = name.split_once('/').unwrap_or((name, ""));
        let Some(entry) = self.entries.iter().find(|entry| entry.id == provider) else {
            if let Some(skipped) = self.skipped.iter().find(|skipped| skipped.id.as_deref() == Some(provider)) {
                return Err(format!("the provider `{provider}` cannot be used: {skipped}"));
            }
            let known: Vec<_> = self.entries.iter().map(|entry| entry.id.as_str()).collect();
            return Err(format!("there is no provider `{provider}`; there are {}", known.join(", ")));
        };
        let declared = entry.models.iter().find(|declared| declared.id == model).cloned();
        let other = || entry.others.as_ref().filter(|_| !model.is_empty()).map(|others| others.named(model));
        let model = declared.or_else(other).ok_or_else(|| entry.knows_no(model))?;
        Ok(Chosen { provider: entry.clone(), model })
    }
}

impl Provider {
    /// Its models that are named.
    pub fn named_models(&self) -> impl Iterator<Item = Chosen> {
        self.models.iter().map(|model| Chosen { provider: self.clone(), model: model.clone() })
    }

    fn knows_no(&self, model: &str) -> String {
        let known: Vec<_> = self.models.iter().map(|known| format!("{}/{}", self.id, known.id)).collect();
        format!("the provider `{}` names no model `{model}`; it names {}", self.id, known.join(", "))
    }
}

impl DeclaredModel {
    fn named(&self, id: &str) -> DeclaredModel {
        DeclaredModel { id: id.to_owned(), name: id.to_owned(), ..self.clone() }
    }
}

/// A provider and one of its models.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The provider.
    pub provider: Provider,
    /// The model.
    pub model: DeclaredModel,
}

impl Chosen {
    /// The name by which it is chosen, for example `anthropic/some-model`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider.id, self.model.id)
    }

    /// What an engine is opened with.
    #[must_use]
    pub fn options(&self, key: Option<ApiKey>) -> RemoteOptions {
        let (provider, model) = (&self.provider, &self.model);
        let usual = RemoteOptions::new(provider.wire, &provider.address.base, &model.id, model.window, self.tier());
        let lineage = model.lineage.as_deref().unwrap_or(&model.id);
        RemoteOptions {
            name: self.name(),
            lineage: format!("{} {lineage} at {}", provider.wire.name(), provider.address.host),
            key,
            key_header: provider.key_header.clone(),
            output_cap: model.output_cap,
            temperature: model.temperature,
            reasoning: provider.reasoning.as_ref().and_then(|reasoning| reasoning.request(&model.id, None)),
            prompt_cache: provider.prompt_cache,
            ..usual
        }
    }

    /// How far what is said travels. Models that Ollama itself fetches from elsewhere do not stay on the machine.
    #[must_use]
    pub fn tier(&self) -> Tier {
        let goes_on = self.provider.wire == WireKind::Ollama && self.model.id.ends_with("cloud");
        if goes_on { Tier::Any } else { self.provider.tier }
    }

    /// The host that is opened to its client, where it is not public: the entry is the operator's word for it.
    #[must_use]
    pub fn grant(&self) -> Option<Grant> {
        let address = &self.provider.address;
        match address.reach {
            Reach::Public => None,
            Reach::Machine | Reach::Lan => Some(Grant { host: address.host.clone(), port: address.port }),
        }
    }
}

/// The entries of a file, unread. An empty file has none.
fn entries_of(text: &str) -> Result<Vec<yaml::Node>, yaml::YamlFault> {
    let fault = |line: usize, says: String| yaml::YamlFault { line, column: None, says };
    if text.len() > FILE_BYTES {
        return Err(fault(1, "the file is over 1 MiB; none of it is read".to_owned()));
    }
    let root = yaml::parse(text)?;
    if root.is_nothing() {
        return Ok(Vec::new());
    }
    let fields = fields::Fields::of(&root, &["providers"])?;
    let entries = fields.need("providers")?;
    let Some(list) = entries.list() else {
        return Err(entries.first_fault().unwrap_or_else(|| fault(entries.line, "`providers` is a list".to_owned())));
    };
    match list.get(MOST_ENTRIES) {
        Some(beyond) => Err(fault(beyond.line, format!("there are over {MOST_ENTRIES} entries; none is read"))),
        None => Ok(list.to_vec()),
    }
}

#[cfg(test)]
mod tests;
