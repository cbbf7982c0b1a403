//! What handles say of files and folders: which one it is, its size, its kind. Never asked by a path.

use rustix::fs::{FileType, Stat};

use super::Fault;

/// What names a file or folder on this machine, whatever its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Inode {
    device: u64,
    number: u64,
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
    pub(super) mode: u32,
    /// Names that lead to it.
    pub(super) links: u64,
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
    pub(super) fn of_stat(stat: &Stat) -> Self {
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

impl ItemKind {
    pub(super) fn of_stat(stat: &Stat) -> Self {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Self::Folder,
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Link,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Self::Special,
        }
    }
}
