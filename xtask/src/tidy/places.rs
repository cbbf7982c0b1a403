//! Acts that have one place each: `unsafe`, starting a process, going out to the network.

use super::Finding;
use crate::rust_text::Line;
use crate::tree::{self, Tree};

/// `unsafe` stands in `sandbox`, and in one file of each worker: the border to its native engine.
pub(super) fn unsafe_code(tree: &Tree) -> Vec<Finding> {
    let files: Vec<(&str, Vec<usize>)> =
        tree.rust().map(|(path, lines)| (path, lines_with(&lines, &["unsafe"], true))).collect();
    let files = files.into_iter().filter(|(path, found)| !found.is_empty() && !path.starts_with("crates/sandbox/"));
    let (workers, others): (Vec<_>, Vec<_>) = files.partition(|(path, _)| path.starts_with("workers/"));
    let second = workers
        .iter()
        .enumerate()
        .filter(|(at, file)| workers[..*at].iter().any(|earlier| worker_of(earlier.0) == worker_of(file.0)));
    let second = second.map(|(_, (path, found))| Finding::at(path, found[0], "a worker keeps `unsafe` in one file"));
    let elsewhere = others.iter().map(|(path, found)| {
        Finding::at(path, found[0], "`unsafe` stands in crates/sandbox and in one file of each worker")
    });
    second.chain(elsewhere).collect()
}

fn worker_of(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or_default()
}

const STARTS: &[&str] =
    &["process::Command", "Command::new", "CommandExt", "posix_spawn", "libc::fork", "libc::execv", "libc::clone"];

/// Commands start in `sandbox`, workers in the supervisor of `inference`.
pub(super) fn process_start(tree: &Tree) -> Vec<Finding> {
    let files = tree.rust().filter(|(path, _)| !may_start_processes(path));
    files.flat_map(|(path, lines)| {
        let says = "processes start in crates/sandbox and in the supervisor of crates/inference: describe the command and hand it over";
        lines_with(&lines, STARTS, false).into_iter().map(move |at| Finding::at(path, at, says)).collect::<Vec<_>>()
    }).collect()
}

/// Whether a file may start processes, and so speaks of them in the operating system's words.
pub(super) fn may_start_processes(path: &str) -> bool {
    let supervisor = path.starts_with("crates/inference/src/") && path.contains("supervisor");
    let folders = ["crates/sandbox/", "xtask/"];
    supervisor || folders.iter().any(|folder| path.starts_with(folder)) || is_build_script(path) || tree::is_test(path)
}

fn is_build_script(path: &str) -> bool {
    path.starts_with("workers/") && path.ends_with("/build.rs")
}

const OUT: &[&str] = &[
    "TcpStream::connect",
    "TcpSocket::new",
    "UdpSocket",
    "ToSocketAddrs",
    "to_socket_addrs",
    "lookup_host",
    "getaddrinfo",
    "HttpConnector",
];

/// Only `egress` resolves names and connects.
pub(super) fn way_out(tree: &Tree) -> Vec<Finding> {
    let files = tree
        .rust()
        .filter(|(path, _)| !path.starts_with("crates/egress/") && !path.starts_with("xtask/") && !tree::is_test(path));
    files
        .flat_map(|(path, lines)| {
            let says = "only crates/egress resolves names and connects: ask it";
            lines_with(&lines, OUT, false).into_iter().map(move |at| Finding::at(path, at, says)).collect::<Vec<_>>()
        })
        .collect()
}

/// The numbers of the lines whose code holds one of the words; test modules count only when asked for.
fn lines_with(lines: &[Line], words: &[&str], in_tests: bool) -> Vec<usize> {
    let numbered = lines.iter().enumerate().filter(|(_, line)| in_tests || !line.test);
    numbered.filter(|(_, line)| words.iter().any(|word| has_word(&line.code, word))).map(|(at, _)| at + 1).collect()
}

/// Whether the word stands in the code with no letter before or behind it.
fn has_word(code: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| !code[..at].ends_with(joins) && !code[at + word.len()..].starts_with(joins))
}
