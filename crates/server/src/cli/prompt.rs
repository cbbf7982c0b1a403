//! Asking at a terminal. Passwords are read with the echo off and never from arguments or variables.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::exit::{Ended, Exit};
use crate::terminal;

/// Prints one line of answer to standard output.
pub(super) fn say(line: &str) -> Result<(), Ended> {
    writeln!(io::stdout(), "{}", terminal::plain(line)).map_err(broken)
}

/// Asks for a line; an empty answer takes what is usual.
pub(super) fn ask(question: &str, usual: Option<&str>) -> Result<String, Ended> {
    match usual {
        Some(usual) => write!(io::stderr(), "{question} [{usual}]: "),
        None => write!(io::stderr(), "{question}: "),
    }
    .map_err(broken)?;
    let line = line()?;
    Ok(if line.is_empty() { usual.unwrap_or_default().to_owned() } else { line })
}

/// Asks for a password that somebody has.
pub(super) fn password(question: &str) -> Result<String, Ended> {
    if !io::stdin().is_terminal() {
        return Err(Ended::new(
            Exit::Usage,
            "A password is asked only at a terminal. Use --password-stdin to pipe it.",
        ));
    }
    write!(io::stderr(), "{question}: ").map_err(broken)?;
    let silent = Silent::begin()?;
    let line = line();
    drop(silent);
    writeln!(io::stderr()).map_err(broken)?;
    line
}

/// Asks for a new password twice.
pub(super) fn new_password() -> Result<String, Ended> {
    let first = password("Password (12 to 128 characters)")?;
    if password("Again")? == first {
        return Ok(first);
    }
    Err(Ended::new(Exit::Usage, "The two passwords differ. Try again."))
}

/// One line of standard input.
pub(super) fn password_line() -> Result<String, Ended> {
    line()
}

fn line() -> Result<String, Ended> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(broken)?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

/// The terminal failed.
pub(super) fn broken(error: io::Error) -> Ended {
    Ended::new(Exit::Io, format!("The terminal cannot be used: {error}."))
}

/// The echo is off while this lives.
pub(super) struct Silent(Termios);

impl Silent {
    /// Switches the echo off.
    pub(super) fn begin() -> Result<Self, Ended> {
        let stdin = io::stdin();
        let before = tcgetattr(stdin.as_fd()).map_err(|error| broken(error.into()))?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(stdin.as_fd(), OptionalActions::Flush, &silent).map_err(|error| broken(error.into()))?;
        Ok(Self(before))
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin().as_fd(), OptionalActions::Flush, &self.0);
    }
}
