//! The files of the data folder: written beside, synced, renamed, folder synced; modes and the lock. Not here: what
//! they hold.
#![expect(clippy::disallowed_methods, reason = "this is the file module of the store")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Writes a whole new file with mode 0600 so that it is there entirely or not at all.
pub(crate) fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = with_ending(path, ".part");
    remove_if_there(&beside)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    rename_durably(&beside, path)
}

/// Copies a file with mode 0600 and syncs the copy, replacing what was there.
pub(crate) fn copy_durably(from: &Path, to: &Path) -> io::Result<()> {
    let beside = with_ending(to, ".part");
    remove_if_there(&beside)?;
    let mut target = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    io::copy(&mut File::open(from)?, &mut target)?;
    target.sync_all()?;
    rename_durably(&beside, to)
}

pub(crate) fn rename_durably(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_folder_of(to)
}

pub(crate) fn remove_durably(path: &Path) -> io::Result<()> {
    remove_if_there(path)?;
    sync_folder_of(path)
}

pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// The path with `ending` put after its name.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Bytes that this user may still write where `path` lies.
pub(crate) fn free_space(path: &Path) -> io::Result<u64> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let space = rustix::fs::statvfs(folder)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// True if the file belongs to this process and nobody else may touch it (mode 0700 or stricter).
pub(crate) fn is_private(metadata: &fs::Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o077 == 0
}

/// Creates an empty file with mode 0600; it must not be there yet.
pub(crate) fn create_empty(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.sync_all()
}

/// The bytes of a file, or nothing if there is none.
pub(crate) fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What is known of a path itself, links not followed, or nothing if nothing is there.
pub(crate) fn metadata_if_there(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The names in a folder.
pub(crate) fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Makes a folder with mode 0700 if it is not there. A new or empty one is closed to others; a folder with content
/// is left as it is and must be private already.
pub(crate) fn private_folder(path: &Path) -> io::Result<bool> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let metadata = fs::metadata(path)?;
    if !is_private(&metadata) && names_in(path)?.is_empty() {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
        return Ok(is_private(&fs::metadata(path)?));
    }
    Ok(is_private(&metadata))
}

/// A lock on a file that the system gives up when this process ends, however it ends; nothing if it is held already.
pub(crate) fn lock_alone(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}
