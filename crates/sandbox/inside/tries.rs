//! Tries to escape, made by `probe` from the place of a command: each one must fail, and says in one line whether it
//! did. They are small and do no harm where a wall is missing. The thorough ones are tests.

use crate::plan::Plan;
use crate::sys::{Ended, Forked};
use crate::{print, sys, text_of, walls};
use std::fs::File;
use std::io::Write;
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

/// Runs all tries and prints `try NAME held` or `try NAME escaped` for each.
pub fn run(plan: &Plan) {
    let verdicts = [
        ("processes", !sees_others()),
        ("ptrace", !attaches()),
        ("first-process", File::open("/proc/1/environ").is_err() && std::fs::read_dir("/proc/1/fd").is_err()),
        ("loopback", !connects(&format!("127.0.0.1:{}", plan.host_port))),
        ("metadata", !connects("169.254.169.254:80")),
        ("abstract-socket", !reaches_socket(&plan.host_socket)),
        ("vsock", sys::try_socket(40).is_err()),
        ("namespaces", !makes_namespace()),
        ("write-image", ["/x", "/usr/x", "/etc/x", "/dev/x"].iter().all(|place| File::create(place).is_err())),
        ("set-uid", !becomes_root()),
        ("fill-tmp", stops("/tmp/fill", plan.tmp_bytes) && stops("/dev/shm/fill", plan.shm_bytes)),
        ("fork", forks_stop(plan)),
        ("memory", memory_stops(plan.memory_bytes, plan.watched)),
    ];
    for (name, held) in verdicts {
        print(&format!("try {name} {}", if held { "held" } else { "escaped" }));
    }
}

/// Inside there are the helper and this process, and no third.
fn sees_others() -> bool {
    walls::processes().is_ok_and(|all| all.len() > 2)
}

#[cfg(target_arch = "x86_64")]
const NUMBERS: (i64, i64, i64) = (101, 272, 105);
#[cfg(target_arch = "aarch64")]
const NUMBERS: (i64, i64, i64) = (117, 97, 146);

fn attaches() -> bool {
    const PTRACE_ATTACH: i64 = 16;
    sys::raw(NUMBERS.0, [PTRACE_ATTACH, 1, 0, 0, 0]).is_ok()
}

fn makes_namespace() -> bool {
    const CLONE_NEWUSER: i64 = 0x1000_0000;
    sys::raw(NUMBERS.1, [CLONE_NEWUSER, 0, 0, 0, 0]).is_ok()
}

fn becomes_root() -> bool {
    sys::raw(NUMBERS.2, [0; 5]).is_ok()
}

#[allow(clippy::disallowed_methods, reason = "the try is to reach the network, and it must fail")]
fn connects(address: &str) -> bool {
    let Ok(address) = address.parse() else { return false };
    TcpStream::connect_timeout(&address, Duration::from_millis(300)).is_ok()
}

fn reaches_socket(name: &str) -> bool {
    SocketAddr::from_abstract_name(name).and_then(|address| UnixStream::connect_addr(&address)).is_ok()
}

/// Writing `bytes` and one block more must fail; what was written goes again.
fn stops(path: &str, bytes: u64) -> bool {
    let Ok(mut file) = File::create(path) else { return true };
    let block = vec![b'x'; 1024 * 1024];
    let all_written = (0..=bytes / block.len() as u64).all(|_| file.write_all(&block).is_ok());
    let _gone_with_the_namespace = std::fs::remove_file(path);
    !all_written
}

/// Forks sleepers until the kernel says no; more than the limit is an escape.
fn forks_stop(plan: &Plan) -> bool {
    const RLIMIT_NPROC: i32 = 6;
    let most = plan.limits.iter().find(|(resource, _)| *resource == RLIMIT_NPROC).map_or(0, |(_, value)| *value);
    let mut made = Vec::new();
    while (made.len() as u64) <= most {
        match sys::split() {
            Ok(Forked::Child) => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            Ok(Forked::Parent(pid)) => made.push(pid),
            Err(_) => break,
        }
    }
    for pid in &made {
        let _gone_already = sys::send(*pid, 9);
    }
    let mut ended = 0;
    while ended < made.len() {
        match sys::reap() {
            Some(_) => ended += 1,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    (made.len() as u64) < most
}

/// A process that touches twice the memory limit must not live to tell.
fn memory_stops(bytes: u64, watched: bool) -> bool {
    match sys::split() {
        Ok(Forked::Child) => {
            let _higher_chance_to_be_chosen = std::fs::write("/proc/self/oom_score_adj", "1000");
            let mut hoard = Vec::new();
            for _ in 0..(bytes * 2) / (1024 * 1024) {
                hoard.push(vec![1_u8; 1024 * 1024]);
                if watched {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            sys::leave(i32::from(hoard.iter().all(|block| block[0] == 1)) - 1)
        }
        Ok(Forked::Parent(_)) => loop {
            match sys::reap() {
                Some((_, Ended::Exit(0))) => return false,
                Some(_) => return text_of("/proc/self/status").is_ok(),
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        },
        Err(_) => true,
    }
}
