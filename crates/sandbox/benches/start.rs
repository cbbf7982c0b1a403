//! How long a confinement takes: from the order to the end of `/usr/bin/true`, from the order to its first instruction,
//! and from KILL to the end of a tree of 100. One line each; `START_RUNS` sets how many are measured.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench makes a folder, reads one variable and prints"
)]

use sandbox::{Bubblewrap, Confinement, NoLedger, Refusal, Sandbox, Settings};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs = std::env::var("START_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let runtime = tokio::runtime::Runtime::new()?;
    let state = tempfile::tempdir()?;
    for groups in [true, false] {
        let since = Instant::now();
        let settings = Settings { state: state.path().into(), ledger: Arc::new(NoLedger), groups };
        let backend = Arc::new(Bubblewrap::new(settings)?);
        let ready = since.elapsed().as_secs_f64() * 1000.0;
        println!("limits by {:?}", backend.groups());
        let since = Instant::now();
        let probe = runtime.block_on(sandbox::Backend::probe(&*backend));
        let took = since.elapsed().as_secs_f64() * 1000.0;
        println!("  ready {ready:.1} ms, then probe {took:.1} ms: {}", probe.summary());
        runtime.block_on(measure(&backend, runs))?;
    }
    Ok(())
}

fn confinement(line: &[&str]) -> Confinement {
    let mut confinement = Confinement::new("bench", line.iter().copied());
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|found| std::os::unix::fs::MetadataExt::uid(&found) == 0);
    confinement.host_uid = is_root.then_some(10_042);
    confinement
}

async fn measure(backend: &Arc<Bubblewrap>, runs: usize) -> Result<(), Refusal> {
    let sandbox = Sandbox::with(Arc::clone(backend) as Arc<dyn sandbox::Backend>);
    let (mut whole, mut started) = (Vec::new(), Vec::new());
    for run in 0..runs + 10 {
        let since = Instant::now();
        let running = sandbox.spawn(confinement(&["/usr/bin/true"])).await?;
        let to_start = since.elapsed();
        running.capture(&mut |_, _| {}, &CancellationToken::new()).await;
        // The first ones make the threads and fill the caches.
        if run >= 10 {
            started.push(to_start);
            whole.push(since.elapsed());
        }
    }
    report("order to first instruction", started);
    report("order to end of true", whole);
    let mut ends = Vec::new();
    for _ in 0..runs.div_ceil(20) {
        let line = "i=0; while [ $i -lt 100 ]; do sleep 60 & i=$((i+1)); done; trap '' TERM; echo made; wait";
        let mut running = sandbox.spawn(confinement(&["/bin/sh", "-c", line])).await?;
        tokio::io::AsyncReadExt::read(&mut running.stdout, &mut [0; 16]).await.ok();
        let since = Instant::now();
        running.end_tree(Duration::ZERO).await;
        ends.push(since.elapsed());
    }
    report("KILL of 100 processes to nothing left", ends);
    let since = Instant::now();
    let calls: Vec<_> = (0..runs)
        .map(|_| {
            let sandbox = sandbox.clone();
            tokio::spawn(async move {
                sandbox.run(confinement(&["/usr/bin/true"]), &mut |_, _| {}, &CancellationToken::new()).await.map(drop)
            })
        })
        .collect();
    for call in calls {
        call.await.expect("no call panics")?;
    }
    println!("  {runs} calls at once: {:.1} a second", runs as f64 / since.elapsed().as_secs_f64());
    Ok(())
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1000.0;
    println!("  {what}: p50 {:.2} ms, p95 {:.2} ms, min {:.2} ms, {} runs", at(0.5), at(0.95), at(0.0), times.len());
}
