//! What commands print and read at a terminal, and its echo. Passwords never come from arguments or variables. Questions
//! are asked by `input`.

use std::io::{self, BufRead as _, Write as _};
use std::os::fd::AsFd as _;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::exit::{Ended, Exit};
use crate::terminal;

/// Prints one line of answer to standard output.
pub(super) fn say(line: &str) -> Result<(), Ended> {
    writeln!(io::stdout(), "{}", terminal::plain(line)).map_err(broken)
}

/// A password that another program pipes in: one line of standard input.
pub(super) fn password_line() -> Result<String, Ended> {
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
