//! Runs one command in a confinement with nothing mounted: `cargo run -p sandbox --example run -- ls -la /`. It shows
//! what the probe says and what the command comes to.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program for a terminal")]

use sandbox::{Confinement, NoLedger, Sandbox, Settings, Stream};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let state = tempfile::tempdir()?;
    let settings = Settings { state: state.path().into(), ledger: Arc::new(NoLedger), groups: true };
    let (sandbox, probe) = Sandbox::open(settings).await;
    eprintln!("{}", probe.map(|probe| probe.summary()).unwrap_or_default());
    let mut confinement = Confinement::new("example", std::env::args().skip(1));
    confinement.host_uid = rustix::process::geteuid().is_root().then_some(10_000);
    let mut live = |stream, text: &str| match stream {
        Stream::Stdout => print!("{text}"),
        Stream::Stderr => eprint!("{text}"),
    };
    let finished = sandbox?.run(confinement, &mut live, &CancellationToken::new()).await?;
    eprintln!("{:?}, {:?}, {:?}, left {:?}", finished.why, finished.ended, finished.elapsed, finished.left);
    Ok(())
}
