//! The exit codes of every command (UI-30), and the error that carries one to `main`. Not here: what went wrong in
//! a library, which has its own types.

use std::fmt;
use std::process::ExitCode;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Failed, or a check found something.
    Failed = 1,
    /// Bad use: an unknown flag or a missing value.
    Usage = 2,
    /// What was named does not exist.
    NotFound = 3,
    /// Not allowed.
    NotAllowed = 4,
    /// It waits for a person.
    Waits = 5,
    /// Somebody else was first.
    Conflict = 6,
    /// No server answers.
    NoServer = 7,
    /// The data is damaged or from a newer release (`EX_DATAERR` of sysexits.h).
    BadData = 65,
    /// Input or output failed (`EX_IOERR`).
    Io = 74,
    /// In use by another process (`EX_TEMPFAIL`).
    Busy = 75,
    /// The configuration is wrong (`EX_CONFIG`).
    Config = 78,
    /// Interrupted by the person.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command ended, for the person at the terminal: what happened and the next step.
#[derive(Debug)]
pub struct Ended {
    /// The code.
    pub exit: Exit,
    /// One or two sentences; several lines when several things are wrong.
    pub says: String,
}

impl Ended {
    /// An end with these words.
    pub fn new(exit: Exit, says: impl fmt::Display) -> Self {
        Self { exit, says: says.to_string() }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.says)
    }
}

impl std::error::Error for Ended {}
