//! Tries with single system calls.

use crate::{Verdict, called};
use std::io;

pub(crate) fn run(name: &str) -> Option<Verdict> {
    let null = std::ptr::null::<libc::c_void>();
    // SAFETY: the calls get numbers, null or memory of this frame; those that let go run in a fork of their own.
    Some(unsafe {
        match name {
            "ptrace" => with_sleeper(|pid| {
                let result = libc::ptrace(libc::PTRACE_SEIZE, pid, null, null);
                called(result)
            }),
            "read-memory" => with_sleeper(|pid| {
                let mut byte = 0_u8;
                let here = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
                // The same program: what is mapped here is mapped in the fork too.
                let there = libc::iovec { iov_base: run as *mut libc::c_void, iov_len: 1 };
                called(libc::process_vm_readv(pid, &raw const here, 1, &raw const there, 1, 0) as i64)
            }),
            "take-descriptor" => with_sleeper(|pid| {
                let handle = libc::syscall(libc::SYS_pidfd_open, pid, 0);
                called(libc::syscall(libc::SYS_pidfd_getfd, handle, 0, 0))
            }),
            "unshare" => in_fork(|| i64::from(libc::unshare(libc::CLONE_NEWUSER))),
            "clone" => {
                in_fork(|| match libc::syscall(libc::SYS_clone, libc::CLONE_NEWUSER | libc::SIGCHLD, 0, 0, 0, 0) {
                    0 => libc::_exit(0),
                    pid => pid,
                })
            }
            "clone3" => reached(libc::syscall(libc::SYS_clone3, null, 0_usize), libc::ENOSYS),
            "setns" => {
                let own =
                    std::fs::File::open("/proc/self/ns/uts").map(std::os::fd::IntoRawFd::into_raw_fd).unwrap_or(-1);
                called(i64::from(libc::setns(own, 0)))
            }
            "mount" => called(i64::from(libc::mount(c"x".as_ptr(), c"/tmp".as_ptr(), c"tmpfs".as_ptr(), 0, null))),
            "chroot" => called(i64::from(libc::chroot(c"/tmp".as_ptr()))),
            "io-uring" => reached(libc::syscall(libc::SYS_io_uring_setup, 1, null), libc::EPERM),
            "bpf" => reached(libc::syscall(libc::SYS_bpf, 9999, null, 0), libc::EPERM),
            "keyctl" => called(libc::syscall(libc::SYS_keyctl, 0, -3, 0)),
            "userfaultfd" => called(libc::syscall(libc::SYS_userfaultfd, 0)),
            "perf" => reached(libc::syscall(libc::SYS_perf_event_open, null, 0, -1, -1, 0), libc::EPERM),
            "personality" => called(i64::from(libc::personality(0xffff_ffff))),
            "handle" => reached(libc::syscall(libc::SYS_open_by_handle_at, -1, null, 0), libc::EPERM),
            "terminal" => reached(i64::from(libc::ioctl(-1, libc::TIOCSTI, null)), libc::EPERM),
            "vsock" => kind(libc::AF_VSOCK),
            "netlink" => kind(libc::AF_NETLINK),
            "packet" => kind(libc::AF_PACKET),
            "algorithm" => kind(libc::AF_ALG),
            "inet" => kind(libc::AF_INET),
            "inet6" => kind(libc::AF_INET6),
            "other-numbers" => other_numbers(),
            "foreign-call" => foreign_call(),
            _ => return None,
        }
    })
}

/// Held only by that error; any other means the call itself ran.
fn reached(result: i64, held_by: i32) -> Verdict {
    let error = io::Error::last_os_error();
    if result < 0 && error.raw_os_error() == Some(held_by) {
        Verdict::Held(error.to_string())
    } else {
        Verdict::Through
    }
}

fn kind(kind: i32) -> Verdict {
    // SAFETY: numbers only.
    let result = unsafe { libc::socket(kind, libc::SOCK_RAW, 0) };
    let error = io::Error::last_os_error();
    // EPERM for a raw socket without the filter comes from missing rights; a datagram tells the two apart.
    // SAFETY: numbers only.
    let datagram = unsafe { libc::socket(kind, libc::SOCK_DGRAM, 0) };
    match io::Error::last_os_error().raw_os_error() {
        _ if result >= 0 || datagram >= 0 => Verdict::Through,
        Some(libc::EAFNOSUPPORT) => Verdict::Absent,
        _ => Verdict::Held(error.to_string()),
    }
}

/// Runs a try against a fork that sleeps.
unsafe fn with_sleeper(attempt: impl FnOnce(i32) -> Verdict) -> Verdict {
    // SAFETY: the fork only sleeps; the first waits for it.
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            libc::sleep(30);
            libc::_exit(0);
        }
        let verdict = attempt(pid);
        libc::kill(pid, libc::SIGKILL);
        libc::waitpid(pid, std::ptr::null_mut(), 0);
        verdict
    }
}

/// Runs a try in a fork, which is what it changes.
unsafe fn in_fork(attempt: impl FnOnce() -> i64) -> Verdict {
    // SAFETY: the fork makes its calls and ends.
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            let result = attempt();
            let error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
            libc::_exit(if result < 0 { error } else { 0 });
        }
        let mut status = 0;
        libc::waitpid(pid, &raw mut status, 0);
        match libc::WEXITSTATUS(status) {
            0 if libc::WIFEXITED(status) => Verdict::Through,
            error => Verdict::Held(io::Error::from_raw_os_error(error).to_string()),
        }
    }
}

/// The second set of numbers of x86-64, in a fork that may be killed for it.
unsafe fn other_numbers() -> Verdict {
    // SAFETY: takes nothing.
    killed_for(|| unsafe { libc::syscall(0x4000_0000 | 39) })
}

/// A call of the 32-bit machine: number 20 is getpid there.
#[cfg(target_arch = "x86_64")]
unsafe fn foreign_call() -> Verdict {
    killed_for(|| {
        let result: i64;
        // SAFETY: getpid touches no memory; rbx, which the compiler keeps for itself, is not changed.
        unsafe { std::arch::asm!("int 0x80", inlateout("rax") 20_i64 => result, options(nostack)) };
        result
    })
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn foreign_call() -> Verdict {
    Verdict::Absent
}

/// Held when the fork was killed for a bad call, absent when the kernel does not know the call.
fn killed_for(attempt: impl FnOnce() -> i64) -> Verdict {
    // SAFETY: the fork makes one call and ends.
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            libc::_exit(i32::from(attempt() < 0));
        }
        let mut status = 0;
        libc::waitpid(pid, &raw mut status, 0);
        match (libc::WIFSIGNALED(status), libc::WTERMSIG(status)) {
            (true, libc::SIGSYS) => Verdict::Held("killed for it".into()),
            (true, _) => Verdict::Absent,
            (false, _) if libc::WEXITSTATUS(status) == 1 => Verdict::Absent,
            (false, _) => Verdict::Through,
        }
    }
}
