//! Starts one process: the only place of this crate that forks, and the home of its `unsafe`. All that the child needs
//! is laid out before the fork, because between fork and exec it may neither allocate nor take a lock. It knows
//! nothing of bubblewrap; what it starts is told what to do by its arguments.
#![allow(unsafe_code, reason = "system calls that no safe crate offers; each block says why it is sound")]

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// What to start and what the child does to itself first, in this order: place in the group, session, end with the
/// starting thread, mounts and user (as root), descriptors, exec.
pub(crate) struct Launch<'a> {
    /// The program, an absolute path.
    pub(crate) program: &'a CStr,
    /// Its arguments, the first being its name.
    pub(crate) arguments: &'a [CString],
    /// The descriptors it gets, as 0, 1, 2 and so on. All others are closed.
    pub(crate) descriptors: Vec<BorrowedFd<'a>>,
    /// The version 2 control group to be born in.
    pub(crate) group: Option<BorrowedFd<'a>>,
    /// As root: the user to become, and the sources to mount.
    pub(crate) staging: Option<Staging<'a>>,
    /// Processors it may run on, when no control group holds it to its share.
    pub(crate) processors: Option<usize>,
}

/// What only root can and must do: put each source on `STAGE/n` in a mount namespace of its own, where an unprivileged
/// user can reach it by path although the folders above the source are closed to it, then become that user.
pub(crate) struct Staging<'a> {
    /// User and group.
    pub(crate) id: u32,
    /// The sources, and whether each is a folder.
    pub(crate) sources: Vec<(BorrowedFd<'a>, bool)>,
}

/// Where the sources are staged. The folder itself is covered by a tmpfs in the child's mount namespace alone.
pub(crate) const STAGE: &str = "/tmp";

/// A process that was started, not yet waited for.
pub(crate) struct Started {
    /// Its number.
    pub(crate) pid: i32,
    /// A handle that never means another process.
    pub(crate) handle: OwnedFd,
}

/// Which step failed in the child, for the message.
const STEPS: [&str; 9] = [
    "exec",
    "session",
    "parent",
    "mounts: copying",
    "mounts: namespace",
    "mounts: stage",
    "mounts: moving",
    "user",
    "descriptors",
];

/// Starts the process and returns once the program runs, or says which step failed. The calling thread must live as
/// long as the process may: the process is killed when the thread ends.
pub(crate) fn start(launch: &Launch<'_>) -> io::Result<Started> {
    let (failed, failing) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let mut prepared = Prepared::new(launch, &failing)?;
    let started = fork(launch.group, &mut prepared)?;
    drop(failing);
    let mut report = [0_u8; 8];
    let length = rustix::io::retry_on_intr(|| rustix::io::read(&failed, &mut report))?;
    if length == 0 {
        return Ok(started);
    }
    let _status = wait(&started);
    let step = STEPS.get(report[0] as usize).unwrap_or(&"start");
    let number = i32::from_le_bytes([report[4], report[5], report[6], report[7]]);
    let cause = io::Error::from_raw_os_error(number);
    Err(io::Error::new(cause.kind(), format!("{step}: {cause}")))
}

/// Waits for the process and ends what it leaves in its group; the status as `waitid` gives it: exit code, or signal.
///
/// bubblewrap's child binds itself to its parent's life only late. A bubblewrap that ends before that, killed or because
/// nobody reads what it tells, would leave a child that waits for its word for ever. The group is that of the process
/// as long as it is not reaped, so its number means no other.
pub(crate) fn wait(started: &Started) -> io::Result<Result<i32, i32>> {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use std::os::fd::AsFd;
    let ended = |options| rustix::io::retry_on_intr(|| waitid(WaitId::PidFd(started.handle.as_fd()), options));
    ended(WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
    if let Some(pid) = Pid::from_raw(started.pid) {
        // There is nobody left as a rule.
        let _nobody = kill_process_group(pid, Signal::KILL);
    }
    let status = ended(WaitIdOptions::EXITED)?.ok_or_else(|| io::Error::other("waitid returned nothing"))?;
    Ok(match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ok(code),
        (None, signal) => Err(signal.unwrap_or(0)),
    })
}

/// Everything the child touches, made before the fork.
struct Prepared<'a> {
    launch: &'a Launch<'a>,
    arguments: Vec<*const libc::c_char>,
    environment: [*const libc::c_char; 1],
    stage: CString,
    places: Vec<CString>,
    copies: Vec<RawFd>,
    moved: Vec<RawFd>,
    failing: RawFd,
    parent: i32,
    processors: libc::cpu_set_t,
}

impl<'a> Prepared<'a> {
    fn new(launch: &'a Launch<'a>, failing: &OwnedFd) -> io::Result<Prepared<'a>> {
        let arguments = launch.arguments.iter().map(|item| item.as_ptr()).chain([std::ptr::null()]).collect();
        let count = launch.staging.as_ref().map_or(0, |staging| staging.sources.len());
        let places = (0..count).map(|n| CString::new(format!("{STAGE}/{n}"))).collect::<Result<_, _>>()?;
        let stage = CString::new(STAGE)?;
        // SAFETY: an all-zero cpu_set_t is the empty set.
        let mut processors: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        for number in allowed_processors().into_iter().take(launch.processors.unwrap_or(0)) {
            // SAFETY: the numbers come from a cpu_set_t of the same size.
            unsafe { libc::CPU_SET(number, &mut processors) };
        }
        let environment = [std::ptr::null()];
        let parent = std::process::id().cast_signed();
        let (copies, moved) = (vec![-1; count], vec![-1; launch.descriptors.len()]);
        let failing = failing.as_raw_fd();
        Ok(Prepared { launch, arguments, environment, stage, places, copies, moved, failing, parent, processors })
    }
}

/// The processors this thread may use.
fn allowed_processors() -> Vec<usize> {
    // SAFETY: an all-zero cpu_set_t is the empty set, and the kernel fills at most its size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        (0..libc::CPU_SETSIZE as usize).filter(|number| libc::CPU_ISSET(*number, &set)).collect()
    }
}

/// `struct clone_args` of clone3(2).
#[repr(C)]
#[derive(Default)]
struct CloneArguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

fn fork(group: Option<BorrowedFd<'_>>, prepared: &mut Prepared<'_>) -> io::Result<Started> {
    const CLONE_PIDFD: u64 = 0x1000;
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
    let mut handle: RawFd = -1;
    let mut arguments = CloneArguments {
        flags: CLONE_PIDFD | group.map_or(0, |_| CLONE_INTO_CGROUP),
        pidfd: (&raw mut handle) as u64,
        exit_signal: libc::SIGCHLD as u64,
        cgroup: group.map_or(0, |group| group.as_raw_fd() as u64),
        ..CloneArguments::default()
    };
    let size = size_of::<CloneArguments>();
    // SAFETY: without CLONE_VM this is fork: the child has its own copy of everything. It runs nothing but `child`,
    // which allocates nothing, takes no lock, and never returns.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, &raw mut arguments, size) };
    match pid {
        0 => child(prepared),
        pid if pid < 0 => Err(io::Error::last_os_error()),
        // SAFETY: the kernel has just made this descriptor for us.
        pid => Ok(Started { pid: pid as i32, handle: unsafe { OwnedFd::from_raw_fd(handle) } }),
    }
}

/// Runs in the child. Only system calls from here on.
fn child(prepared: &mut Prepared<'_>) -> ! {
    let step = match become_program(prepared) {
        Ok(never) => match never {},
        Err(step) => step,
    };
    let number = io::Error::last_os_error().raw_os_error().unwrap_or(0).to_le_bytes();
    let report = [step, 0, 0, 0, number[0], number[1], number[2], number[3]];
    // SAFETY: the array is 8 bytes; `_exit` ends the child without running anything of the parent's.
    unsafe {
        libc::write(prepared.failing, report.as_ptr().cast(), 8);
        libc::_exit(127)
    }
}

/// A failed call gives the number of its step; the cause is in errno.
fn done(result: libc::c_int, step: u8) -> Result<libc::c_int, u8> {
    if result < 0 { Err(step) } else { Ok(result) }
}

fn become_program(prepared: &mut Prepared<'_>) -> Result<std::convert::Infallible, u8> {
    let launch = prepared.launch;
    // SAFETY: plain system calls on numbers and on memory that `prepared` owns.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        done(libc::setsid(), 1)?;
        prefer_for_killing();
        if launch.processors.is_some() {
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const prepared.processors);
        }
    }
    if let Some(staging) = &launch.staging {
        stage(staging, prepared)?;
        become_user(staging.id)?;
    }
    end_with_parent(prepared.parent)?;
    place_descriptors(prepared)?;
    // SAFETY: both lists end with a null pointer and point into memory that lives until exec replaces it.
    unsafe { libc::execve(launch.program.as_ptr(), prepared.arguments.as_ptr(), prepared.environment.as_ptr()) };
    Err(0)
}

/// When the whole machine is short of memory, commands go before the server. Failure means only: not preferred.
fn prefer_for_killing() {
    // SAFETY: constant strings of the lengths given.
    unsafe {
        let file = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file >= 0 {
            libc::write(file, c"500".as_ptr().cast(), 3);
            libc::close(file);
        }
    }
}

/// The kernel kills this process when the starting thread ends. Set after any change of user, which clears it; a
/// parent that died before is seen by the second call.
fn end_with_parent(parent: i32) -> Result<(), u8> {
    // SAFETY: plain numbers.
    unsafe {
        done(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL), 2)?;
        done(if libc::getppid() == parent { 0 } else { -1 }, 2)?;
    }
    Ok(())
}

fn stage(staging: &Staging<'_>, prepared: &mut Prepared<'_>) -> Result<(), u8> {
    const OPEN_TREE_CLONE: libc::c_uint = 1;
    const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 4;
    let empty = c"".as_ptr();
    let nothing: *const libc::c_char = std::ptr::null();
    // SAFETY: plain system calls on numbers and on strings that `prepared` owns.
    unsafe {
        for (kept, (source, _)) in prepared.copies.iter_mut().zip(&staging.sources) {
            let flags = OPEN_TREE_CLONE | (libc::AT_RECURSIVE | libc::AT_EMPTY_PATH | libc::O_CLOEXEC) as libc::c_uint;
            let copy = libc::syscall(libc::SYS_open_tree, source.as_raw_fd(), empty, flags);
            *kept = done(copy as libc::c_int, 3)?;
        }
        done(libc::unshare(libc::CLONE_NEWNS), 4)?;
        let private = libc::MS_REC | libc::MS_PRIVATE;
        done(libc::mount(nothing, c"/".as_ptr(), nothing, private, std::ptr::null()), 4)?;
        let options = c"size=1m,mode=0755".as_ptr().cast();
        let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        done(libc::mount(c"stage".as_ptr(), prepared.stage.as_ptr(), c"tmpfs".as_ptr(), flags, options), 5)?;
        for (index, (_, is_folder)) in staging.sources.iter().enumerate() {
            let place = prepared.places[index].as_ptr();
            if *is_folder {
                done(libc::mkdir(place, 0o755), 5)?;
            } else {
                let file = done(libc::open(place, libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC, 0o644), 5)?;
                libc::close(file);
            }
            let copy = prepared.copies[index];
            let moved =
                libc::syscall(libc::SYS_move_mount, copy, empty, libc::AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH);
            done(moved as libc::c_int, 6)?;
            done(libc::mount(nothing, place, nothing, private, std::ptr::null()), 6)?;
            libc::close(copy);
        }
    }
    Ok(())
}

/// Groups first, then group, then user: the other way round the right to do so is gone.
fn become_user(id: u32) -> Result<(), u8> {
    // SAFETY: plain numbers and an empty list. The raw calls are meant: glibc's would reach for its other threads.
    unsafe {
        done(libc::syscall(libc::SYS_setgroups, 0_usize, std::ptr::null::<libc::gid_t>()) as libc::c_int, 7)?;
        done(libc::syscall(libc::SYS_setresgid, id, id, id) as libc::c_int, 7)?;
        done(libc::syscall(libc::SYS_setresuid, id, id, id) as libc::c_int, 7)?;
    }
    Ok(())
}

/// Puts the descriptors at 0, 1, 2 and so on, the failure pipe after them, and closes all others. Every source is first
/// copied above all targets, so that none is overwritten before it was used.
fn place_descriptors(prepared: &mut Prepared<'_>) -> Result<(), u8> {
    let sources = &prepared.launch.descriptors;
    let count = sources.len() as libc::c_int;
    // SAFETY: plain system calls on numbers.
    unsafe {
        prepared.failing = done(libc::fcntl(prepared.failing, libc::F_DUPFD_CLOEXEC, count + 1), 8)?;
        for (copy, source) in prepared.moved.iter_mut().zip(sources) {
            *copy = done(libc::fcntl(source.as_raw_fd(), libc::F_DUPFD_CLOEXEC, count + 1), 8)?;
        }
        for (target, copy) in prepared.moved.iter().enumerate() {
            done(libc::dup2(*copy, target as libc::c_int), 8)?;
        }
        prepared.failing = done(libc::dup3(prepared.failing, count, libc::O_CLOEXEC), 8)?;
        done(libc::syscall(libc::SYS_close_range, count + 1, libc::c_uint::MAX, 0) as libc::c_int, 8)?;
    }
    Ok(())
}
