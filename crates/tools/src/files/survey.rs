//! Looks at all that lies beneath a folder, whatever it is called, closed names and names that are no text among it. For
//! Riad's own checks before a command runs; what tools show comes from `walk`.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use thiserror::Error;

use super::beneath::Inode;

/// How much is looked at. Each level of folders takes a descriptor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) entries: usize,
    pub(crate) depth: usize,
}

/// One entry.
pub(crate) struct Seen<'a> {
    /// The names from the start on. What is no text in them is replaced.
    pub(crate) way: &'a [String],
    /// Whether all names of the way are text as they stand.
    pub(crate) is_text: bool,
    pub(crate) kind: FileType,
    pub(crate) inode: Inode,
    /// Bytes that it takes on the disk.
    pub(crate) taken: u64,
}

/// How to go on after an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Into it, if it is a folder.
    Into,
    /// Past it.
    Past,
    /// No further at all.
    End,
}

/// Why not all was seen.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Unseen {
    #[error("it holds more than {0} files and folders")]
    TooMany(usize),
    #[error("folders in it lie more than {0} deep")]
    TooDeep(usize),
    #[error("a part of it cannot be looked at ({0})")]
    Closed(String),
}

impl From<Errno> for Unseen {
    fn from(errno: Errno) -> Self {
        Self::Closed(errno.to_string())
    }
}

/// Shows `visit` all entries beneath a folder. An error: there is more than was shown.
pub(crate) fn survey(
    start: BorrowedFd<'_>,
    bounds: Bounds,
    mut visit: impl FnMut(&Seen<'_>) -> Next,
) -> Result<(), Unseen> {
    let mut surveyor = Surveyor { bounds, left: bounds.entries, way: Vec::new(), untold: 0, visit: &mut visit };
    surveyor.folder(rustix::fs::openat(start, ".", FOLDER, Mode::empty())?).map(drop)
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

struct Surveyor<'a> {
    bounds: Bounds,
    left: usize,
    way: Vec<String>,
    /// How many names of the way are no text.
    untold: usize,
    visit: &'a mut dyn FnMut(&Seen<'_>) -> Next,
}

impl Surveyor<'_> {
    fn folder(&mut self, folder: OwnedFd) -> Result<Next, Unseen> {
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.left = self.left.checked_sub(1).ok_or(Unseen::TooMany(self.bounds.entries))?;
            let stat = match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                // It went away meanwhile.
                Err(Errno::NOENT) => continue,
                other => other?,
            };
            let untold = usize::from(name.to_str().is_err());
            self.way.push(name.to_string_lossy().into_owned());
            self.untold += untold;
            let next = self.entry(folder.as_fd(), name, &stat)?;
            self.untold -= untold;
            self.way.pop();
            if next == Next::End {
                return Ok(Next::End);
            }
        }
        Ok(Next::Past)
    }

    fn entry(&mut self, folder: BorrowedFd<'_>, name: &std::ffi::CStr, stat: &Stat) -> Result<Next, Unseen> {
        let kind = FileType::from_raw_mode(stat.st_mode);
        // The unit of `st_blocks` is 512 bytes, whatever the file system's own is (`stat(2)`).
        let taken = u64::try_from(stat.st_blocks).unwrap_or(0) * 512;
        let is_text = self.untold == 0;
        let next = (self.visit)(&Seen { way: &self.way, is_text, kind, inode: Inode::of_stat(stat), taken });
        if next != Next::Into || kind != FileType::Directory {
            return Ok(next);
        }
        if self.way.len() >= self.bounds.depth {
            return Err(Unseen::TooDeep(self.bounds.depth));
        }
        match rustix::fs::openat(folder, name, FOLDER, Mode::empty()) {
            Err(Errno::NOENT) => Ok(Next::Past),
            other => self.folder(other?),
        }
    }
}
