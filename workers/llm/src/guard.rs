//! What the worker gives up before it does anything: outliving its server, leaving core dumps, being looked into.
//! Files, network and calls are walled off in `walls`.

use rustix::process::{
    DumpableBehavior, Pid, Resource, Rlimit, Signal, getppid, set_dumpable_behavior, set_parent_process_death_signal,
    setrlimit,
};

/// The variable in which the supervisor writes its own process id.
const PARENT: &str = "RIAD_WORKER_PARENT";

/// Binds this process to its server's life. True if the server still lives.
pub(crate) fn bind_to_parent() -> bool {
    let expected = std::env::var(PARENT).ok().and_then(|text| text.parse().ok()).and_then(Pid::from_raw);
    let bound = set_parent_process_death_signal(Some(Signal::KILL)).is_ok();
    // The server may have died before the signal was asked for; then this process has another parent already.
    bound && (expected.is_none() || expected == getppid())
}

/// No core dump and no look from processes of the same person: prompts are in this memory.
pub(crate) fn close_memory() -> bool {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).is_ok() && set_dumpable_behavior(DumpableBehavior::NotDumpable).is_ok()
}
