//! What is left of a server: every process that has the server's folder among its arguments, variables, open files or
//! mounts, however it tries to look like somebody else's.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// One living process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pid: u32,
    /// In clock ticks since boot: a number is given to another process later.
    started: u64,
    line: String,
}

/// The processes of a folder with a name of its own, this one and zombies left out.
pub(crate) fn of(folder: &Path) -> BTreeSet<Process> {
    let mark = folder.file_name().expect("the folder has a name").as_encoded_bytes();
    let others = numbers().filter(|pid| *pid != std::process::id());
    others.filter(|pid| has_mark(*pid, mark)).filter_map(look).collect()
}

/// Waits until none of these lives any more. Returns those that do when the time is over.
pub(crate) async fn gone_within(time: Duration, processes: BTreeSet<Process>) -> BTreeSet<Process> {
    let until = Instant::now() + time;
    let mut left = processes;
    loop {
        left.retain(|process| look(process.pid).is_some_and(|now| now.started == process.started));
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn numbers() -> impl Iterator<Item = u32> {
    let names = fs::read_dir("/proc").expect("there is /proc").flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn look(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything; the state comes behind it (proc_pid_stat(5)).
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let (state, started) = (*fields.first()?, fields.get(19)?.parse().ok()?);
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    (state != "Z" && state != "X").then_some(Process { pid, started, line })
}

fn has_mark(pid: u32, mark: &[u8]) -> bool {
    let holds = |bytes: &[u8]| bytes.windows(mark.len()).any(|part| part == mark);
    let texts = ["cmdline", "environ", "mountinfo"].map(|name| format!("/proc/{pid}/{name}"));
    let links = ["cwd", "root", "exe"].map(|name| format!("/proc/{pid}/{name}").into());
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten().map(|entry| entry.path());
    texts.iter().any(|path| fs::read(path).is_ok_and(|text| holds(&text)))
        || open.chain(links).any(|path: std::path::PathBuf| {
            fs::read_link(path).is_ok_and(|target| holds(target.as_os_str().as_encoded_bytes()))
        })
}
