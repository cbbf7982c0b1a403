//! The record of each started process, and the sweep at boot that ends what a dead server left (OPS-22, 25). Where the
//! records are kept is the caller's business.
#![expect(clippy::disallowed_methods, reason = "reads /proc, the kernel's own account of processes")]

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One started process. Pid, start time and boot id together never mean another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spawned {
    /// Its number, which is also that of its process group and session.
    pub pid: i32,
    /// When it started, in clock ticks since boot (field 22 of `/proc/PID/stat`).
    pub start_time: u64,
    /// The kernel's id of this boot.
    pub boot_id: String,
    /// What it was started for.
    pub purpose: String,
}

/// Keeps the records. `started` comes before the program runs, and an error from it means the program will not run;
/// `ended` comes once nothing of it is left.
pub trait Ledger: Send + Sync {
    /// Keeps the record, durably.
    fn started(&self, spawned: &Spawned) -> Result<(), String>;
    /// The record can go.
    fn ended(&self, spawned: &Spawned);
}

/// Keeps nothing: for tests, and for a caller whose processes may die with it unswept.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLedger;

impl Ledger for NoLedger {
    fn started(&self, _: &Spawned) -> Result<(), String> {
        Ok(())
    }
    fn ended(&self, _: &Spawned) {}
}

impl Spawned {
    /// The record of a living process.
    pub fn of(pid: i32, purpose: &str) -> std::io::Result<Spawned> {
        let start_time = start_time(pid).ok_or_else(|| std::io::Error::other("the process is gone"))?;
        Ok(Spawned { pid, start_time, boot_id: boot_id()?, purpose: purpose.to_owned() })
    }

    /// Whether that very process is still there.
    pub fn lives(&self) -> bool {
        boot_id().is_ok_and(|id| id == self.boot_id) && start_time(self.pid) == Some(self.start_time)
    }
}

/// The kernel's id of this boot.
fn boot_id() -> std::io::Result<String> {
    Ok(std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

/// Start time of a process that is not a zombie.
fn start_time(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold blanks and parentheses; the fields after it hold neither.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    // Field 22 of the whole line is the 20th after the name; the state was the first.
    let start = fields.nth(18)?.parse().ok()?;
    (state != "Z" && state != "X").then_some(start)
}

/// Ends every recorded group whose process is still the recorded one, and returns those. It waits until they are gone,
/// at most 2 s.
pub fn sweep(records: &[Spawned]) -> Vec<Spawned> {
    let found: Vec<Spawned> = records.iter().filter(|record| record.pid > 1 && record.lives()).cloned().collect();
    for record in &found {
        if let Some(pid) = Pid::from_raw(record.pid) {
            // Either may be gone by now, which is what is wanted.
            let _group = kill_process_group(pid, Signal::KILL);
            let _process = kill_process(pid, Signal::KILL);
        }
    }
    let patience = Instant::now() + Duration::from_secs(2);
    while found.iter().any(Spawned::lives) && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    found
}

/// One process's record between its start and its end, which may come in either order of the threads that see them.
pub(crate) struct Record {
    ledger: Arc<dyn Ledger>,
    state: Mutex<State>,
}

enum State {
    Starting,
    Recorded(Spawned),
    Gone,
}

impl Record {
    pub(crate) fn new(ledger: Arc<dyn Ledger>) -> Record {
        Record { ledger, state: Mutex::new(State::Starting) }
    }

    /// Records the process. One that is gone already needs no record and gets none.
    pub(crate) fn start(&self, spawned: &Spawned) -> Result<(), String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*state, State::Gone) {
            self.ledger.started(spawned)?;
            *state = State::Recorded(spawned.clone());
        }
        Ok(())
    }

    /// The process was waited for.
    pub(crate) fn end(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Recorded(spawned) = std::mem::replace(&mut *state, State::Gone) {
            self.ledger.ended(&spawned);
        }
    }
}
