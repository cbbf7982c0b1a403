//! The walls of the worker (ENGINE-3): after they stand it can read its model file and what tells of processors, and
//! nothing else; it can open no socket and start no program. They bind the thread that raises them and all it starts.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetStatus, Scope,
};
use sandbox::calls::{self, Rules};
use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

/// What engine and thread libraries read about the machine; no file of a person lies there.
const MACHINE: [&str; 3] = ["/sys/devices/system", "/proc/cpuinfo", "/proc/meminfo"];

/// Raises all walls that this system has. Gives the names of those it lacks.
pub(crate) fn raise(model: &Path) -> Result<Vec<String>, String> {
    let files = wall_off_files(model).map_err(|error| format!("files: {error}"))?;
    wall_off_calls().map_err(|error| format!("calls: {error}"))?;
    Ok(if files { Vec::new() } else { vec!["files".to_owned()] })
}

/// Landlock, as strict as this kernel knows it; false where it knows none.
fn wall_off_files(model: &Path) -> Result<bool, landlock::RulesetError> {
    let abi = ABI::V6;
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?;
    let readable = MACHINE.iter().map(Path::new).chain([model]);
    for place in readable {
        // What is not there needs no right; a missing model is told by whoever opens it.
        if let Ok(opened) = PathFd::new(place) {
            let access =
                if place.is_dir() { AccessFs::ReadFile | AccessFs::ReadDir } else { AccessFs::ReadFile.into() };
            rules = rules.add_rule(PathBeneath::new(opened, access))?;
        }
    }
    let status = rules.restrict_self()?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

/// Calls that no part of the engine needs, by reason, beside those that `sandbox` refuses to all.
const REFUSED: [(&str, &[i64]); 3] = [
    (
        "network",
        &[
            libc::SYS_socket,
            libc::SYS_socketpair,
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_listen,
            libc::SYS_accept,
            libc::SYS_accept4,
            libc::SYS_sendmsg,
            libc::SYS_sendmmsg,
        ],
    ),
    ("programs", &[libc::SYS_execve, libc::SYS_execveat]),
    ("other processes", &[libc::SYS_pidfd_open, libc::SYS_pidfd_send_signal]),
];

fn wall_off_calls() -> Result<(), String> {
    let refused = refused_calls().map_err(|error| error.to_string())?;
    for program in calls::programs(refused).map_err(|error| error.to_string())? {
        seccompiler::apply_filter(&program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn refused_calls() -> Result<Rules, seccompiler::BackendError> {
    let mut refused = calls::refused_to_all();
    refused.extend(REFUSED.iter().flat_map(|(_, calls)| calls.iter()).map(|call| (*call, Vec::new())));
    // A clone that is no thread is a process.
    let thread = libc::CLONE_THREAD as u64;
    let no_thread = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0)?;
    refused.insert(libc::SYS_clone, vec![SeccompRule::new(vec![no_thread])?]);
    #[cfg(target_arch = "x86_64")]
    refused.extend([libc::SYS_fork, libc::SYS_vfork].map(|call| (call, Vec::new())));
    Ok(refused)
}

#[cfg(test)]
mod tests;
