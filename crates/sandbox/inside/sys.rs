//! The kernel as the helper sees it: the few calls that std has no word for, each wrapped once. All `unsafe` of the
//! helper is here. It decides nothing.
#![allow(unsafe_code, reason = "system calls that no safe crate offers; each block says why it is sound")]

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_ulong, c_void};
use std::io;

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn prctl(option: c_int, ...) -> c_int;
    fn close_range(first: u32, last: u32, flags: c_int) -> c_int;
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn close(descriptor: c_int) -> c_int;
    fn fork() -> c_int;
    fn setsid() -> c_int;
    fn getsid(pid: c_int) -> c_int;
    fn getpid() -> c_int;
    fn getresuid(real: *mut u32, effective: *mut u32, saved: *mut u32) -> c_int;
    fn getresgid(real: *mut u32, effective: *mut u32, saved: *mut u32) -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn poll(descriptors: *mut PollEntry, count: c_ulong, timeout_ms: c_int) -> c_int;
    fn signalfd(descriptor: c_int, mask: *const SignalSet, flags: c_int) -> c_int;
    fn sigprocmask(how: c_int, set: *const SignalSet, old: *mut SignalSet) -> c_int;
    fn signal(number: c_int, action: usize) -> usize;
    fn pipe2(ends: *mut c_int, flags: c_int) -> c_int;
    fn read(descriptor: c_int, buffer: *mut c_void, length: usize) -> isize;
    fn write(descriptor: c_int, buffer: *const c_void, length: usize) -> isize;
    fn execve(path: *const c_char, argv: *const *const c_char, envp: *const *const c_char) -> c_int;
    fn setrlimit(resource: c_int, limit: *const [u64; 2]) -> c_int;
    fn socket(family: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn statvfs(path: *const c_char, buffer: *mut Statvfs) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// `struct pollfd` of poll(2).
#[repr(C)]
pub struct PollEntry {
    descriptor: c_int,
    events: i16,
    revents: i16,
}

/// glibc's `sigset_t`: 1024 bits.
#[repr(C)]
pub struct SignalSet([c_ulong; 16]);

/// The 64-bit `struct statvfs` of glibc and musl, with room to spare at its end.
#[repr(C)]
pub struct Statvfs {
    block_size: c_ulong,
    fragment_size: c_ulong,
    blocks: u64,
    rest: [u64; 6],
    flags: c_ulong,
    tail: [u64; 8],
}

/// What a file system says of itself.
pub struct FileSystem {
    /// Its whole size.
    pub bytes: u64,
    /// No one can write to it here.
    pub read_only: bool,
    /// Set-uid bits mean nothing here.
    pub no_setuid: bool,
}

/// The child's side or the parent's side of a fork.
pub enum Forked {
    /// This is the new process.
    Child,
    /// This is the old one, and the new one has this pid.
    Parent(i32),
}

/// How a process ended.
#[derive(Clone, Copy)]
pub enum Ended {
    /// By its own exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

/// SIGCHLD.
const SIGCHLD: c_int = 17;
const CLOEXEC: c_int = 0o2_000_000;
const POLLIN: i16 = 1;
const POLLHUP: i16 = 16;

fn check(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Closes every descriptor from `first` up.
pub fn close_from(first: u32) -> io::Result<()> {
    // SAFETY: no Rust value owns a descriptor at or above `first` when the helper calls this.
    check(unsafe { close_range(first, u32::MAX, 0) }).map(drop)
}

/// Marks every descriptor from `first` up close-on-exec.
pub fn close_from_at_exec(first: u32) -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: c_int = 4;
    // SAFETY: only a flag of the descriptors changes.
    check(unsafe { close_range(first, u32::MAX, CLOSE_RANGE_CLOEXEC) }).map(drop)
}

/// Closes one descriptor that the launcher handed over by number.
pub fn close_one(descriptor: i32) {
    // SAFETY: the descriptor is one of the fixed numbers of the launcher, and no Rust value owns it.
    unsafe { close(descriptor) };
}

/// Makes `to` the same open file as `from`.
pub fn duplicate(from: i32, to: i32) -> io::Result<()> {
    // SAFETY: both are numbers of the launcher's fixed layout; no Rust value owns `to`.
    check(unsafe { dup2(from, to) }).map(drop)
}

/// One `prctl` with a plain number as its argument.
pub fn control(option: i32, argument: u64) -> io::Result<i32> {
    // SAFETY: only options whose arguments are plain numbers are used.
    check(unsafe { prctl(option, argument as c_ulong, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong) })
}

/// The signal that this process gets when its parent dies.
pub fn death_signal() -> io::Result<i32> {
    const PR_GET_PDEATHSIG: c_int = 2;
    let mut signal: c_int = 0;
    // SAFETY: the kernel writes one int to the address given.
    check(unsafe { prctl(PR_GET_PDEATHSIG, &raw mut signal) })?;
    Ok(signal)
}

/// This process's own number, in its own namespace.
pub fn process() -> i32 {
    // SAFETY: takes and touches nothing.
    unsafe { getpid() }
}

/// The number of this process's session.
pub fn session() -> i32 {
    // SAFETY: takes and touches nothing of ours.
    unsafe { getsid(0) }
}

/// Starts a new session.
pub fn new_session() -> io::Result<()> {
    // SAFETY: takes and touches nothing of ours.
    check(unsafe { setsid() }).map(drop)
}

/// Real, effective and saved user, then the same for the group.
pub fn identity() -> io::Result<[u32; 6]> {
    let mut ids = [0_u32; 6];
    let [a, b, c, d, e, f] = &mut ids;
    // SAFETY: the kernel writes three u32 to the three addresses given.
    check(unsafe { getresuid(a, b, c) })?;
    // SAFETY: as above.
    check(unsafe { getresgid(d, e, f) })?;
    Ok(ids)
}

/// Forks. The helper has one thread, so the child may use all of std.
pub fn split() -> io::Result<Forked> {
    // SAFETY: the helper is single-threaded, so no lock can be held by a thread that the child lacks.
    let pid = check(unsafe { fork() })?;
    Ok(if pid == 0 { Forked::Child } else { Forked::Parent(pid) })
}

/// Sends a signal; -1 means every process of the namespace but this one.
pub fn send(pid: i32, number: i32) -> io::Result<()> {
    // SAFETY: passes two numbers.
    check(unsafe { kill(pid, number) }).map(drop)
}

/// The next child that has ended, if there is one.
pub fn reap() -> Option<(i32, Ended)> {
    const WNOHANG: c_int = 1;
    let mut status: c_int = 0;
    // SAFETY: the kernel writes one int to the address given.
    let pid = unsafe { waitpid(-1, &raw mut status, WNOHANG) };
    let signal = status & 0x7f;
    let ended = if signal == 0 { Ended::Exit((status >> 8) & 0xff) } else { Ended::Signal(signal) };
    (pid > 0).then_some((pid, ended))
}

/// Blocks SIGCHLD and returns a descriptor that becomes readable when a child has ended.
pub fn child_events() -> io::Result<i32> {
    const SIG_BLOCK: c_int = 0;
    let mut set = SignalSet([0; 16]);
    set.0[0] = 1 << (SIGCHLD - 1);
    // SAFETY: the set is a whole sigset_t; no old set is asked for.
    check(unsafe { sigprocmask(SIG_BLOCK, &raw const set, std::ptr::null_mut()) })?;
    // SAFETY: as above; -1 asks for a new descriptor.
    check(unsafe { signalfd(-1, &raw const set, CLOEXEC) })
}

/// Every signal back to its default action, and none blocked: what a fresh program expects.
pub fn default_signals() {
    const SIG_SETMASK: c_int = 2;
    for number in 1..=64 {
        // SAFETY: 0 is SIG_DFL; numbers that cannot be changed give an error that means nothing here.
        unsafe { signal(number, 0) };
    }
    let none = SignalSet([0; 16]);
    // SAFETY: the set is a whole sigset_t.
    unsafe { sigprocmask(SIG_SETMASK, &raw const none, std::ptr::null_mut()) };
}

/// Waits until one of two descriptors can be read or has been closed at its other end.
pub fn wait_for(first: i32, second: i32) -> (bool, bool) {
    let entry = |descriptor| PollEntry { descriptor, events: POLLIN, revents: 0 };
    let mut entries = [entry(first), entry(second)];
    // SAFETY: the array outlives the call and has the length given.
    unsafe { poll(entries.as_mut_ptr(), 2, -1) };
    let ready = |e: &PollEntry| e.revents & (POLLIN | POLLHUP) != 0;
    (ready(&entries[0]), ready(&entries[1]))
}

/// A pipe, close-on-exec: the reading end, then the writing end.
pub fn pipe() -> io::Result<(i32, i32)> {
    let mut ends = [0; 2];
    // SAFETY: the kernel writes two ints.
    check(unsafe { pipe2(ends.as_mut_ptr(), CLOEXEC) })?;
    Ok((ends[0], ends[1]))
}

/// Reads once; 0 bytes mean the other end is closed.
pub fn read_some(descriptor: i32, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        // SAFETY: the buffer is as long as said.
        let count = unsafe { read(descriptor, buffer.as_mut_ptr().cast(), buffer.len()) };
        match usize::try_from(count) {
            Ok(count) => return Ok(count),
            Err(_) => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}

/// Writes all of `bytes`; a closed other end is an error like any other.
pub fn write_all(descriptor: i32, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        // SAFETY: the buffer is as long as said.
        let count = unsafe { write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(count) {
            Ok(count) => bytes = &bytes[count..],
            Err(_) => return Err(io::Error::last_os_error()),
        }
    }
    Ok(())
}

/// Replaces this process by the program; returns only when that failed.
pub fn execute(path: &CStr, arguments: &[CString], environment: &[CString]) -> io::Error {
    let list = |items: &[CString]| {
        items.iter().map(|item| item.as_ptr()).chain([std::ptr::null()]).collect::<Vec<*const c_char>>()
    };
    let (arguments, environment) = (list(arguments), list(environment));
    // SAFETY: both lists end with a null pointer and, like the strings they point at, outlive the call.
    unsafe { execve(path.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Sets the soft and the hard limit of a resource to the same value.
pub fn limit(resource: i32, value: u64) -> io::Result<()> {
    let both = [value, value];
    // SAFETY: `struct rlimit` is two 64-bit numbers on every 64-bit Linux.
    check(unsafe { setrlimit(resource, &raw const both) }).map(drop)
}

/// What the file system at a path says of itself.
pub fn file_system(path: &CStr) -> io::Result<FileSystem> {
    const ST_RDONLY: c_ulong = 1;
    const ST_NOSUID: c_ulong = 2;
    let mut buffer = Statvfs { block_size: 0, fragment_size: 0, blocks: 0, rest: [0; 6], flags: 0, tail: [0; 8] };
    // SAFETY: the buffer is at least as large as the C struct.
    check(unsafe { statvfs(path.as_ptr(), &raw mut buffer) })?;
    let (read_only, no_setuid) = (buffer.flags & ST_RDONLY != 0, buffer.flags & ST_NOSUID != 0);
    Ok(FileSystem { bytes: buffer.blocks.saturating_mul(buffer.fragment_size), read_only, no_setuid })
}

/// Opens a socket of a family and closes it again; Err is the number of the error.
pub fn try_socket(family: i32) -> Result<(), i32> {
    const SOCK_DGRAM: c_int = 2;
    // SAFETY: passes numbers; the new descriptor is closed at once.
    let descriptor = unsafe { socket(family, SOCK_DGRAM | CLOEXEC, 0) };
    if descriptor < 0 {
        return Err(last_error());
    }
    close_one(descriptor);
    Ok(())
}

/// One raw call with plain numbers as arguments; Err is the number of the error.
pub fn raw(number: i64, arguments: [i64; 5]) -> Result<i64, i32> {
    let [a, b, c, d, e] = arguments;
    // SAFETY: callers pass numbers that are no valid addresses, so that a call that is let through fails by itself.
    let result = unsafe { syscall(number, a, b, c, d, e) };
    if result < 0 { Err(last_error()) } else { Ok(result) }
}

fn last_error() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// Ends this process at once, without running anything of std.
pub fn leave(status: i32) -> ! {
    // SAFETY: never returns and touches nothing.
    unsafe { _exit(status) }
}
