//! The walls, looked at from within. Each check asks the kernel and believes no option that was passed; a check that
//! cannot be made counts as a missing wall. It repairs nothing.

use crate::plan::Plan;
use crate::{sys, text_of};
use std::ffi::CStr;
use std::io;

/// What a check found: nothing to say, or why the wall is missing.
pub type Found = Result<(), String>;

const EPERM: i32 = 1;
const ENOSYS: i32 = 38;
/// User and group inside (REACH-63).
const INSIDE_ID: u32 = 1000;

/// Every wall by name, in the order of the library's `Wall`.
pub fn check(plan: &Plan) -> Vec<(&'static str, Found)> {
    vec![
        ("namespaces", namespaces(plan)),
        ("session", session()),
        ("death", death()),
        ("identity", identity()),
        ("capabilities", capabilities()),
        ("privileges", privileges()),
        ("hostname", host_name()),
        ("environment", environment()),
        ("network", network()),
        ("root", read_only(c"/")),
        ("image", read_only(c"/usr")),
        ("etc", read_only(c"/etc").and_then(|()| made_etc())),
        ("proc", own_proc()),
        ("devices", devices()),
        ("tmp", sized(c"/tmp", plan.tmp_bytes).and_then(|()| sized(c"/dev/shm", plan.shm_bytes))),
        ("mounts", mounts(plan)),
        ("descriptors", descriptors()),
        ("sockets", sockets()),
        ("calls", calls()),
        ("nested", nested()),
    ]
}

fn must(holds: bool, reason: impl Into<String>) -> Found {
    if holds { Ok(()) } else { Err(reason.into()) }
}

fn unreadable(error: io::Error) -> String {
    format!("cannot be checked: {error}")
}

fn namespaces(plan: &Plan) -> Found {
    must(sys::process() == 1, "this is not the first process of its namespace")?;
    must(plan.host_namespaces.len() >= 6, "the host's namespaces were not named")?;
    for host in &plan.host_namespaces {
        let (kind, _) = host.split_once(':').ok_or("a namespace of the host is misnamed")?;
        let ours = std::fs::read_link(format!("/proc/self/ns/{kind}")).map_err(unreadable)?;
        must(ours.as_os_str() != host.as_str(), format!("the {kind} namespace is the host's"))?;
    }
    Ok(())
}

fn session() -> Found {
    must(sys::session() == sys::process(), "this is not a session of its own")
}

fn death() -> Found {
    must(sys::death_signal().map_err(unreadable)? == 9, "the server's death would not end this process")
}

fn identity() -> Found {
    let ids = sys::identity().map_err(unreadable)?;
    must(ids == [INSIDE_ID; 6], format!("user and group are {ids:?}"))
}

fn capabilities() -> Found {
    for line in text_of("/proc/self/status").map_err(unreadable)?.lines().filter(|line| line.starts_with("Cap")) {
        let (name, value) = line.split_once(':').ok_or("a line of /proc/self/status has no colon")?;
        must(value.trim().bytes().all(|digit| digit == b'0'), format!("{name} is {}", value.trim()))?;
    }
    Ok(())
}

fn privileges() -> Found {
    const PR_GET_NO_NEW_PRIVS: i32 = 39;
    let set = sys::control(PR_GET_NO_NEW_PRIVS, 0).map_err(unreadable)?;
    must(set == 1, "a program with the set-uid bit could gain rights")
}

fn host_name() -> Found {
    let name = text_of("/proc/sys/kernel/hostname").map_err(unreadable)?;
    must(name.trim() == "sandbox", "the host's name is visible")
}

fn environment() -> Found {
    // bubblewrap itself sets PWD; the command's own environment comes from the plan alone.
    let foreign = std::env::vars_os().map(|(name, _)| name).find(|name| name != "PWD");
    must(foreign.is_none(), "variables of the host came through")
}

fn network() -> Found {
    let table = text_of("/proc/self/net/dev").map_err(unreadable)?;
    let foreign = table.lines().skip(2).filter_map(|line| line.split_once(':')).find(|(name, _)| name.trim() != "lo");
    must(foreign.is_none(), "there is a network interface besides the inner loopback")
}

fn read_only(place: &CStr) -> Found {
    let system = sys::file_system(place).map_err(unreadable)?;
    must(system.read_only, format!("{} is writable", place.to_string_lossy()))?;
    must(system.no_setuid, format!("{} honours set-uid bits", place.to_string_lossy()))
}

fn made_etc() -> Found {
    let accounts = text_of("/etc/passwd").map_err(unreadable)?;
    must(accounts.lines().count() == 2, "/etc is not the made one")?;
    must(!std::path::Path::new("/etc/shadow").exists(), "/etc is not the made one")
}

fn own_proc() -> Found {
    let own = std::fs::read_link("/proc/self").map_err(unreadable)?;
    must(own.as_os_str() == "1", "/proc is not this namespace's")?;
    must(processes().map_err(unreadable)? == [1], "there are other processes here already")
}

/// The numbers of all processes that /proc shows.
pub fn processes() -> io::Result<Vec<i32>> {
    let entries = std::fs::read_dir("/proc")?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

fn devices() -> Found {
    const KNOWN: [&str; 16] = [
        "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "fd", "core", "pts", "ptmx",
        "shm", "console", "mqueue",
    ];
    for entry in std::fs::read_dir("/dev").map_err(unreadable)?.flatten() {
        let name = entry.file_name();
        must(name.to_str().is_some_and(|name| KNOWN.contains(&name)), format!("/dev has {}", name.to_string_lossy()))?;
    }
    must(sys::file_system(c"/dev").map_err(unreadable)?.read_only, "/dev is writable")
}

fn sized(place: &CStr, bytes: u64) -> Found {
    let system = sys::file_system(place).map_err(unreadable)?;
    must(system.bytes > 0 && system.bytes <= bytes, format!("{} holds {} bytes", place.to_string_lossy(), system.bytes))
}

fn mounts(plan: &Plan) -> Found {
    let table = text_of("/proc/self/mounts").map_err(unreadable)?;
    for (place, is_read_only) in &plan.mounts {
        let name = place.to_string_lossy();
        let is_there = table.lines().any(|line| line.split(' ').nth(1).map(unescaped).as_deref() == Some(&*name));
        must(is_there, format!("{name} is not mounted"))?;
        let system = sys::file_system(place).map_err(unreadable)?;
        must(system.no_setuid, format!("{name} honours set-uid bits"))?;
        must(system.read_only || !is_read_only, format!("{name} is writable"))?;
    }
    Ok(())
}

/// /proc/self/mounts writes blank, tab, newline and backslash as three octal digits.
fn unescaped(field: &str) -> String {
    field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

fn descriptors() -> Found {
    for entry in std::fs::read_dir("/proc/self/fd").map_err(unreadable)?.flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
        // 0 to 6 are the launcher's layout; 7 is this very listing.
        must(number.is_some_and(|number| number <= 7), "a descriptor of the host came through")?;
    }
    Ok(())
}

fn sockets() -> Found {
    // IPv4, IPv6, netlink, packet, vsock, bluetooth, key, alg: all refused, not merely unavailable.
    for family in [2, 10, 16, 17, 40, 31, 15, 38] {
        must(sys::try_socket(family) == Err(EPERM), format!("sockets of family {family} can be asked for"))?;
    }
    Ok(())
}

/// One call of the filter, with arguments that fail in another way than EPERM where nobody filters it.
struct Call(&'static str, i64, [i64; 5]);

#[cfg(target_arch = "x86_64")]
fn filtered() -> Vec<Call> {
    vec![
        Call("ptrace", 101, [9999, 0, 0, 0, 0]),
        Call("process_vm_readv", 310, [-1, 0, 0, 0, 0]),
        Call("pidfd_getfd", 438, [-1, -1, 0, 0, 0]),
        Call("unshare", 272, [0, 0, 0, 0, 0]),
        Call("setns", 308, [-1, 0, 0, 0, 0]),
        Call("bpf", 321, [9999, 0, 0, 0, 0]),
        Call("io_uring_setup", 425, [0, 0, 0, 0, 0]),
        Call("keyctl", 250, [9999, 0, 0, 0, 0]),
        Call("add_key", 248, [0, 0, 0, 0, 0]),
        Call("personality", 135, [0xffff_ffff, 0, 0, 0, 0]),
        Call("perf_event_open", 298, [0, 0, 0, 0, 0]),
        Call("open_by_handle_at", 304, [-1, 0, 0, 0, 0]),
        Call("name_to_handle_at", 303, [-1, 0, 0, 0, 0]),
        Call("open_tree", 428, [-1, 0, 0, 0, 0]),
        Call("ioctl TIOCSTI", 16, [-1, 0x5412, 0, 0, 0]),
        Call("ioctl TIOCLINUX", 16, [-1, 0x541c, 0, 0, 0]),
    ]
}

#[cfg(target_arch = "aarch64")]
fn filtered() -> Vec<Call> {
    vec![
        Call("ptrace", 117, [9999, 0, 0, 0, 0]),
        Call("process_vm_readv", 270, [-1, 0, 0, 0, 0]),
        Call("pidfd_getfd", 438, [-1, -1, 0, 0, 0]),
        Call("unshare", 97, [0, 0, 0, 0, 0]),
        Call("setns", 268, [-1, 0, 0, 0, 0]),
        Call("bpf", 280, [9999, 0, 0, 0, 0]),
        Call("io_uring_setup", 425, [0, 0, 0, 0, 0]),
        Call("keyctl", 219, [9999, 0, 0, 0, 0]),
        Call("add_key", 217, [0, 0, 0, 0, 0]),
        Call("personality", 92, [0xffff_ffff, 0, 0, 0, 0]),
        Call("perf_event_open", 241, [0, 0, 0, 0, 0]),
        Call("open_by_handle_at", 265, [-1, 0, 0, 0, 0]),
        Call("name_to_handle_at", 264, [-1, 0, 0, 0, 0]),
        Call("open_tree", 428, [-1, 0, 0, 0, 0]),
        Call("ioctl TIOCSTI", 29, [-1, 0x5412, 0, 0, 0]),
        Call("ioctl TIOCLINUX", 29, [-1, 0x541c, 0, 0, 0]),
    ]
}

/// clone3 has one number everywhere.
const CLONE3: i64 = 435;

fn calls() -> Found {
    for Call(name, number, arguments) in filtered() {
        must(sys::raw(number, arguments) == Err(EPERM), format!("{name} is not filtered"))?;
    }
    must(sys::raw(CLONE3, [0; 5]) == Err(ENOSYS), "clone3 is not hidden")
}

#[cfg(target_arch = "x86_64")]
const CLONE: i64 = 56;
#[cfg(target_arch = "aarch64")]
const CLONE: i64 = 220;

/// New namespaces inside, by clone; `calls` has looked at unshare already. That they are off without the filter too is
/// looked at by bubblewrap before the filter is on (`--assert-userns-disabled`).
fn nested() -> Found {
    const SIGCHLD: i64 = 17;
    for flag in [0x1000_0000_i64, 0x0002_0000, 0x2000_0000, 0x4000_0000] {
        match sys::raw(CLONE, [flag | SIGCHLD, 0, 0, 0, 0]) {
            Ok(0) => sys::leave(0),
            Ok(_) => return Err("a new namespace can be made".to_owned()),
            Err(EPERM) => {}
            Err(other) => return Err(format!("a new namespace fails with error {other}, not by the filter")),
        }
    }
    Ok(())
}
