//! The filter of system calls, as three small programs that the kernel runs before every call (REACH-63). It lists what
//! is refused and why; it is data, loaded by the backend.

use crate::refusal::{Refusal, Wall};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};
use std::collections::BTreeMap;

/// The programs, each in the kernel's own form. With `is_uncounted`, memory that no watcher can see is refused as well.
/// Only a test leaves the sockets out.
pub(crate) fn programs(is_uncounted: bool, with_sockets: bool) -> Result<Vec<Vec<u8>>, Refusal> {
    let broken = |error: seccompiler::BackendError| missing(&error.to_string());
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(broken)?;
    let mut refused = refused_calls().map_err(broken)?;
    if is_uncounted {
        refused.extend([libc::SYS_memfd_create, libc::SYS_memfd_secret, libc::SYS_shmget].map(|call| (call, vec![])));
    }
    if !with_sockets {
        refused.remove(&libc::SYS_socket);
    }
    let not_permitted = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let not_there = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    // Its flags lie in memory, where no filter can look; libraries fall back to clone.
    let hidden = BTreeMap::from([(libc::SYS_clone3, vec![])]);
    let mut programs = vec![no_other_numbers()];
    for (rules, action) in [(refused, not_permitted), (hidden, not_there)] {
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch).map_err(broken)?;
        let program: BpfProgram = filter.try_into().map_err(broken)?;
        programs.push(program);
    }
    Ok(programs.iter().map(|program| bytes(program)).collect())
}

fn missing(reason: &str) -> Refusal {
    Refusal::WallMissing { wall: Wall::Calls, reason: reason.to_owned() }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// All calls that end in EPERM: always, or under a condition on an argument.
fn refused_calls() -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = ALWAYS.iter().flat_map(|(_, calls)| calls.iter()).map(|call| (*call, vec![])).collect();
    rules.extend(OLD.iter().map(|call| (*call, vec![])));
    let unix = libc::AF_UNIX as u64;
    let other_family = || condition(0, SeccompCmpOp::Ne, unix);
    rules.insert(libc::SYS_socket, vec![other_family()?]);
    rules.insert(libc::SYS_socketpair, vec![other_family()?]);
    let namespaces: Result<Vec<_>, _> =
        NAMESPACES.iter().map(|flag| condition(0, SeccompCmpOp::MaskedEq(*flag), *flag)).collect();
    rules.insert(libc::SYS_clone, namespaces?);
    let terminal = [TIOCSTI, TIOCLINUX].map(|request| condition(1, SeccompCmpOp::Eq, request));
    rules.insert(libc::SYS_ioctl, terminal.into_iter().collect::<Result<_, _>>()?);
    Ok(rules)
}

fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
}

/// Typing into a terminal on behalf of whoever sits there.
const TIOCSTI: u64 = 0x5412;
/// Pasting on the console, which is typing.
const TIOCLINUX: u64 = 0x541c;

/// New namespaces by clone: user, mount, process, network, IPC, host name, control group.
const NAMESPACES: [u64; 7] =
    [0x1000_0000, 0x0002_0000, 0x2000_0000, 0x4000_0000, 0x0800_0000, 0x0400_0000, 0x0200_0000];

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

/// `struct sock_filter` as the kernel reads it.
fn bytes(program: &[sock_filter]) -> Vec<u8> {
    let step = |s: &sock_filter| {
        let [a, b] = s.code.to_ne_bytes();
        let [c, d, e, f] = s.k.to_ne_bytes();
        [a, b, s.jt, s.jf, c, d, e, f]
    };
    program.iter().flat_map(step).collect()
}
