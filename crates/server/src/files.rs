//! The few files of the data folder that are the server's own: folders of people, and the address it can be found
//! under. Databases are the store's, files of people are the tools'.
#![expect(clippy::disallowed_methods, reason = "this is the file module of the server")]

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Makes a folder that is closed to others, with all folders above it.
pub fn private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
}

/// Writes a small file that only its owner may read.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("part");
    remove(&beside)?;
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

/// Reads a small file, if it is there.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes a file, if it is there.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether something is there.
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// What the system says of a file or folder; a link is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// The permission bits.
    pub mode: u32,
    /// The user that owns it.
    pub owner: u32,
    /// Whether it is a regular file.
    pub is_file: bool,
    /// Last change, in milliseconds since 1970.
    pub changed: i64,
}

impl Rights {
    /// Whether somebody else than its owner may do anything with it.
    pub fn is_open_to_others(self) -> bool {
        self.mode & 0o077 != 0
    }
}

/// The rights of what is there, if something is.
pub fn rights(path: &Path) -> io::Result<Option<Rights>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(Rights {
            mode: found.mode() & 0o7777,
            owner: found.uid(),
            is_file: found.is_file(),
            changed: found.mtime() * 1000,
        })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Below this many free bytes a database may fail to grow (4 MiB).
const FULL: u64 = 4 * 1024 * 1024;

/// Whether there is no room left where `path` lies.
pub fn is_full(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|space| space.f_bavail.saturating_mul(space.f_frsize) < FULL)
}

/// The names in a folder.
pub fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// A new folder that is closed to others, among the temporary files of this machine.
pub fn scratch_folder(name: &str) -> io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

/// Removes a folder with all that is in it.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    fs::remove_dir_all(folder)
}

/// Whether this process is root: then people's files belong to users of their own.
pub fn runs_as_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Gives a folder to a user (and the group of the same number).
pub fn give(path: &Path, owner: Option<u32>) -> io::Result<()> {
    match owner {
        Some(owner) => std::os::unix::fs::lchown(path, Some(owner), Some(owner)),
        None => Ok(()),
    }
}
