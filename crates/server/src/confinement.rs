//! The sandbox while it is still being looked at: the walls are tried once, in the background of a start, and no command
//! runs before they held. Every run builds and checks its own walls as well.

use std::sync::Arc;

use async_trait::async_trait;
use sandbox::{Backend, Bubblewrap, Confinement, Probe, Refusal, Running};
use tokio::sync::OnceCell;

/// A backend whose probe decides, once, whether it is used.
pub struct Probing {
    backend: Bubblewrap,
    verdict: OnceCell<Result<String, Refusal>>,
}

impl Probing {
    /// A backend that was not looked at yet.
    pub fn new(backend: Bubblewrap) -> Arc<Self> {
        Arc::new(Self { backend, verdict: OnceCell::new() })
    }

    /// What the probe found: one sentence, or why no command runs. The first call looks, the others wait for it.
    pub async fn verdict(&self) -> Result<String, Refusal> {
        let look = || async { judge(self.backend.probe().await) };
        self.verdict.get_or_init(look).await.clone()
    }
}

fn judge(probe: Probe) -> Result<String, Refusal> {
    if probe.is_usable() {
        return Ok(probe.summary());
    }
    Err(probe.refusal.clone().unwrap_or_else(|| Refusal::NoBackend { reason: probe.summary() }))
}

#[async_trait]
impl Backend for Probing {
    fn name(&self) -> &'static str {
        self.backend.name()
    }

    async fn probe(&self) -> Probe {
        self.backend.probe().await
    }

    async fn spawn(&self, confinement: Confinement) -> Result<Running, Refusal> {
        self.verdict().await?;
        self.backend.spawn(confinement).await
    }
}
