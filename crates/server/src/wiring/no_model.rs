//! What stands where a model would, when none is configured: it answers nothing, and its refusal says what to do.

use async_trait::async_trait;
use domain::context::Prompt;
use domain::model::{ModelDescription, SampleFault, Sampled, Tier};
use harness::ports::{DeltaSink, Model};
use tokio_util::sync::CancellationToken;

/// Tells this model from real ones.
pub(super) const FINGERPRINT: &str = "none";

/// What the operator can do.
pub(super) const HELP: &str =
    "No model is set up. Put a GGUF file into the models folder, or set models.remote.url, and restart.";

/// No model.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModel;

#[async_trait]
impl Model for NoModel {
    fn describe(&self) -> ModelDescription {
        ModelDescription {
            name: "no model".to_owned(),
            fingerprint: FINGERPRINT.to_owned(),
            window: 32_768,
            output_cap: None,
            dialect: "native".to_owned(),
            constrained: false,
            tier: Tier::Device,
        }
    }

    async fn count(&self, _: &Prompt) -> Result<Option<u32>, SampleFault> {
        Ok(None)
    }

    async fn sample(&self, _: &Prompt, _: &dyn DeltaSink, _: &CancellationToken) -> Result<Sampled, SampleFault> {
        Err(SampleFault::Gone("configured yet; put a GGUF file into the models folder, or set models.remote.url, and restart".to_owned()))
    }
}
