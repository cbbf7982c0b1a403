//! How long a start takes and what a server holds when it idles: a scratch folder, one open vault, no model.
//!
//! It starts inside this process, since nothing but the sandbox and the supervisor of workers may start another. So
//! the first start is the cold one, and the memory is that of the whole `riad` process.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use store::{KdfPolicy, VaultKind};

use super::figures::Spread;
use super::{process, scratch};
use crate::boot::Boot;
use crate::clock::SystemClock;
use crate::config::{self, LogFormat};
use crate::serve::{Parts, start};

/// How long the server is left alone before its memory is read.
const IDLE: Duration = Duration::from_secs(2);

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Start {
    /// From the configuration to "ready", in milliseconds, without the walk through the escape tries of the sandbox.
    pub ready_ms: Spread,
    /// The first of these starts.
    pub first_ready_ms: f64,
    /// Resident memory when idle, in MiB.
    pub idle_mib: f64,
    /// Milliseconds of processor time that two idle seconds took.
    pub idle_cpu_ms: f64,
}

/// Starts a server `repeats` times in the folder.
pub async fn measure(folder: &Path, repeats: usize) -> Result<Start, String> {
    let instance = scratch::instance(folder).await?;
    drop(scratch::somebody(&instance, VaultKind::Open).await?);
    instance.close().await;
    let mut ready = Vec::new();
    let mut idle = (0.0, 0.0);
    for _ in 0..repeats {
        let sets = [format!("data.dir={}", folder.display()), "listen=127.0.0.1:0".to_owned()];
        let config = config::read(None, &sets).map_err(|ended| ended.to_string())?;
        let began = Instant::now();
        let mut lines = std::io::sink();
        let mut boot = Boot::new(&mut lines, LogFormat::Text);
        let parts = Parts {
            config,
            listener: None,
            policy: KdfPolicy::CHEAPEST,
            models: Vec::new(),
            clock: Arc::new(SystemClock),
        };
        let server = start(parts, &mut boot).await.map_err(|ended| ended.to_string())?;
        ready.push(began.elapsed().as_secs_f64() * 1000.0);
        let before = process::cpu_ms();
        tokio::time::sleep(IDLE).await;
        idle = (process::resident_mib(), process::cpu_ms() - before);
        server.run(async {}).await.map_err(|ended| ended.to_string())?;
    }
    let first_ready_ms = ready.first().copied().unwrap_or_default();
    Ok(Start { ready_ms: Spread::of(ready), first_ready_ms, idle_mib: idle.0, idle_cpu_ms: idle.1 })
}
