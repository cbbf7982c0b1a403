//! Opens, lists and changes what lies beneath a root, by handles alone. No path is resolved and then opened.
//!
//! A way is walked name by name from the root's handle. Each name is opened without following it; a link is read and
//! walked in its place, and neither it nor `..` may leave the root. So the names that are known at the end are the real
//! ones, and each folder on the way was looked at: whether it is denied, by name and by inode. Type, link count, inode
//! and content come from handles, never from a path. Only folders and regular files with one link are opened.

mod change;
mod walk;

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

use domain::place::{self, Guarded, NameFault, PATH_BYTES, guarded};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use thiserror::Error;

use walk::Walk;

/// The longest file that is read into memory at once (8 MiB): the largest that a tool changes.
pub const WHOLE_BYTES: u64 = 8 * 1024 * 1024;
/// The longest file whose content is hashed for a fact (16 MiB).
pub const HASHED_BYTES: u64 = 16 * 1024 * 1024;

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

/// What names a file or folder on this machine, whatever its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Inode {
    device: u64,
    number: u64,
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

/// What a handle says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFacts {
    /// Which file it is.
    pub inode: Inode,
    /// Bytes.
    pub size: u64,
    /// Last change of content, milliseconds since 1970.
    pub changed: i64,
    /// Permission bits.
    mode: u32,
    /// Names that lead to it.
    links: u64,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ItemKind,
    /// Bytes, for a file.
    pub size: u64,
    /// Last change, milliseconds since 1970.
    pub changed: i64,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A link; where it leads is found by opening it.
    Link,
    /// A device, pipe or socket; never opened.
    Special,
}

/// Why something beneath a root was not opened or changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// A name is refused as text.
    #[error("{0}")]
    Name(#[from] NameFault),
    /// It, or a folder on the way, is not there.
    #[error("there is nothing at this path; list the folder to see what there is")]
    Absent,
    /// A file stands where a folder is needed.
    #[error("`{0}` on this path is a file and no folder")]
    NotAFolder(String),
    /// A folder stands where a file is needed.
    #[error("this is a folder; name a file in it, or list it")]
    IsAFolder,
    /// The root itself was to be read or changed as a file.
    #[error("this is the root itself; name something in it")]
    IsTheRoot,
    /// `..` or a link leads out of the root.
    #[error("the path leads out of its root; stay below it")]
    LeadsOut,
    /// Links lead to each other.
    #[error("links on this path lead in a circle")]
    Circle,
    /// A link leads to nothing, and nothing is made through it.
    #[error("this is a link that leads to nothing; nothing is written through it, choose another name")]
    DanglingLink,
    /// Closed to tools.
    #[error("this place is closed to tools; it holds keys or Riad's own files, and no spelling opens it")]
    Denied,
    /// Not to be written by tools.
    #[error("tools do not write this file, since it decides what other programs start; ask the person to change it")]
    Unwritable,
    /// The root may only be read.
    #[error("this root can only be read; write below another one")]
    ReadOnly,
    /// A device, pipe or socket.
    #[error("this is no regular file (a device, pipe or socket) and is not opened")]
    Special,
    /// The file has more than one name.
    #[error("this file has another name elsewhere (a hard link) and is not opened; copy it first")]
    HardLink,
    /// Something is there already.
    #[error("there is something at this path already")]
    Exists,
    /// The file is another one than it was when it was looked at.
    #[error("the file has changed since it was looked at; nothing was written, read it again")]
    Changed,
    /// The file is too large for what was asked.
    #[error("the file has {0} bytes, more than can be handled at once; read a part, or search in it")]
    TooLarge(u64),
    /// The path is too long.
    #[error("the path is longer than {PATH_BYTES} bytes; choose shorter names")]
    TooLong,
    /// The system refused.
    #[error("the system refused it ({0}); nothing was changed")]
    System(String),
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::Absent,
            Errno::LOOP => Self::Circle,
            Errno::XDEV => Self::LeadsOut,
            Errno::NAMETOOLONG => Self::TooLong,
            Errno::EXIST => Self::Exists,
            Errno::ISDIR => Self::IsAFolder,
            other => Self::System(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::System(error.to_string())
    }
}

impl Inode {
    /// The inode behind a handle.
    pub fn of(handle: impl std::os::fd::AsFd) -> Result<Self, Fault> {
        Ok(Self::of_stat(&rustix::fs::fstat(handle)?))
    }

    pub(crate) fn of_stat(stat: &Stat) -> Self {
        Self { device: stat.st_dev, number: stat.st_ino }
    }
}

impl FileFacts {
    fn of_stat(stat: &Stat) -> Self {
        let nanoseconds = i64::try_from(stat.st_mtime_nsec).unwrap_or(0);
        Self {
            inode: Inode::of_stat(stat),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            changed: stat.st_mtime * 1000 + nanoseconds / 1_000_000,
            mode: stat.st_mode & 0o777,
            links: stat.st_nlink,
        }
    }
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

    /// Opens a file for reading. It is the very file that was found, regular, and has one name.
    pub fn open(&self, spot: &Spot) -> Result<(File, FileFacts), Fault> {
        let facts = spot.file()?;
        let name = spot.name()?;
        // NONBLOCK, since a pipe may have taken the file's place and would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let handle = open_one(spot.folder.as_fd(), name, flags, Mode::empty())?;
        let stat = rustix::fs::fstat(&handle)?;
        check_regular(&stat)?;
        let now = FileFacts::of_stat(&stat);
        if now.inode != facts.inode {
            return Err(Fault::Changed);
        }
        Ok((File::from(handle), now))
    }

    /// Reads a whole file of at most `most` bytes.
    pub fn read(&self, spot: &Spot, most: u64) -> Result<Vec<u8>, Fault> {
        let (file, facts) = self.open(spot)?;
        if facts.size > most {
            return Err(Fault::TooLarge(facts.size));
        }
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(Fault::TooLarge(bytes.len() as u64));
        }
        Ok(bytes)
    }

    /// The entries of a folder, without those that are closed, in order of their names. The number says how many have
    /// names that are no text.
    pub fn list(&self, spot: &Spot) -> Result<(Vec<Item>, usize), Fault> {
        let Found::Folder(folder) = &spot.found else { return Err(not_a_folder(spot)) };
        let handle =
            open_one(folder.as_fd(), ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let mut items = Vec::new();
        let mut unnamed = 0;
        for entry in Dir::new(handle)? {
            let entry = entry?;
            match entry.file_name().to_str() {
                Ok("." | "..") => {}
                Ok(name) => items.extend(self.item(folder.as_fd(), &spot.parts, name)),
                Err(_) => unnamed += 1,
            }
        }
        items.sort_by(|a, b| a.name.cmp(&b.name));
        Ok((items, unnamed))
    }

    fn item(&self, folder: BorrowedFd<'_>, parts: &[String], name: &str) -> Option<Item> {
        let mut way = parts.to_vec();
        way.push(name.to_owned());
        // An entry that went away while the folder was read is not there.
        let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if self.is_denied(&way) || self.kept.contains(&Inode::of_stat(&stat)) {
            return None;
        }
        let facts = FileFacts::of_stat(&stat);
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => ItemKind::Folder,
            FileType::RegularFile => ItemKind::File,
            FileType::Symlink => ItemKind::Link,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => ItemKind::Special,
        };
        let size = if kind == ItemKind::File { facts.size } else { 0 };
        Some(Item { name: name.to_owned(), kind, size, changed: facts.changed })
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

    /// The entry `name` of a folder that was found, without following it if it is a link.
    pub fn enter(&self, folder: &Spot, name: &str) -> Result<Spot, Fault> {
        let Found::Folder(handle) = &folder.found else { return Err(not_a_folder(folder)) };
        let mut folders: Vec<(Arc<OwnedFd>, String)> =
            folder.parts.iter().map(|part| (Arc::clone(handle), part.clone())).collect();
        folders.insert(0, (Arc::clone(handle), String::new()));
        // A link would need the folders above, and all places here hold this handle: none is followed.
        Walk::one_on(self, folders, name).run()
    }
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

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

fn check_regular(stat: &Stat) -> Result<(), Fault> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_nlink > 1 => Err(Fault::HardLink),
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(Fault::IsAFolder),
        FileType::Symlink => Err(Fault::Changed),
        FileType::Fifo | FileType::Socket | FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
            Err(Fault::Special)
        }
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
