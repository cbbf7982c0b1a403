//! Many calls at once leave nothing: no descriptor, no control group, no mount, no process.

use crate::limits::groups_of;
use crate::place::{Place, processes_with, within};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn two_hundred_calls_leave_nothing() {
    let place = Place::new();
    let mounts = || std::fs::read_to_string("/proc/self/mounts").unwrap();
    let before = mounts();
    // A process of its own, because other tests of this one open descriptors meanwhile.
    let server = Command::new(place.path("probe"))
        .args(["many", place.path("state").to_str().unwrap(), "200"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = server.id();
    let outcome = server.wait_with_output().unwrap();
    assert!(outcome.status.success());
    let text = String::from_utf8(outcome.stdout).unwrap();
    let (first, last) = text.trim().split_once(' ').unwrap();
    let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
    // Each thread that a busy moment adds keeps the handle of its group.
    assert!(last <= first + 4, "{first} descriptors before, {last} after");
    assert_eq!(mounts(), before);
    assert!(within(Duration::from_secs(2), || processes_with(place.path("").to_str().unwrap()).is_empty()));
    // A server that ends leaves at most its empty groups, and the next one removes them.
    drop(Place::new());
    assert_eq!(groups_of(pid), Vec::<std::path::PathBuf>::new());
}
