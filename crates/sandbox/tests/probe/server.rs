//! Stand-ins for the server, each in a process of its own: one to be killed while a command runs, and one that makes many
//! calls at once and looks at what is left of them.

use crate::Verdict;
use sandbox::{Backend, Bubblewrap, Confinement, Ended, NoLedger, Sandbox, Settings};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(crate) fn run(name: &str, rest: &[&str]) -> Option<Verdict> {
    let runtime = || tokio::runtime::Runtime::new().expect("threads can be started");
    match (name, rest) {
        ("serve", [state, line]) => Some(runtime().block_on(serve(open(state), line))),
        ("many", [state, count]) => {
            let count = count.parse().expect("tests give a number");
            let backend = open(state);
            runtime().block_on(many(&backend, count));
            drop(backend);
            Some(Verdict::Through)
        }
        _ => None,
    }
}

fn open(state: &str) -> Arc<Bubblewrap> {
    let settings = Settings { state: state.into(), ledger: Arc::new(NoLedger), groups: true };
    Arc::new(Bubblewrap::new(settings).expect("this host has what it takes"))
}

fn shell(line: &str) -> Confinement {
    let mut confinement = Confinement::new("test", ["/bin/sh", "-c", line]);
    // SAFETY: takes nothing.
    confinement.host_uid = (unsafe { libc::geteuid() } == 0).then_some(10_007);
    confinement
}

async fn serve(backend: Arc<Bubblewrap>, line: &str) -> Verdict {
    let running = backend.spawn(shell(line)).await.expect("the command starts");
    println!("{}", running.spawned().pid);
    std::future::pending::<()>().await;
    drop(running);
    Verdict::Through
}

/// Makes so many calls at once, after a few that bring the threads which stay, and prints the number of descriptors
/// before and after.
async fn many(backend: &Arc<Bubblewrap>, count: i32) {
    let sandbox = Sandbox::with(Arc::clone(backend) as Arc<dyn Backend>);
    let at_once = async |count: i32| {
        let calls: Vec<_> = (0..count).map(|number| tokio::spawn(one(sandbox.clone(), number))).collect();
        for (call, number) in calls.into_iter().zip(0..) {
            let found = call.await.expect("no call panics");
            assert_eq!(found, (format!("{number}\n"), Some(Ended::Exit(number % 7))));
        }
    };
    at_once(16).await;
    let descriptors = || std::fs::read_dir("/proc/self/fd").map(Iterator::count).unwrap_or(0);
    let before = descriptors();
    at_once(count).await;
    println!("{before} {}", descriptors());
}

async fn one(sandbox: Sandbox, number: i32) -> (String, Option<Ended>) {
    let confinement = shell(&format!("echo {number}; exit {}", number % 7));
    let finished = sandbox.run(confinement, &mut |_, _| {}, &CancellationToken::new()).await.expect("it runs");
    (finished.output.stdout.text(10), finished.ended)
}
