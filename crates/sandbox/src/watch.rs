//! The memory of a tree of processes, summed from `/proc`: what stands in for a control group where there is none. It
//! looks and counts; ending the tree is the caller's.
#![expect(clippy::disallowed_methods, reason = "reads /proc, the kernel's own account of processes")]

use std::fs;
use std::path::PathBuf;

/// Whether everything beneath and including a process uses more than `bytes` of memory of its own.
pub(crate) fn is_over(root: i32, bytes: u64) -> bool {
    let tree = tree(root);
    // Pages that forks share are counted once for each at first; only when that is too much, the slow exact count.
    let quick: u64 = tree.iter().map(|pid| field(*pid, "status", &["RssAnon:", "RssShmem:"])).sum();
    quick > bytes && tree.iter().map(|pid| field(*pid, "smaps_rollup", &["Pss:"])).sum::<u64>() > bytes
}

/// A process and all its descendants. One that starts meanwhile may be missed, and is seen the next time.
pub(crate) fn tree(root: i32) -> Vec<i32> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        next += 1;
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
        }
    }
    found
}

/// The sum of some fields of a file of `/proc`, in bytes; 0 when the process is gone.
fn field(pid: i32, file: &str, names: &[&str]) -> u64 {
    let text = fs::read_to_string(PathBuf::from(format!("/proc/{pid}/{file}"))).unwrap_or_default();
    let value = |line: &str| {
        let rest = names.iter().find_map(|name| line.strip_prefix(name))?;
        rest.split_whitespace().next()?.parse::<u64>().ok()
    };
    text.lines().filter_map(value).sum::<u64>() * 1024
}
