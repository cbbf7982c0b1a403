//! Many calls at once leave nothing: no descriptor, no control group, no mount, no process.

use crate::limits::groups_of;
use crate::place::{Place, processes_with, within};
use sandbox::Sandbox;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_calls_leave_nothing() {
    let place = Place::new();
    let sandbox = Sandbox::with(Arc::clone(&place.backend) as Arc<dyn sandbox::Backend>);
    // The first calls make the threads that stay.
    for _ in 0..4 {
        place.run(place.shell("true")).await;
    }
    let (before, mounts) = (descriptors(), std::fs::read_to_string("/proc/self/mounts").unwrap());
    let calls: Vec<_> = (0..200)
        .map(|number| {
            let (sandbox, confinement) = (sandbox.clone(), place.shell(&format!("echo {number}; exit {}", number % 7)));
            tokio::spawn(async move {
                let finished = sandbox.run(confinement, &mut |_, _| {}, &CancellationToken::new()).await.unwrap();
                (number, finished.output.stdout.text(10), finished.ended)
            })
        })
        .collect();
    for call in calls {
        let (number, text, ended) = call.await.unwrap();
        assert_eq!((text, ended), (format!("{number}\n"), Some(sandbox::Ended::Exit(number % 7))));
    }
    // Each thread that was added keeps the handle of its group.
    let groups = groups_of(std::process::id()).len();
    assert!(descriptors() <= before + 4, "{before} {} {groups}", descriptors());
    assert_eq!(std::fs::read_to_string("/proc/self/mounts").unwrap(), mounts);
    let root = place.path("");
    drop(sandbox);
    drop(place);
    assert!(
        within(Duration::from_secs(2), || groups_of(std::process::id()).is_empty()),
        "{:?}",
        groups_of(std::process::id())
    );
    assert_eq!(processes_with(root.to_str().unwrap()), Vec::<String>::new());
}
