//! The shortest look at the whole: probe, then one command.

use sandbox::*;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn probe() {
    let state = tempfile::tempdir().unwrap();
    let settings =
        Settings { state: state.path().into(), ledger: Arc::new(NoLedger), groups: std::env::var("NOGROUPS").is_err() };
    let (sandbox, probe) = Sandbox::open(settings).await;
    println!("{:#?}", probe);
    let sandbox = sandbox.unwrap();
    println!("{}", probe.unwrap().summary());
    let mut c = Confinement::new("x", std::env::var("CMD").unwrap_or("id".into()).split(' '));
    c.host_uid = Some(10001);
    for _ in 0..20 {
        let mut d = Confinement::new("x", ["true"]);
        d.host_uid = Some(10001);
        let t = std::time::Instant::now();
        let f = sandbox.run(d, &mut |_, t| print!("{t}"), &CancellationToken::new()).await.unwrap();
        println!("{:?} {:?}", t.elapsed(), f.elapsed);
    }
    let f = sandbox.run(c, &mut |_, t| print!("{t}"), &CancellationToken::new()).await;
    println!("{f:?}");
}
