//! Which model answers: a worker on this machine, a server elsewhere, or none with the reason.

use std::path::Path;
use std::sync::Arc;

use domain::context::Prefix;
use egress::{Client, Grant, Purpose, SystemResolver};
use harness::ports::Model;
use inference::local::{LocalModel, LocalOptions, SILENCE, SamplingDefaults};
use inference::remote::{ApiKey, RemoteModel as Engine, RemoteOptions, WireKind};
use tokio_util::sync::CancellationToken;

use super::no_model::NoModel;
use crate::config::{Config, DeclaredModel, ModelChoice, RemoteModel};
use crate::wire::session::{ModelState, ModelView};

/// Tokens of context that are wanted of a local model; its own limit holds as well.
const WINDOW: u32 = 16_384;

/// The model of this server and whether it can answer.
#[derive(Clone)]
pub struct Answering {
    /// The model.
    pub model: Arc<dyn Model>,
    state: ModelState,
    /// Why it cannot answer.
    pub trouble: Option<String>,
    /// The same model, if it runs on this machine.
    local: Option<LocalModel>,
}

impl Answering {
    /// Opens what is configured. Weights are loaded at the first use.
    pub fn open(config: &Config) -> Self {
        match &config.model {
            ModelChoice::None => {
                let models = config.models.display();
                let help = format!(
                    "No model is set up. Put a GGUF file into {models}, or name a model with models.default, and restart."
                );
                Self {
                    state: ModelState::Absent,
                    trouble: Some(help),
                    ..Self::with(Arc::new(NoModel::configured(&config.models)))
                }
            }
            ModelChoice::Local(file) => local(file, config),
            ModelChoice::Remote(remote) => Self::with(Arc::new(elsewhere(remote))),
            ModelChoice::Declared(declared) => Self::with(Arc::new(of_provider(declared))),
        }
    }

    /// A model that can answer.
    pub fn with(model: Arc<dyn Model>) -> Self {
        Self { model, state: ModelState::Ready, trouble: None, local: None }
    }

    fn failed(name: &str, reason: &str) -> Self {
        let model = Arc::new(NoModel::unusable(name, reason));
        Self { state: ModelState::Failed, trouble: Some(reason.to_owned()), ..Self::with(model) }
    }

    /// Has a model on this machine load and read ahead what every conversation begins with. Whoever writes goes first.
    pub fn warm(&self, prefix: Arc<Prefix>, closing: CancellationToken) {
        let Some(local) = self.local.clone() else { return };
        tokio::spawn(async move { local.warm(prefix, &closing).await });
    }

    /// The models as people see them.
    pub fn views(&self) -> Vec<ModelView> {
        vec![ModelView::new(&self.model.describe(), self.state, self.trouble.clone())]
    }
}

fn local(file: &Path, config: &Config) -> Answering {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
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
        Ok(model) => Answering { local: Some(model.clone()), ..Answering::with(Arc::new(model)) },
        Err(error) => Answering::failed(&name, &error.to_string()),
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
fn of_provider(declared: &DeclaredModel) -> Engine {
    let grants = declared.chosen.grant().into_iter().collect();
    let client = Client::new(Purpose::Provider, inference::remote::limits(), Arc::new(SystemResolver), grants);
    Engine::new(declared.chosen.options(declared.key.as_ref().map(|key| ApiKey::new(key.as_str()))), client)
}

/// All cores but one, at least one.
fn threads() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores.saturating_sub(1)).unwrap_or(1).max(1)
}
