//! Tries to reach what is outside: files, processes, sockets.

use crate::{Verdict, called};
use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

pub(crate) fn run(name: &str, rest: &[&str]) -> Option<Verdict> {
    let first = rest.first().copied().unwrap_or_default();
    let second = rest.get(1).copied().unwrap_or_default();
    Some(match name {
        "read" => read_containing(first, second),
        "write" => File::create(first).and_then(|mut file| file.write_all(b"x")).into(),
        "link" => fs::hard_link(first, second).into(),
        "device" => device(first),
        "see-process" => see_process(first),
        "signal-process" => called(i64::from(unsafe { libc::kill(first.parse().unwrap_or(-2), 0) })),
        "tcp" => tcp(first),
        "udp" => UdpSocket::bind("0.0.0.0:0").and_then(|socket| socket.send_to(b"x", first)).into(),
        "abstract" => SocketAddr::from_abstract_name(first).and_then(|a| UnixStream::connect_addr(&a)).into(),
        "socket-file" => UnixStream::connect(first).into(),
        "descriptors" => descriptors(),
        "own-descriptor-of-first" => fs::read_dir("/proc/1/fd").and_then(|_| fs::read_link("/proc/1/fd/3")).into(),
        "find-text" => find_text(first),
        "environment" => {
            if std::env::var_os(first).is_some() {
                Verdict::Through
            } else {
                Verdict::Held("not set".into())
            }
        }
        "host-name" => host_name(first),
        "shared-memory" => called(i64::from(unsafe { libc::shmget(first.parse().unwrap_or(0), 0, 0) })),
        "be-root" => be_root(),
        "kill-all" => called(i64::from(unsafe { libc::kill(-1, libc::SIGKILL) })),
        _ => return None,
    })
}

fn read_containing(path: &str, text: &str) -> Verdict {
    match fs::read(path) {
        Ok(bytes) if bytes.windows(text.len().max(1)).any(|part| part == text.as_bytes()) => Verdict::Through,
        Ok(_) => Verdict::Held("another text".into()),
        Err(error) => Verdict::Held(error.to_string()),
    }
}

fn device(path: &str) -> Verdict {
    let path = std::ffi::CString::new(path).expect("arguments hold no NUL");
    called(i64::from(unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR | 0o666, libc::makedev(1, 3)) }))
}

/// Looks for a process by a word of its command line, other than this very process.
fn see_process(word: &str) -> Verdict {
    let own = std::process::id().to_string();
    let others = fs::read_dir("/proc").into_iter().flatten().flatten().filter(|entry| entry.file_name() != *own);
    let found = others.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok()).any(|line| {
        // This process's own ancestors name the word too, as the argument after the try's name.
        let text = String::from_utf8_lossy(&line).into_owned();
        text.contains(word) && !text.contains("see-process")
    });
    if found { Verdict::Through } else { Verdict::Held("not seen".into()) }
}

fn tcp(address: &str) -> Verdict {
    let address = address.parse().expect("tests give addresses");
    TcpStream::connect_timeout(&address, Duration::from_millis(500)).into()
}

/// Through when there are descriptors beyond 0, 1, 2 and the listing itself.
fn descriptors() -> Verdict {
    let all = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers: Vec<i32> = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let foreign = numbers.iter().filter(|number| **number > 3).count();
    if foreign > 0 { Verdict::Through } else { Verdict::Held(format!("{numbers:?}")) }
}

/// Through when any command line or environment that /proc shows holds the text.
fn find_text(text: &str) -> Verdict {
    let own = std::process::id().to_string();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten().filter(|entry| entry.file_name() != *own) {
        for file in ["cmdline", "environ"] {
            let bytes = fs::read(entry.path().join(file)).unwrap_or_default();
            let found = String::from_utf8_lossy(&bytes);
            if found.contains(text) && !found.contains("find-text") {
                return Verdict::Through;
            }
        }
    }
    Verdict::Held("not found".into())
}

fn host_name(name: &str) -> Verdict {
    let found = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if found.trim() == name { Verdict::Through } else { Verdict::Held(found.trim().to_owned()) }
}

fn be_root() -> Verdict {
    let user = unsafe { libc::geteuid() };
    if user == 0 { Verdict::Through } else { Verdict::Held(io::Error::from_raw_os_error(libc::EPERM).to_string()) }
}
