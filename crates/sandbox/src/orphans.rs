//! Finds and ends what a killed server leaves of a start that it had not recorded yet. bubblewrap's child binds itself to
//! its parent's life only late; if both are killed before that, the child waits for a word that nobody will say. It is
//! known by its own command line, which nothing else has, by being the first of its process namespace, and by a parent
//! that is no bubblewrap of ours any more. A start under way, of whatever server, still has that parent.
#![expect(clippy::disallowed_methods, reason = "reads /proc, the kernel's own account of processes")]

use crate::bubblewrap::command_line;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs;

/// The orphans of this host that this user can see.
#[must_use]
pub fn orphans() -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| is_orphan(*pid)).collect()
}

/// Ends the orphans, and returns how many there were. It needs no record and so finds those of other data folders too;
/// they are of no use to anybody.
pub fn end_orphans() -> usize {
    orphans().into_iter().filter(|pid| end(*pid)).count()
}

/// Looked at again with a handle that means no other process.
fn end(pid: i32) -> bool {
    let Some(handle) = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
        return false;
    };
    is_orphan(pid) && pidfd_send_signal(&handle, Signal::KILL).is_ok()
}

fn is_orphan(pid: i32) -> bool {
    is_ours(pid) && parent_of_first(pid).is_some_and(|parent| !is_ours(parent))
}

/// Whether its command line is the one that this crate gives to bubblewrap.
fn is_ours(pid: i32) -> bool {
    let ours: Vec<u8> = command_line().iter().flat_map(|word| [word.as_bytes(), &[0]].concat()).collect();
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|found| found == ours)
}

/// The parent of a process that is the first of its namespace; nothing for others (proc_pid_status(5)).
fn parent_of_first(pid: i32) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
    let mut numbers = field("NSpid:")?.split_whitespace();
    let (_outside, inside) = (numbers.next()?, numbers.next_back()?);
    if inside == "1" { field("PPid:")?.trim().parse().ok() } else { None }
}
