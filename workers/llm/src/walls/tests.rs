//! What must not go through the walls, tried behind them.
#![expect(clippy::disallowed_methods, reason = "the tests try what the walls must refuse")]

use std::fs::{self, File};
use std::io::Read as _;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Command;
use std::thread;

use super::raise;

/// One row of what is tried: a name, and whether it went through.
type Try = (&'static str, Box<dyn Fn() -> bool>);

#[test]
fn behind_the_walls_only_the_model_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let (model, beside, new) =
        (folder.path().join("model.gguf"), folder.path().join("beside.txt"), folder.path().join("new.txt"));
    fs::write(&model, "weights").unwrap();
    fs::write(&beside, "secret").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let place = folder.path().to_path_buf();
    // The walls bind a thread and what it starts: this one only.
    let outcome = thread::spawn(move || {
        assert_eq!(raise(&model), Ok(Vec::new()), "this system has all walls");
        assert_eq!(fs::read_to_string(&model).unwrap(), "weights");
        assert!(fs::metadata("/sys/devices/system/cpu").is_ok());
        assert!(thread::Builder::new().spawn(|| {}).unwrap().join().is_ok(), "threads still start");
        let tries: Vec<Try> = vec![
            ("reading a file beside it", Box::new(move || File::open(&beside).is_ok())),
            ("reading a system file", Box::new(|| File::open("/etc/passwd").is_ok())),
            ("reading the environment of another", Box::new(|| File::open("/proc/1/environ").is_ok())),
            ("reading its own memory map", Box::new(|| File::open("/proc/self/mem").is_ok())),
            ("listing a folder", {
                let place = place.clone();
                Box::new(move || fs::read_dir(&place).is_ok())
            }),
            ("making a file", {
                let new = new.clone();
                Box::new(move || File::create(&new).is_ok())
            }),
            ("writing the model", {
                let model = model.clone();
                Box::new(move || File::options().write(true).open(&model).is_ok())
            }),
            ("removing the model", {
                let model = model.clone();
                Box::new(move || fs::remove_file(&model).is_ok())
            }),
            ("a link", Box::new(move || std::os::unix::fs::symlink(&model, &new).is_ok())),
            ("a file in /tmp", Box::new(|| File::create("/tmp/riad-walls").is_ok())),
            ("shared memory", Box::new(|| File::create("/dev/shm/riad-walls").is_ok())),
            ("connecting", Box::new(move || TcpStream::connect(address).is_ok())),
            ("listening", Box::new(|| TcpListener::bind("127.0.0.1:0").is_ok())),
            ("a datagram socket", Box::new(|| UdpSocket::bind("127.0.0.1:0").is_ok())),
            ("a local socket", Box::new(move || UnixListener::bind(place.join("s")).is_ok())),
            ("a socket pair", Box::new(|| UnixStream::pair().is_ok())),
            ("a program", Box::new(|| Command::new("/bin/true").status().is_ok())),
            ("a shell", Box::new(|| Command::new("/bin/sh").arg("-c").arg("true").status().is_ok())),
        ];
        tries.into_iter().filter(|(_, attempt)| attempt()).map(|(name, _)| name).collect::<Vec<_>>()
    });
    assert_eq!(outcome.join().unwrap(), Vec::<&str>::new(), "nothing went through");
}

/// How many filters of system calls the kernel runs for a thread, as its opened status says.
fn filters(mut status: File) -> usize {
    let mut text = String::new();
    status.read_to_string(&mut text).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("Seccomp_filters:"));
    line.expect("a kernel since 5.9 counts them").trim().parse().unwrap()
}

#[test]
fn all_filters_stand_the_one_against_numbers_of_another_kind_among_them() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.gguf");
    fs::write(&model, "weights").unwrap();
    let (before, after) = thread::spawn(move || {
        // Opened before the walls, behind which it cannot be.
        let open = || File::open("/proc/thread-self/status").unwrap();
        let (first, second) = (open(), open());
        let before = filters(first);
        raise(&model).unwrap();
        (before, filters(second))
    })
    .join()
    .unwrap();
    let stand = super::calls::programs(super::refused_calls().unwrap()).unwrap().len();
    assert_eq!((after - before, stand), (3, 3));
}

#[test]
fn whatever_a_command_may_not_call_the_worker_may_not_either() {
    let refused = super::refused_calls().unwrap();
    let lacking: Vec<_> =
        sandbox::calls::refused_to_all().into_keys().filter(|call| !refused.contains_key(call)).collect();
    assert_eq!(lacking, Vec::<i64>::new());
}
