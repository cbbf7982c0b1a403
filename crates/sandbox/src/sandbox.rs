//! The front of the crate: one backend that was probed, and a queue in front of it. Callers that hold a `Sandbox` hold
//! one that works.

use crate::backend::{Backend, Probe};
use crate::bubblewrap::{Bubblewrap, Settings};
use crate::confinement::Confinement;
use crate::output::Stream;
use crate::refusal::Refusal;
use crate::running::{Finished, Running};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Runs commands under confinement. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    backend: Arc<dyn Backend>,
    places: Arc<Semaphore>,
}

impl Sandbox {
    /// Takes the backend if its probe is good; the probe is returned either way, for boot line, doctor and settings.
    pub async fn open(settings: Settings) -> (Result<Sandbox, Refusal>, Option<Probe>) {
        let backend = match Bubblewrap::new(settings) {
            Ok(backend) => backend,
            Err(refusal) => return (Err(refusal), None),
        };
        let probe = backend.probe().await;
        if !probe.is_usable() {
            let refusal = probe.refusal.clone().unwrap_or_else(|| Refusal::NoBackend { reason: probe.summary() });
            return (Err(refusal), Some(probe));
        }
        (Ok(Sandbox::with(Arc::new(backend))), Some(probe))
    }

    /// A sandbox on a given backend, unprobed. `run` lets as many calls in at once as there are processors.
    pub fn with(backend: Arc<dyn Backend>) -> Sandbox {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Sandbox { backend, places: Arc::new(Semaphore::new(processors)) }
    }

    /// The name of the backend.
    pub fn backend(&self) -> &'static str {
        self.backend.name()
    }

    /// Runs a command to its end and returns what it wrote. Calls beyond the number of processors wait in order; the
    /// deadline starts with the program. A call that is cancelled while it waits is `Cancelled` without having run.
    pub async fn run(
        &self,
        confinement: Confinement,
        live: &mut (dyn FnMut(Stream, &str) + Send),
        cancel: &CancellationToken,
    ) -> Result<Finished, Refusal> {
        let _place = tokio::select! {
            place = self.places.acquire() => place.map_err(|_| Refusal::Cancelled)?,
            () = cancel.cancelled() => return Err(Refusal::Cancelled),
        };
        let running = tokio::select! {
            running = self.backend.spawn(confinement) => running?,
            () = cancel.cancelled() => return Err(Refusal::Cancelled),
        };
        Ok(running.capture(live, cancel).await)
    }

    /// Starts a long-lived command, whose pipes the caller serves itself. It takes no place in the queue.
    pub async fn spawn(&self, confinement: Confinement) -> Result<Running, Refusal> {
        self.backend.spawn(confinement).await
    }
}
