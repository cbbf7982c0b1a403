//! Opens, lists and changes what lies beneath a root, by handles alone. No path is resolved and then opened.
//!
//! A way is walked name by name from the root's handle. Each name is opened without following it; a link is read and
//! walked in its place, and neither it nor `..` may leave the root. So the names that are known at the end are the real
//! ones, and each folder on the way was looked at: whether it is denied, by name and by inode. Type, link count, inode
//! and content come from handles, never from a path. Only folders and regular files with one link are opened.

mod change;
mod facts;
mod fault;
mod read;
mod walk;

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

use domain::place::{self, Guarded, PATH_BYTES, guarded};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

pub use facts::{FileFacts, Inode, Item, ItemKind};
pub use fault::Fault;
use walk::Walk;

/// The longest file that is read into memory at once (8 MiB): the largest that a tool changes.
pub const WHOLE_BYTES: u64 = 8 * 1024 * 1024;
/// The longest file whose content is hashed for a fact (16 MiB).
pub const HASHED_BYTES: u64 = 16 * 1024 * 1024;

/// How a folder is opened to be read.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What may be done beneath a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Reading and listing.
    Read,
    /// Changing too.
    Write,
}

/// A root folder and all that may be reached beneath it.
#[derive(Debug)]
pub struct Beneath {
    root: OwnedFd,
    rights: Rights,
    /// Ways below the root that are closed, as real names.
    denied: Vec<Vec<String>>,
    /// Folders and files that are closed wherever they turn up.
    kept: Arc<[Inode]>,
    /// The user on this machine to whom new files belong, where it is not the server's own.
    owner: Option<u32>,
}

/// A place beneath a root, found on the real tree.
#[derive(Debug)]
pub struct Spot {
    /// The real names from the root on, links followed and dots resolved; those that are missing stand at the end.
    pub parts: Vec<String>,
    /// What lies there.
    pub found: Found,
    /// The folder that holds it, or the last one that exists.
    folder: Arc<OwnedFd>,
}

/// What lies at a place.
#[derive(Debug)]
pub enum Found {
    /// A folder.
    Folder(Arc<OwnedFd>),
    /// A regular file.
    File(FileFacts),
    /// Nothing; this many of the last names are missing.
    Absent {
        /// Names that would have to be made, the last one among them.
        missing: usize,
    },
}

impl Beneath {
    /// A root by its handle (`O_PATH` is enough). `kept` are closed wherever they turn up.
    pub fn new(root: OwnedFd, rights: Rights, kept: Arc<[Inode]>) -> Self {
        Self { root, rights, denied: Vec::new(), kept, owner: None }
    }

    /// Closes a way below the root.
    #[must_use]
    pub fn deny(mut self, way: &[&str]) -> Self {
        self.denied.push(way.iter().map(|name| (*name).to_owned()).collect());
        self
    }

    /// Gives new files and folders to a user of this machine, as whom commands run.
    #[must_use]
    pub fn owned_by(mut self, owner: Option<u32>) -> Self {
        self.owner = owner;
        self
    }

    /// The handle of the root.
    pub fn handle(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// What may be done beneath it.
    pub fn rights(&self) -> Rights {
        self.rights
    }

    /// Finds what lies at the end of a way. `parts` may hold `..`.
    pub fn find(&self, parts: &[String]) -> Result<Spot, Fault> {
        parts.iter().filter(|part| *part != "..").try_for_each(|part| place::check_name(part))?;
        if parts.iter().map(|part| part.len() + 1).sum::<usize>() > PATH_BYTES {
            return Err(Fault::TooLong);
        }
        Walk::new(self, parts)?.run()
    }

    /// The entry `name` of a folder that was found, without following it if it is a link.
    pub fn enter(&self, folder: &Spot, name: &str) -> Result<Spot, Fault> {
        let Found::Folder(handle) = &folder.found else { return Err(not_a_folder(folder)) };
        let mut folders: Vec<(Arc<OwnedFd>, String)> =
            folder.parts.iter().map(|part| (Arc::clone(handle), part.clone())).collect();
        folders.insert(0, (Arc::clone(handle), String::new()));
        // A link would need the folders above, and all places here hold this handle: none is followed.
        Walk::one_on(self, folders, name).run()
    }

    /// Whether real names are closed, by name.
    fn is_denied(&self, parts: &[String]) -> bool {
        guarded(parts) == Some(Guarded::Hidden) || self.denied.iter().any(|way| parts.starts_with(way))
    }

    /// Whether a tool may change what lies at a spot.
    pub fn check_write(&self, spot: &Spot) -> Result<(), Fault> {
        if self.rights == Rights::Read {
            return Err(Fault::ReadOnly);
        }
        if spot.parts.is_empty() {
            return Err(Fault::IsTheRoot);
        }
        // What a folder holds goes where the folder goes, so a folder above a denied way is as closed as that way.
        if self.denied.iter().any(|way| way.starts_with(&spot.parts)) {
            return Err(Fault::Denied);
        }
        match guarded(&spot.parts) {
            Some(Guarded::Hidden) => Err(Fault::Denied),
            Some(Guarded::Unwritable) => Err(Fault::Unwritable),
            None => Ok(()),
        }
    }

    /// Whether a folder or file is closed wherever it turns up.
    pub(crate) fn is_kept(&self, inode: Inode) -> bool {
        self.kept.contains(&inode)
    }

    /// Makes a folder at the top of the root if there is none.
    pub(crate) fn ensure_folder(&self, name: &str) -> Result<(), Fault> {
        match rustix::fs::mkdirat(&self.root, name, Mode::from_raw_mode(0o755)) {
            Ok(()) => self.give(open_one(self.root.as_fd(), name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?.as_fd()),
            Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl Spot {
    /// The file that lies there.
    pub fn file(&self) -> Result<&FileFacts, Fault> {
        match &self.found {
            Found::File(facts) if facts.links > 1 => Err(Fault::HardLink),
            Found::File(facts) => Ok(facts),
            Found::Folder(_) if self.parts.is_empty() => Err(Fault::IsTheRoot),
            Found::Folder(_) => Err(Fault::IsAFolder),
            Found::Absent { .. } => Err(Fault::Absent),
        }
    }

    fn name(&self) -> Result<&str, Fault> {
        self.parts.last().map(String::as_str).ok_or(Fault::IsTheRoot)
    }
}

fn not_a_folder(spot: &Spot) -> Fault {
    match &spot.found {
        Found::Absent { .. } => Fault::Absent,
        Found::Folder(_) | Found::File(_) => Fault::NotAFolder(spot.parts.last().cloned().unwrap_or_default()),
    }
}

/// Opens one name of a folder and follows nothing.
fn open_one(folder: BorrowedFd<'_>, name: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    // A link as the thing opened itself is what `NOFOLLOW` with `PATH` asks for, and `NO_SYMLINKS` would refuse.
    let resolve = if flags.contains(OFlags::PATH) { resolve - ResolveFlags::NO_SYMLINKS } else { resolve };
    match rustix::fs::openat2(folder, name, flags, mode, resolve) {
        // An old kernel, or a filter that does not know the call: one name without a slash, not followed, is the same.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::openat(folder, name, flags | OFlags::NOFOLLOW, mode),
        // The kernel asks for another try when something is renamed meanwhile.
        Err(Errno::AGAIN) => rustix::fs::openat(folder, name, flags | OFlags::NOFOLLOW, mode),
        other => other,
    }
}
