//! What the tests of the sandbox run, inside and outside: one try to get out by name, or one way of misbehaving. It is no
//! part of what people install, and does no harm where nothing holds it.
//!
//! A try ends with 0 when it got through, with 1 when it was held (and says by which error), with 3 when the machine has
//! no such thing even outside.
#![allow(unsafe_code, reason = "the tries are system calls")]
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "the tries touch files, sockets and processes")]

mod bombs;
mod calls;
mod reach;
mod server;

use std::io;
use std::process::ExitCode;

/// What a try came to.
enum Verdict {
    /// It got through.
    Through,
    /// It was stopped by this error.
    Held(String),
    /// There is nothing to try here.
    Absent,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((name, rest)) = words.split_first() else { return ExitCode::from(2) };
    let verdict = reach::run(name, rest).or_else(|| calls::run(name)).or_else(|| bombs::run(name, rest));
    match verdict.or_else(|| server::run(name, rest)) {
        Some(Verdict::Through) => ExitCode::SUCCESS,
        Some(Verdict::Held(why)) => {
            println!("held {why}");
            ExitCode::FAILURE
        }
        Some(Verdict::Absent) => ExitCode::from(3),
        None => ExitCode::from(2),
    }
}

impl<T> From<io::Result<T>> for Verdict {
    fn from(result: io::Result<T>) -> Verdict {
        match result {
            Ok(_) => Verdict::Through,
            Err(error) => Verdict::Held(error.to_string()),
        }
    }
}

/// The verdict of a raw call: -1 means held.
fn called(result: i64) -> Verdict {
    if result < 0 { Verdict::Held(io::Error::last_os_error().to_string()) } else { Verdict::Through }
}
