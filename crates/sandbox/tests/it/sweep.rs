//! The sweep at boot ends recorded processes that are still the recorded ones, and no other.

use sandbox::*;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

fn sleeper() -> Child {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "sleep 600 & wait"]).process_group(0);
    command.spawn().unwrap()
}

#[test]
fn sweep_ends_only_what_matches() {
    let (mut ours, mut other_time, mut other_boot) = (sleeper(), sleeper(), sleeper());
    let record = |child: &Child| Spawned::of(child.id().cast_signed(), "test").unwrap();
    let (first, mut second, mut third) = (record(&ours), record(&other_time), record(&other_boot));
    second.start_time -= 1;
    third.boot_id = "00000000-0000-0000-0000-000000000000".into();
    let gone = Spawned { pid: 0, ..first.clone() };
    let init = Spawned { pid: 1, ..first.clone() };
    let swept = sweep(&[first.clone(), second, third, gone, init]);
    assert_eq!(swept, std::slice::from_ref(&first));
    assert!(!first.lives());
    ours.wait().unwrap();
    for child in [&mut other_time, &mut other_boot] {
        assert_eq!(child.try_wait().unwrap(), None, "it was not swept");
        assert_eq!(sweep(&[record(child)]).len(), 1);
        child.wait().unwrap();
    }
}

#[test]
fn sweep_takes_the_group_along() {
    let mut head = sleeper();
    std::thread::sleep(std::time::Duration::from_millis(200));
    let record = Spawned::of(head.id().cast_signed(), "test").unwrap();
    let group = format!(" {} ", head.id());
    let members = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let stats = all.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
        // Of what follows the name: state, parent, group.
        stats
            .filter(|stat| {
                stat.rsplit_once(") ").is_some_and(|(_, rest)| {
                    !rest.starts_with('Z') && rest.split_whitespace().nth(2) == Some(group.trim())
                })
            })
            .count()
    };
    assert_eq!(members(), 2);
    assert_eq!(sweep(&[record]).len(), 1);
    head.wait().unwrap();
    assert!(crate::place::within(std::time::Duration::from_secs(2), || members() == 0));
}
