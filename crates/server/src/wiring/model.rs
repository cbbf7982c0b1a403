//! The models that can answer: workers on this machine, servers elsewhere, or none with the reason. Who is asked is not
//! chosen here.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use domain::context::Prefix;
use domain::model::Tier;
use domain::profile::{ModelWish, Offer, Strength, Wishes};
use egress::{Client, Grant, Purpose, SystemResolver};
use harness::ports::Model;
use inference::local::{LocalModel, LocalOptions, SILENCE, SamplingDefaults};
use inference::providers::Price;
use inference::remote::{ApiKey, RemoteModel as Engine, RemoteOptions, WireKind};
use tokio_util::sync::CancellationToken;

use super::house::{House, Lodger};
use super::no_model::NoModel;
use crate::config::{Config, DeclaredModel, ModelChoice, RemoteModel};
use crate::wire::session::{ModelState, ModelView};

/// Tokens of context that are wanted of a local model; its own limit holds as well.
const WINDOW: u32 = 16_384;

/// One model and whether it can answer.
#[derive(Clone)]
pub struct Answering {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The name by which it is chosen; no other model has it.
    pub name: String,
    /// Why it cannot answer.
    pub trouble: Option<String>,
    state: ModelState,
    /// The name that people read, where it is another one.
    title: Option<String>,
    /// Whose it is, where it is not on this machine.
    provider: Option<String>,
    strength: Option<Strength>,
    /// What it costs, as listed.
    pub price: Option<Price>,
    tier: Tier,
    /// The same model, if it runs on this machine.
    local: Option<Arc<Lodger>>,
}

/// All models of this server.
#[derive(Clone)]
pub struct Models {
    /// The usual one first.
    all: Arc<[Answering]>,
    offers: Arc<[Offer]>,
    /// What the operator wishes for all.
    wishes: Wishes,
}

impl Models {
    /// Opens what is configured. Weights are loaded at the first use.
    pub fn open(config: &Config) -> Self {
        let house = Arc::new(House::default());
        let usual = Answering::of(&config.model, config, &house);
        let others = config.others.iter().map(|other| match other {
            Ok(choice) => Answering::of(choice, config, &house),
            Err(unusable) => Answering::failed(&unusable.name, &unusable.reason),
        });
        Self::of(std::iter::once(usual).chain(others), config)
    }

    /// These models, the usual one first. Of those with one name, the first keeps it.
    pub fn of(models: impl IntoIterator<Item = Answering>, config: &Config) -> Self {
        let mut all: Vec<Answering> = Vec::new();
        for model in models {
            if all.iter().all(|known| known.name != model.name) {
                all.push(model);
            }
        }
        let offers =
            all.iter().filter(|model| model.trouble.is_none() || model.name == all[0].name).map(Answering::offer);
        let model =
            (!config.fallbacks.is_empty()).then(|| ModelWish::default().followed_by(config.fallbacks.iter().cloned()));
        let wishes = Wishes { model, tier: Some(config.farthest), ..Wishes::default() };
        Self { offers: offers.collect(), wishes, all: all.into() }
    }

    /// The one that answers where nobody chose.
    pub fn usual(&self) -> &Answering {
        &self.all[0]
    }

    /// The model of that name, if it can answer.
    pub fn named(&self, name: &str) -> Option<&Answering> {
        self.all.iter().find(|model| model.name == name)
    }

    /// Those that can answer, the usual one first.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// What the operator wishes of all.
    pub(super) fn wishes(&self) -> Wishes {
        self.wishes.clone()
    }

    /// The stand-ins that were configured and are not there.
    pub fn missing_fallbacks(&self) -> Vec<String> {
        let named = self.wishes.model.iter().flat_map(|wish| &wish.fallbacks).map(|named| named.name.clone());
        named.filter(|name| self.offers.iter().all(|offer| offer.name != *name)).collect()
    }

    /// How far any conversation may travel at most.
    pub fn farthest(&self) -> Tier {
        self.wishes.tier.unwrap_or(Tier::Any)
    }

    /// All of them as ports.
    pub(super) fn ports(&self) -> Arc<[Arc<dyn Model>]> {
        self.all.iter().map(|model| Arc::clone(&model.model)).collect()
    }

    /// Has the usual model, if it is on this machine, load and read ahead what every conversation begins with. Whoever
    /// writes goes first.
    pub fn warm(&self, prefix: Arc<Prefix>, closing: CancellationToken) {
        let Some(local) = self.usual().local.clone() else { return };
        tokio::spawn(async move { local.warm(prefix, &closing).await });
    }

    /// The models as people see them.
    pub fn views(&self, resting: &BTreeSet<String>) -> Vec<ModelView> {
        self.all
            .iter()
            .enumerate()
            .map(|(place, model)| model.view(place == 0, resting.contains(&model.name)))
            .collect()
    }
}

impl Answering {
    /// A model that can answer.
    pub fn with(model: Arc<dyn Model>) -> Self {
        let description = model.describe();
        Self {
            model,
            name: description.name,
            trouble: None,
            state: ModelState::Ready,
            title: None,
            provider: None,
            strength: None,
            price: None,
            tier: description.tier,
            local: None,
        }
    }

    /// What is configured.
    fn of(choice: &ModelChoice, config: &Config, house: &Arc<House>) -> Self {
        match choice {
            ModelChoice::None => Self::absent(config),
            ModelChoice::Local(file) => local(file, config, house),
            ModelChoice::Remote(remote) => {
                Self { provider: Some(remote.host.clone()), ..Self::with(Arc::new(elsewhere(remote))) }
            }
            ModelChoice::Declared(declared) => of_provider(declared),
        }
    }

    fn absent(config: &Config) -> Self {
        let models = config.models.display();
        let help = format!(
            "No model is set up. Put a GGUF file into {models}, or name a model with models.default, and restart."
        );
        let none = Self::with(Arc::new(NoModel::configured(&config.models)));
        Self { state: ModelState::Absent, trouble: Some(help), ..none }
    }

    fn failed(name: &str, reason: &str) -> Self {
        let model = Arc::new(NoModel::unusable(name, reason));
        Self { state: ModelState::Failed, trouble: Some(reason.to_owned()), ..Self::with(model) }
    }

    fn offer(&self) -> Offer {
        Offer { name: self.name.clone(), tier: self.tier, strength: self.strength }
    }

    /// The name that people read.
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// How far what is said to it travels.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    fn view(&self, is_usual: bool, rests: bool) -> ModelView {
        let view = ModelView::new(&self.model.describe(), self.state, self.trouble.clone());
        view.known_as(self.title.clone(), self.provider.clone()).standing(is_usual, rests)
    }
}

fn local(file: &Path, config: &Config, house: &Arc<House>) -> Answering {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let options = LocalOptions {
        file: file.to_path_buf(),
        worker: config.worker.clone(),
        window: WINDOW,
        threads: threads(),
        sampling: SamplingDefaults::default(),
        silence: SILENCE,
        first_call: config.first_call.clone(),
    };
    match LocalModel::open(options) {
        Ok(model) => {
            let lodger = house.lodge(&stem, model);
            Answering { local: Some(Arc::clone(&lodger)), ..Answering::with(lodger) }
        }
        Err(error) => Answering::failed(&stem, &error.to_string()),
    }
}

/// A server that was named in the configuration is thereby opened to its own client, and to nothing else.
fn elsewhere(remote: &RemoteModel) -> Engine {
    let grant = Grant { host: remote.host.clone(), port: remote.port };
    let client = Client::new(Purpose::Provider, inference::remote::limits(), Arc::new(SystemResolver), vec![grant]);
    let options = RemoteOptions {
        key: remote.key.as_ref().map(|key| ApiKey::new(key.as_str())),
        ..RemoteOptions::new(WireKind::OpenAiChat, &remote.url, &remote.name, remote.window, remote.tier)
    };
    Engine::new(options, client)
}

/// A model of a declared provider. Only a host that is not public needs to be opened, and only to this client.
fn of_provider(declared: &DeclaredModel) -> Answering {
    let chosen = &declared.chosen;
    let grants = chosen.grant().into_iter().collect();
    let client = Client::new(Purpose::Provider, inference::remote::limits(), Arc::new(SystemResolver), grants);
    let engine = Engine::new(chosen.options(declared.key.as_ref().map(|key| ApiKey::new(key.as_str()))), client);
    Answering {
        title: Some(chosen.model.name.clone()).filter(|title| *title != chosen.model.id),
        provider: Some(chosen.provider.name.clone()),
        strength: chosen.model.strength,
        price: chosen.model.price,
        ..Answering::with(Arc::new(engine))
    }
}

/// All cores but one, at least one.
fn threads() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores.saturating_sub(1)).unwrap_or(1).max(1)
}
