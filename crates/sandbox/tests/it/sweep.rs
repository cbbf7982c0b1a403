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

/// bubblewrap as this crate starts it, held in the middle of its start: it waits for a line on its descriptor 9.
fn held_start(folder: &std::path::Path) -> Child {
    let arguments = ["--unshare-user", "--unshare-pid", "--die-with-parent", "--as-pid-1", "--ro-bind", "/", "/"];
    let held = ["--info-fd", "6", "--userns-block-fd", "9"];
    let text: String = arguments.iter().chain(&held).map(|word| format!("{word}\0")).collect();
    std::fs::write(folder.join("arguments"), text).unwrap();
    let mut command = Command::new("/bin/bash");
    let line =
        "exec 6>/dev/null 7</usr/bin/true 8<\"$1\" 9<&0; exec -a bwrap /usr/bin/bwrap --args 8 -- /proc/self/fd/7";
    command.args(["-c", line, "start"]).arg(folder.join("arguments"));
    command.stdin(std::process::Stdio::piped()).process_group(0).spawn().unwrap()
}

fn children_of(pid: u32) -> Vec<i32> {
    let found = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    found.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

#[test]
fn a_start_that_lost_its_parent_before_it_was_recorded_is_ended_and_one_under_way_is_not() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut lost, mut under_way) = (held_start(first.path()), held_start(second.path()));
    let patience = std::time::Duration::from_secs(20);
    let both = || !children_of(lost.id()).is_empty() && !children_of(under_way.id()).is_empty();
    assert!(crate::place::within(patience, both), "both starts are held");
    let (orphan, other) = (children_of(lost.id())[0], children_of(under_way.id())[0]);
    lost.kill().unwrap();
    lost.wait().unwrap();
    assert!(crate::place::within(patience, || orphans().contains(&orphan)), "it outlives its parent");
    assert!(!orphans().contains(&other));
    assert!(end_orphans() >= 1);
    let gone = || Spawned::of(orphan, "test").is_err();
    assert!(crate::place::within(patience, gone));
    assert!(Spawned::of(other, "test").is_ok());
    under_way.kill().unwrap();
    under_way.wait().unwrap();
    end_orphans();
}
