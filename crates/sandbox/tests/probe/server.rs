//! A stand-in for the server, to be killed: it opens a sandbox, starts a command in it and waits for its own death.

use crate::Verdict;
use sandbox::{Confinement, NoLedger, Sandbox, Settings};
use std::sync::Arc;

pub(crate) fn run(name: &str, rest: &[&str]) -> Option<Verdict> {
    let ("serve", [state, line]) = (name, rest) else { return None };
    let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
    Some(runtime.block_on(serve(state, line)))
}

async fn serve(state: &str, line: &str) -> Verdict {
    let settings = Settings { state: state.into(), ledger: Arc::new(NoLedger), groups: true };
    let backend = sandbox::Bubblewrap::new(settings).expect("this host has what it takes");
    let sandbox = Sandbox::with(Arc::new(backend));
    let mut confinement = Confinement::new("serve", ["/bin/sh", "-c", line]);
    // SAFETY: takes nothing.
    confinement.host_uid = (unsafe { libc::geteuid() } == 0).then_some(10_007);
    let running = sandbox.spawn(confinement).await.expect("the command starts");
    println!("{}", running.spawned().pid);
    std::future::pending::<()>().await;
    drop(running);
    Verdict::Through
}
