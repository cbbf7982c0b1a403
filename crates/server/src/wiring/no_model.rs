//! What stands where a model would, when none can answer: its refusal says what to do.

use std::path::Path;

use async_trait::async_trait;
use domain::context::Prompt;
use domain::model::{ModelDescription, SampleFault, Sampled, Tier};
use harness::ports::{DeltaSink, Model};
use tokio_util::sync::CancellationToken;

/// No model.
#[derive(Debug, Clone)]
pub(super) struct NoModel {
    name: String,
    /// Fits behind "there is no model".
    reason: String,
}

impl NoModel {
    /// None is configured and none was found.
    pub(super) fn configured(models: &Path) -> Self {
        let models = models.display();
        let reason = format!("yet: put a GGUF file into {models}, or set models.remote.url, and restart");
        Self { name: "no model".to_owned(), reason }
    }

    /// One is configured, and cannot be used.
    pub(super) fn unusable(name: &str, reason: &str) -> Self {
        Self { name: name.to_owned(), reason: format!("that can answer: {}", reason.trim_end_matches('.')) }
    }
}

#[async_trait]
impl Model for NoModel {
    fn describe(&self) -> ModelDescription {
        ModelDescription {
            name: self.name.clone(),
            fingerprint: "none".to_owned(),
            window: 32_768,
            output_cap: None,
            dialect: "native".to_owned(),
            constrained: false,
            continues: false,
            tier: Tier::Device,
        }
    }

    async fn count(&self, _: &Prompt) -> Result<Option<u32>, SampleFault> {
        Ok(None)
    }

    async fn sample(&self, _: &Prompt, _: &dyn DeltaSink, _: &CancellationToken) -> Result<Sampled, SampleFault> {
        Err(SampleFault::Gone(self.reason.clone()))
    }
}
