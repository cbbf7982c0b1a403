//! The system calls that no confined program of ours may make, and the programs for the kernel that refuse them: the
//! part that commands in a sandbox and the workers have in common. Not here: what each of them refuses besides.

use std::collections::BTreeMap;

use seccompiler::{BackendError, BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch, sock_filter};

/// What is refused: the number of a call, and the conditions under which; none means always.
pub type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// What is refused to everyone, whatever the arguments.
pub fn refused_to_all() -> Rules {
    let named = ALWAYS.iter().flat_map(|(_, calls)| calls.iter());
    named.chain(OLD.iter()).map(|call| (*call, vec![])).collect()
}

/// The programs that refuse these calls, in the order in which they are to be loaded: numbers of another kind end the
/// process, `clone3` is told to be absent, and what is refused ends in EPERM.
pub fn programs(refused: Rules) -> Result<Vec<BpfProgram>, BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let not_permitted = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let not_there = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    // Its flags lie in memory, where no filter can look; libraries fall back to clone.
    let hidden = BTreeMap::from([(libc::SYS_clone3, vec![])]);
    let mut programs = vec![no_other_numbers()];
    for (rules, action) in [(refused, not_permitted), (hidden, not_there)] {
        programs.push(SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?.try_into()?);
    }
    Ok(programs)
}

/// Numbers that older headers lack.
const OPEN_TREE_ATTR: i64 = 467;
const PROCESS_MADVISE: i64 = libc::SYS_process_madvise;

/// Calls that are refused whatever their arguments, by reason.
const ALWAYS: [(&str, &[i64]); 8] = [
    (
        "other processes",
        &[
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_pidfd_getfd,
            libc::SYS_kcmp,
            PROCESS_MADVISE,
            libc::SYS_process_mrelease,
        ],
    ),
    (
        "mounts",
        &[
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_pivot_root,
            libc::SYS_chroot,
            libc::SYS_open_tree,
            OPEN_TREE_ATTR,
            libc::SYS_move_mount,
            libc::SYS_fsopen,
            libc::SYS_fsconfig,
            libc::SYS_fsmount,
            libc::SYS_fspick,
            libc::SYS_mount_setattr,
            libc::SYS_quotactl,
            libc::SYS_fanotify_init,
        ],
    ),
    ("namespaces", &[libc::SYS_setns, libc::SYS_unshare]),
    (
        "wide kernel surface",
        &[
            libc::SYS_bpf,
            libc::SYS_io_uring_setup,
            libc::SYS_io_uring_enter,
            libc::SYS_io_uring_register,
            libc::SYS_userfaultfd,
            libc::SYS_perf_event_open,
        ],
    ),
    ("keys of the kernel", &[libc::SYS_keyctl, libc::SYS_add_key, libc::SYS_request_key]),
    (
        "the machine",
        &[
            libc::SYS_init_module,
            libc::SYS_finit_module,
            libc::SYS_delete_module,
            libc::SYS_kexec_load,
            libc::SYS_reboot,
            libc::SYS_swapon,
            libc::SYS_swapoff,
            libc::SYS_acct,
            libc::SYS_syslog,
            libc::SYS_settimeofday,
            libc::SYS_clock_settime,
            libc::SYS_sethostname,
            libc::SYS_setdomainname,
            libc::SYS_vhangup,
        ],
    ),
    ("files by handle", &[libc::SYS_name_to_handle_at, libc::SYS_open_by_handle_at]),
    ("another personality", &[libc::SYS_personality]),
];

/// The same, where only one architecture has them.
#[cfg(target_arch = "x86_64")]
const OLD: [i64; 6] = [
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_kexec_file_load,
    libc::SYS_uselib,
    libc::SYS_ustat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: [i64; 1] = [libc::SYS_kexec_file_load];

/// On x86-64 the same architecture has a second set of numbers (x32), with bit 30 set, which would slip past a list of
/// the first. A number with that bit kills the process. Elsewhere no such number exists, and the rule does no harm.
fn no_other_numbers() -> BpfProgram {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const ALLOW: u32 = 0x7fff_0000;
    const KILL_PROCESS: u32 = 0x8000_0000;
    const NUMBER_OFFSET: u32 = 0;
    const FIRST_OTHER: u32 = 0x4000_0000;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD_WORD, 0, 0, NUMBER_OFFSET),
        step(JUMP_IF_AT_LEAST, 0, 1, FIRST_OTHER),
        step(RETURN, 0, 0, KILL_PROCESS),
        step(RETURN, 0, 0, ALLOW),
    ]
}
