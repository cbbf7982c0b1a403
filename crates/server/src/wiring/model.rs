//! Which model answers: a worker on this machine, a server elsewhere, or none with the reason.

use std::path::Path;
use std::sync::Arc;

use harness::ports::Model;
use inference::local::{LocalModel, LocalOptions, SILENCE, SamplingDefaults};

use super::no_model::NoModel;
use crate::config::{Config, ModelChoice};
use crate::wire::session::ModelView;

/// Tokens of context that are wanted of a local model; its own limit holds as well.
const WINDOW: u32 = 16_384;

/// The model of this server and whether it can answer.
#[derive(Clone)]
pub struct Answering {
    /// The model.
    pub model: Arc<dyn Model>,
    state: &'static str,
    /// Why it cannot answer.
    pub trouble: Option<String>,
}

impl Answering {
    /// Opens what is configured. Weights are loaded at the first use.
    pub fn open(config: &Config) -> Self {
        match &config.model {
            ModelChoice::None => {
                let help = "No model is set up. Put a GGUF file into the models folder, or set models.remote.url, and restart.";
                Self { model: Arc::new(NoModel::configured()), state: "absent", trouble: Some(help.to_owned()) }
            }
            ModelChoice::Local(file) => local(file, &config.worker),
            ModelChoice::Remote(remote) => Self::failed(&remote.name, "remote models are not built in yet"),
        }
    }

    /// A model that can answer.
    pub fn with(model: Arc<dyn Model>) -> Self {
        Self { model, state: "ready", trouble: None }
    }

    fn failed(name: &str, reason: &str) -> Self {
        Self { model: Arc::new(NoModel::unusable(name, reason)), state: "failed", trouble: Some(reason.to_owned()) }
    }

    /// The models as people see them.
    pub fn views(&self) -> Vec<ModelView> {
        vec![ModelView::new(&self.model.describe(), self.state, self.trouble.clone())]
    }
}

fn local(file: &Path, worker: &Path) -> Answering {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let options = LocalOptions {
        file: file.to_path_buf(),
        worker: worker.to_path_buf(),
        window: WINDOW,
        threads: threads(),
        sampling: SamplingDefaults::default(),
        silence: SILENCE,
        first_call_forced: false,
    };
    match LocalModel::open(options) {
        Ok(model) => Answering::with(Arc::new(model)),
        Err(error) => Answering::failed(&name, &error.to_string()),
    }
}

/// All cores but one, at least one.
fn threads() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores.saturating_sub(1)).unwrap_or(1).max(1)
}
