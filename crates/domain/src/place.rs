//! Where a path that a model or a person wrote lies: a root of the agent namespace and a way below it. Judged from the
//! text alone; what really lies there, links among it, is found by the file layer of `tools`.
//!
//! The first component decides the root, before anything is normalised: `work/`, `user-memory/`, else the home (`~/` or
//! relative). `..` stays in the way below the root, since only the real tree says where it leads; it may not count up
//! beyond the root.

use std::fmt;

use thiserror::Error;

use crate::facts::Root;
use crate::letters::{fold, is_bidi, skeleton};

mod denied;

pub use denied::{Guarded, guarded};

/// The longest name of a file or folder, in bytes (`NAME_MAX` of Linux).
pub const NAME_BYTES: usize = 255;
/// The longest path, in bytes (`PATH_MAX` of Linux without its end mark).
pub const PATH_BYTES: usize = 4095;
/// The longest path of a note, in bytes.
pub const NOTE_PATH_BYTES: usize = 200;
/// The most folders a note lies in, itself counted.
pub const NOTE_DEPTH: usize = 6;

/// The name under which a sandboxed command sees the home.
pub const MOUNTED_HOME: &str = "/home/user";
/// The name under which a sandboxed command sees the work folder.
pub const MOUNTED_WORK: &str = "/home/user/work";

/// Roots of the namespace that exist, as a refusal lists them.
pub const ROOTS: &str = "~/ (the home), work/ (this conversation's work folder), user-memory/ (private notes)";

/// Names that the namespace keeps for roots, those among them that are not there yet.
const KEPT: &[&str] = &["work", "user-memory", "shared-memory", "shared", "projects", "uploads", "skills", "docs"];

/// A place in the agent namespace, as far as text can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The root.
    pub root: Root,
    /// The names below it; `..` may be among them, `.` and empty ones are not.
    pub parts: Vec<String>,
}

/// Why a path names no place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlaceFault {
    /// It starts at the root of the file system.
    #[error("absolute paths are not used here; {}", .0.as_ref().map_or_else(roots, |right| format!("write `{right}`")))]
    Absolute(Option<String>),
    /// A root that is not there yet.
    #[error("`{0}/` is not there yet; the roots are {ROOTS}")]
    NotYet(String),
    /// A root in other letters.
    #[error("`{written}` looks like the root `{root}/` and is not it; the roots are {ROOTS}")]
    LooksLikeRoot {
        /// As written.
        written: String,
        /// The root it may be taken for.
        root: &'static str,
    },
    /// A home folder that has the name of a root.
    #[error("the name `{0}` at the top of the home is kept for the root `{0}/`; choose another name or write `{0}/…`")]
    KeptName(String),
    /// `..` leads above the root.
    #[error("`..` leads out of the root; the roots are {ROOTS}")]
    AboveRoot,
    /// A name that is not used on some system.
    #[error(transparent)]
    Name(#[from] NameFault),
    /// More than [`PATH_BYTES`], for notes [`NOTE_PATH_BYTES`].
    #[error("the path is longer than {0} bytes; choose shorter names")]
    TooLong(usize),
    /// More than [`NOTE_DEPTH`].
    #[error("notes lie at most {NOTE_DEPTH} folders deep; choose a shorter path")]
    TooDeep,
}

fn roots() -> String {
    format!("the roots are {ROOTS}")
}

/// Why a name is refused, on every system alike.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameFault {
    /// NUL, control, or a character that turns the direction of text.
    #[error("a name holds the character U+{:04X}, which nobody sees; leave it out", u32::from(*.0))]
    Unseen(char),
    /// A backslash.
    #[error("`\\` is not used in names; folders are parted by `/`")]
    Backslash,
    /// A colon, which opens a second stream of a file on some systems.
    #[error("`:` is not used in names, since some systems take it for a drive or a stream; leave it out")]
    Colon,
    /// A dot or a blank at the end, which some systems drop.
    #[error("the name `{0}` ends in a dot or a blank; leave that out")]
    LooseEnd(String),
    /// A name that means a device on some systems.
    #[error("`{0}` is the name of a device on some systems; choose another")]
    Device(String),
    /// The short form of a longer name on some systems.
    #[error("`{0}` may be the short form of another name; write the whole name")]
    ShortForm(String),
    /// More than [`NAME_BYTES`].
    #[error("a name is longer than {NAME_BYTES} bytes; shorten it")]
    TooLong,
}

impl Place {
    /// Reads a path of the agent namespace.
    pub fn read(text: &str) -> Result<Self, PlaceFault> {
        if text.len() > PATH_BYTES {
            return Err(PlaceFault::TooLong(PATH_BYTES));
        }
        if text.starts_with('/') {
            check_names(text)?;
            return Err(PlaceFault::Absolute(mounted(text)));
        }
        let (first, rest) = text.split_once('/').unwrap_or((text, ""));
        let (root, below) = match first {
            "~" => (Root::Home, rest),
            "work" => (Root::Work, rest),
            "user-memory" => (Root::Notes, rest),
            _ => {
                check_first(first)?;
                (Root::Home, text)
            }
        };
        let parts = names(below)?;
        let normal = normalise(&parts).ok_or(PlaceFault::AboveRoot)?;
        match (root, normal.first()) {
            (Root::Home, Some(name)) if KEPT.contains(&name.as_str()) => Err(PlaceFault::KeptName(name.clone())),
            // Notes are no tree of links, so dots can be resolved here.
            (Root::Notes, _) => Self { root, parts: normal }.check_note(),
            (Root::Home | Root::Work, _) => Ok(Self { root, parts }),
        }
    }

    fn check_note(self) -> Result<Self, PlaceFault> {
        if self.below().len() > NOTE_PATH_BYTES {
            return Err(PlaceFault::TooLong(NOTE_PATH_BYTES));
        }
        if self.parts.len() > NOTE_DEPTH {
            return Err(PlaceFault::TooDeep);
        }
        Ok(self)
    }

    /// The way below the root, without a slash at either end; empty for the root itself.
    pub fn below(&self) -> String {
        self.parts.join("/")
    }

    /// Whether it is the root itself.
    pub fn is_root(&self) -> bool {
        normalise(&self.parts).is_some_and(|parts| parts.is_empty())
    }
}

impl fmt::Display for Place {
    /// The path in its one spelling: `~/a/b`, `work/a`, `user-memory/a`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", root_name(self.root), self.below())
    }
}

/// The first component of a root's paths.
pub fn root_name(root: Root) -> &'static str {
    match root {
        Root::Home => "~",
        Root::Work => "work",
        Root::Notes => "user-memory",
    }
}

/// The names of a path below a root, each judged; `.` and empty ones are left out, `..` is kept.
pub fn names(path: &str) -> Result<Vec<String>, NameFault> {
    check_names(path)?;
    Ok(path.split('/').filter(|name| !matches!(*name, "" | ".")).map(str::to_owned).collect())
}

fn check_names(path: &str) -> Result<(), NameFault> {
    path.split('/').filter(|name| !matches!(*name, "" | "." | "..")).try_for_each(check_name)
}

/// Judges one name by the rules of every system (PEOPLE-77; Win32 file naming rules).
pub fn check_name(name: &str) -> Result<(), NameFault> {
    if name.len() > NAME_BYTES {
        return Err(NameFault::TooLong);
    }
    if let Some(unseen) = name.chars().find(|c| c.is_control() || is_bidi(*c) || matches!(*c, '\u{2028}' | '\u{2029}'))
    {
        return Err(NameFault::Unseen(unseen));
    }
    if name.contains('\\') {
        return Err(NameFault::Backslash);
    }
    if name.contains(':') {
        return Err(NameFault::Colon);
    }
    if name.ends_with(['.', ' ']) && name != ".." && name != "." {
        return Err(NameFault::LooseEnd(name.to_owned()));
    }
    if is_device(name) {
        return Err(NameFault::Device(name.to_owned()));
    }
    if is_short_form(name) {
        return Err(NameFault::ShortForm(name.to_owned()));
    }
    Ok(())
}

/// `con`, `nul.txt`, `COM1`, …: a device whatever ending follows.
fn is_device(name: &str) -> bool {
    let folded = fold(name);
    let stem = folded.split('.').next().unwrap_or("").trim_end();
    let numbered = |kind: &str| {
        stem.strip_prefix(kind)
            .is_some_and(|number| number.chars().count() == 1 && number.chars().all(|c| c.is_numeric()))
    };
    matches!(stem, "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" | "clock$")
        || numbered("com")
        || numbered("lpt")
}

/// `PRIVAT~1`, `SOMEFI~2.TXT`: the 8.3 form that some systems make of a longer name.
fn is_short_form(name: &str) -> bool {
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let Some((start, number)) = stem.rsplit_once('~') else { return false };
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    digits && !start.is_empty() && stem.chars().count() <= 8 && ending.chars().count() <= 3
}

/// The first component of a path that is no root: it must not be taken for one.
fn check_first(first: &str) -> Result<(), PlaceFault> {
    if KEPT.contains(&first) {
        return Err(PlaceFault::NotYet(first.to_owned()));
    }
    check_names(first)?;
    let seen = skeleton(first);
    let written = first.to_owned();
    if let Some(root) = KEPT.iter().find(|root| skeleton(root) == seen) {
        return Err(PlaceFault::LooksLikeRoot { written, root });
    }
    let tildes = ['~', '\u{02DC}', '\u{223C}', '\u{FF5E}', '\u{301C}', '\u{2053}'];
    if first.starts_with(tildes) {
        return Err(PlaceFault::LooksLikeRoot { written, root: "~" });
    }
    Ok(())
}

/// The names with `..` taken literally. `None`: it leads above the start.
pub fn normalise(parts: &[String]) -> Option<Vec<String>> {
    let mut normal: Vec<String> = Vec::new();
    for part in parts {
        if part == ".." {
            normal.pop()?;
        } else {
            normal.push(part.clone());
        }
    }
    Some(normal)
}

/// The right spelling of a path as a sandboxed command sees it.
fn mounted(text: &str) -> Option<String> {
    let below = text.strip_prefix(MOUNTED_HOME)?;
    let below = if below.is_empty() { "/" } else { below };
    let below = below.strip_prefix('/')?;
    let first = below.split('/').next().unwrap_or("");
    if KEPT.contains(&first) {
        return matches!(first, "work").then(|| below.to_owned());
    }
    Some(format!("~/{below}"))
}

#[cfg(test)]
mod tests;
