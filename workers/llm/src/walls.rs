//! The walls of the worker (ENGINE-3): after they stand it can read its model file and what tells of processors, and
//! nothing else; it can open no socket and start no program. They bind the thread that raises them and all it starts.

use std::collections::BTreeMap;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetStatus, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

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

/// Calls that no part of the engine needs, by reason.
const REFUSED: [(&str, &[i64]); 6] = [
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
    (
        "other processes",
        &[
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_pidfd_open,
            libc::SYS_pidfd_getfd,
            libc::SYS_pidfd_send_signal,
            libc::SYS_kcmp,
        ],
    ),
    (
        "the file tree",
        &[
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_pivot_root,
            libc::SYS_chroot,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_open_tree,
            libc::SYS_move_mount,
            libc::SYS_fsopen,
            libc::SYS_open_by_handle_at,
        ],
    ),
    (
        "the kernel",
        &[
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_io_uring_setup,
            libc::SYS_userfaultfd,
            libc::SYS_init_module,
            libc::SYS_finit_module,
            libc::SYS_delete_module,
            libc::SYS_kexec_load,
            libc::SYS_reboot,
            libc::SYS_swapon,
            libc::SYS_swapoff,
        ],
    ),
    ("keys", &[libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl]),
];

fn wall_off_calls() -> Result<(), String> {
    let told = |error: seccompiler::BackendError| error.to_string();
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(told)?;
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().flat_map(|(_, calls)| calls.iter()).map(|call| (*call, Vec::new())).collect();
    // A clone that is no thread is a process.
    let thread = libc::CLONE_THREAD as u64;
    let no_thread =
        SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0).map_err(told)?;
    refused.insert(libc::SYS_clone, vec![SeccompRule::new(vec![no_thread]).map_err(told)?]);
    #[cfg(target_arch = "x86_64")]
    refused.extend([libc::SYS_fork, libc::SYS_vfork].map(|call| (call, Vec::new())));
    // The flags of clone3 lie in memory, where no filter can look; libraries fall back to clone.
    let hidden = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let not_permitted = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let not_there = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    for (rules, action) in [(refused, not_permitted), (hidden, not_there)] {
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch).map_err(told)?;
        let program: BpfProgram = filter.try_into().map_err(told)?;
        seccompiler::apply_filter(&program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
