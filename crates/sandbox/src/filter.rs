//! The filter of system calls, as three small programs that the kernel runs before every call (REACH-63): what `calls`
//! refuses to all, and what a command may not besides. It is data, loaded by the backend.

use crate::calls::{self, Rules};
use crate::refusal::{Refusal, Wall};
use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule, sock_filter};

/// The programs, each in the kernel's own form. With `is_uncounted`, memory that no watcher can see is refused as well.
/// Only a test leaves the sockets out.
pub(crate) fn programs(is_uncounted: bool, with_sockets: bool) -> Result<Vec<Vec<u8>>, Refusal> {
    let broken = |error: seccompiler::BackendError| missing(&error.to_string());
    let mut refused = refused_calls().map_err(broken)?;
    if is_uncounted {
        refused.extend([libc::SYS_memfd_create, libc::SYS_memfd_secret, libc::SYS_shmget].map(|call| (call, vec![])));
    }
    if !with_sockets {
        refused.remove(&libc::SYS_socket);
    }
    let programs = calls::programs(refused).map_err(broken)?;
    Ok(programs.iter().map(|program| bytes(program)).collect())
}

fn missing(reason: &str) -> Refusal {
    Refusal::WallMissing { wall: Wall::Calls, reason: reason.to_owned() }
}

/// All calls that end in EPERM: always, or under a condition on an argument.
fn refused_calls() -> Result<Rules, seccompiler::BackendError> {
    let mut rules = calls::refused_to_all();
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

/// `struct sock_filter` as the kernel reads it.
fn bytes(program: &[sock_filter]) -> Vec<u8> {
    let step = |s: &sock_filter| {
        let [a, b] = s.code.to_ne_bytes();
        let [c, d, e, f] = s.k.to_ne_bytes();
        [a, b, s.jt, s.jf, c, d, e, f]
    };
    program.iter().flat_map(step).collect()
}
