//! Which model answers: a worker on this machine, a server elsewhere, or none with the reason.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use domain::context::Prefix;
use egress::{Client, Grant, Limits, Purpose, SystemResolver};
use harness::ports::Model;
use inference::local::{LocalModel, LocalOptions, SILENCE, SamplingDefaults};
use inference::remote::openai::{ApiKey, OpenAiModel, OpenAiOptions};
use tokio_util::sync::CancellationToken;

use super::no_model::NoModel;
use crate::config::{Config, ModelChoice, RemoteModel};
use crate::wire::session::{ModelState, ModelView};

/// Tokens of context that are wanted of a local model; its own limit holds as well.
const WINDOW: u32 = 16_384;

/// Without a piece of the reply for so long, a remote model has stalled (LOOP-16).
const STALL: Duration = Duration::from_secs(60);

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
                    "No model is set up. Put a GGUF file into {models}, or set models.remote.url, and restart."
                );
                Self {
                    state: ModelState::Absent,
                    trouble: Some(help),
                    ..Self::with(Arc::new(NoModel::configured(&config.models)))
                }
            }
            ModelChoice::Local(file) => local(file, config),
            ModelChoice::Remote(remote) => Self::with(Arc::new(elsewhere(remote))),
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
        first_call_forced: config.first_call_forced,
    };
    match LocalModel::open(options) {
        Ok(model) => Answering { local: Some(model.clone()), ..Answering::with(Arc::new(model)) },
        Err(error) => Answering::failed(&name, &error.to_string()),
    }
}

/// A server that was named in the configuration is thereby opened to its own client, and to nothing else.
fn elsewhere(remote: &RemoteModel) -> OpenAiModel {
    let grant = Grant { host: remote.host.clone(), port: remote.port };
    let client = Client::new(Purpose::Provider, Limits::default(), Arc::new(SystemResolver), vec![grant]);
    let options = OpenAiOptions {
        base: remote.url.clone(),
        model: remote.name.clone(),
        key: remote.key.as_ref().map(|key| ApiKey::new(key.as_str())),
        window: remote.window,
        output_cap: None,
        tier: remote.tier,
        temperature: None,
        stall: STALL,
    };
    OpenAiModel::new(options, client)
}

/// All cores but one, at least one.
fn threads() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores.saturating_sub(1)).unwrap_or(1).max(1)
}
