//! What a command may see and use, as a plain value. It is checked here for sense (places, doubles, names); whether it
//! is *allowed* was decided elsewhere, and whether it can be *built* is the backend's business.

use crate::refusal::Refusal;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// One command and its walls. Everything that is not named here is not there inside.
#[derive(Debug)]
pub struct Confinement {
    /// What it is for, as the record and the log name it ("shell", "python", "connector files").
    pub purpose: String,
    /// The program and its arguments; the program is a name to be found in `/usr/bin`, or a path inside.
    pub arguments: Vec<String>,
    /// The whole environment: nothing is inherited.
    pub environment: Vec<(String, String)>,
    /// The folder inside to start in.
    pub directory: PathBuf,
    /// What is mounted where.
    pub mounts: Vec<Mount>,
    /// What it may reach.
    pub network: Network,
    /// What its standard input is.
    pub stdin: Stdin,
    /// How much it may use.
    pub limits: Limits,
    /// The host user (and group of the same number) it runs as outside. Needed when the server is root; 10000 and up.
    pub host_uid: Option<u32>,
}

impl Confinement {
    /// A command with no mounts, the default limits and the usual environment, starting in `/tmp`.
    pub fn new(purpose: impl Into<String>, arguments: impl IntoIterator<Item = impl Into<String>>) -> Confinement {
        Confinement {
            purpose: purpose.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            environment: usual_environment(),
            directory: PathBuf::from("/tmp"),
            mounts: Vec::new(),
            network: Network::None,
            stdin: Stdin::Empty,
            limits: Limits::default(),
            host_uid: None,
        }
    }

    /// Adds a folder (or file) by handle.
    pub fn mount(mut self, source: OwnedFd, place: impl Into<PathBuf>, access: Access) -> Confinement {
        self.mounts.push(Mount { source: Source::Handle(source), place: place.into(), access });
        self
    }
}

/// The part of REACH-56 that holds for every command: programs find each other, text and dates are the same
/// everywhere, nothing waits for a terminal.
pub fn usual_environment() -> Vec<(String, String)> {
    const USUAL: [(&str, &str); 12] = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/home/user"),
        ("USER", "user"),
        ("LOGNAME", "user"),
        ("TMPDIR", "/tmp"),
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("TERM", "dumb"),
        ("NO_COLOR", "1"),
        ("PAGER", "cat"),
        ("GIT_PAGER", "cat"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ];
    USUAL.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Something put at a place inside.
#[derive(Debug)]
pub struct Mount {
    /// What.
    pub source: Source,
    /// Where inside: an absolute path without `..`.
    pub place: PathBuf,
    /// Whether it may be written to.
    pub access: Access,
}

/// What is mounted.
#[derive(Debug)]
pub enum Source {
    /// A folder or file of the host, opened by the caller beneath its root with no link followed (`O_PATH` is enough).
    Handle(OwnedFd),
    /// Fresh memory-backed space of at most this many bytes, gone at the end of the call.
    Scratch(u64),
}

/// Whether a mount may be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading only.
    ReadOnly,
    /// Reading and writing.
    ReadWrite,
}

/// What a command may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// Nothing, not even the host's loopback.
    #[default]
    None,
}

/// What standard input is.
#[derive(Debug, Default)]
pub enum Stdin {
    /// At its end from the start.
    #[default]
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
    /// An open file.
    File(OwnedFd),
    /// A pipe that the caller writes to, `Running::stdin`.
    Piped,
}

/// How much a command may use (REACH-57, 64).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Memory of everything inside together, in bytes.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Processors' worth of time.
    pub processors: u32,
    /// The greatest file, in bytes.
    pub file_bytes: u64,
    /// Open descriptors of one process.
    pub descriptors: u64,
    /// The size of `/tmp`, in bytes.
    pub tmp_bytes: u64,
    /// The size of `/dev/shm`, in bytes.
    pub shm_bytes: u64,
    /// Characters of stdout and stderr together that are kept for reading, head and tail.
    pub output_chars: usize,
    /// Bytes of each stream that are kept for storing.
    pub stored_bytes: usize,
    /// How long it may run; nothing means until it is ended.
    pub deadline: Option<Duration>,
    /// How long after TERM comes KILL.
    pub grace: Duration,
}

const MIB: u64 = 1024 * 1024;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            memory_bytes: 1024 * MIB,
            processes: 128,
            processors: 2,
            file_bytes: 256 * MIB,
            descriptors: 1024,
            tmp_bytes: 64 * MIB,
            shm_bytes: 64 * MIB,
            output_chars: 8192,
            stored_bytes: 16 * MIB as usize,
            deadline: Some(Duration::from_secs(120)),
            grace: Duration::from_secs(2),
        }
    }
}

/// Places that are made by the backend, where nothing else may be put, neither on them nor beneath.
const TAKEN: [&str; 11] = ["/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/sys", "/dev", "/tmp", "/run"];

/// The lowest host user that may be given: below are the system's and people's own.
const FIRST_HOST_UID: u32 = 10_000;

/// Sees that a confinement makes sense, and sorts its mounts so that outer ones come first.
pub(crate) fn check(confinement: &mut Confinement) -> Result<(), Refusal> {
    let bad = |text: String| Err(Refusal::BadConfinement(text));
    if confinement.arguments.first().is_none_or(String::is_empty) {
        return bad("no program is named".to_owned());
    }
    let words = confinement.arguments.iter().chain(confinement.environment.iter().flat_map(|(n, v)| [n, v]));
    if words.into_iter().any(|word| word.contains('\0')) {
        return bad("an argument or variable holds a NUL".to_owned());
    }
    if let Some((name, _)) = confinement.environment.iter().find(|(name, _)| name.is_empty() || name.contains('=')) {
        return bad(format!("\"{name}\" is no name of a variable"));
    }
    if confinement.host_uid.is_some_and(|uid| uid < FIRST_HOST_UID || uid == u32::MAX) {
        return bad(format!("a host uid must be {FIRST_HOST_UID} or above"));
    }
    check_place(&confinement.directory, "directory")?;
    confinement.mounts.sort_by(|a, b| a.place.cmp(&b.place));
    for mount in &confinement.mounts {
        check_mount_place(&mount.place)?;
    }
    if let Some([a, _]) =
        confinement.mounts.windows(2).find(|pair| pair[0].place == pair[1].place).and_then(|p| p.first_chunk())
    {
        return bad(format!("two mounts are at {}", a.place.display()));
    }
    Ok(())
}

fn check_place(place: &Path, what: &str) -> Result<(), Refusal> {
    let is_plain = place.is_absolute()
        && place.components().skip(1).all(|part| matches!(part, Component::Normal(_)))
        && place.to_str().is_some_and(|text| !text.contains('\0') && !text.contains("//") && !text.contains("/./"));
    if is_plain {
        Ok(())
    } else {
        Err(Refusal::BadConfinement(format!("the {what} {} is no plain absolute path", place.display())))
    }
}

fn check_mount_place(place: &Path) -> Result<(), Refusal> {
    check_place(place, "mount place")?;
    let is_taken =
        place.parent().is_none() || place.ends_with("/") || TAKEN.iter().any(|taken| place.starts_with(taken));
    let is_trailing = place.as_os_str().as_encoded_bytes().ends_with(b"/");
    if is_taken || is_trailing {
        return Err(Refusal::BadConfinement(format!("nothing can be mounted at {}", place.display())));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
