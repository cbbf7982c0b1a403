//! What changes files beneath a root: each by the handle of its folder, whole or not at all.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

use domain::digest::Digest;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::{Beneath, FOLDER, Fault, Found, HASHED_BYTES, Inode, Spot, open_one};

impl Beneath {
    /// Makes a file of these bytes where nothing is, with the folders that are missing.
    ///
    /// The bytes are on the disk under their final name, or nothing is. `token` names the file while it is written; the
    /// same token takes up after a crash.
    pub fn create(&self, spot: &Spot, bytes: &[u8], token: &str) -> Result<(), Fault> {
        self.check_write(spot)?;
        let Found::Absent { missing } = spot.found else { return Err(Fault::Exists) };
        let (name, folders) = spot.parts.split_last().ok_or(Fault::IsTheRoot)?;
        let first_missing = folders.len() + 1 - missing;
        let folder = self.make_folders(spot, &folders[first_missing..])?;
        let folder = folder.as_fd();
        self.with_temporary(folder, bytes, 0o644, token, |temporary| {
            rustix::fs::renameat_with(folder, temporary, folder, name, RenameFlags::NOREPLACE).map_err(Fault::from)
        })
    }

    fn make_folders(&self, spot: &Spot, names: &[String]) -> Result<Arc<OwnedFd>, Fault> {
        let mut folder = Arc::clone(&spot.folder);
        for name in names {
            let made = match rustix::fs::mkdirat(&folder, name.as_str(), Mode::from_raw_mode(0o755)) {
                Ok(()) => true,
                Err(Errno::EXIST) => false,
                Err(errno) => return Err(errno.into()),
            };
            let next = open_one(folder.as_fd(), name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
            if made {
                self.give(next.as_fd())?;
                rustix::fs::fsync(open_one(folder.as_fd(), ".", FOLDER, Mode::empty())?)?;
            }
            folder = Arc::new(next);
        }
        Ok(folder)
    }

    pub(super) fn give(&self, handle: BorrowedFd<'_>) -> Result<(), Fault> {
        let Some(owner) = self.owner else { return Ok(()) };
        let (user, group) = (rustix::fs::Uid::from_raw(owner), rustix::fs::Gid::from_raw(owner));
        rustix::fs::fchown(handle, Some(user), Some(group)).map_err(Fault::from)
    }

    /// Changes a file to these bytes, if its content still has the hash `expected`.
    pub fn replace(&self, spot: &Spot, expected: Digest, bytes: &[u8], token: &str) -> Result<(), Fault> {
        self.check_write(spot)?;
        let facts = spot.file()?;
        let name = spot.name()?;
        let folder = spot.folder.as_fd();
        self.with_temporary(folder, bytes, facts.mode, token, |temporary| {
            // Looked at again as late as possible: the same file, the same content.
            if Digest::of_bytes(&self.read(spot, HASHED_BYTES)?) != expected {
                return Err(Fault::Changed);
            }
            rustix::fs::renameat(folder, temporary, folder, name).map_err(Fault::from)
        })
    }

    /// Writes a file beside its place, lets `settle` give it its name, and makes both durable.
    fn with_temporary(
        &self,
        folder: BorrowedFd<'_>,
        bytes: &[u8],
        mode: u32,
        token: &str,
        settle: impl FnOnce(&str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let temporary = format!(".riad-{token}.new");
        // What an earlier, cut run of the same call left.
        match rustix::fs::unlinkat(folder, temporary.as_str(), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno.into()),
        }
        let written = self.write_new(folder, &temporary, bytes, mode).and_then(|()| settle(&temporary));
        if written.is_err() {
            // The first fault is the one to tell; what is left lies under a name of its own and is taken up again.
            let _left = rustix::fs::unlinkat(folder, temporary.as_str(), AtFlags::empty());
        }
        written?;
        let handle = open_one(folder, ".", FOLDER, Mode::empty())?;
        rustix::fs::fsync(handle)?;
        Ok(())
    }

    fn write_new(&self, folder: BorrowedFd<'_>, name: &str, bytes: &[u8], mode: u32) -> Result<(), Fault> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(open_one(folder, name, flags, Mode::from_raw_mode(0o600))?);
        file.write_all(bytes)?;
        self.give(file.as_fd())?;
        // Never setuid or setgid, whatever the file had.
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o777))?;
        file.sync_all()?;
        Ok(())
    }

    /// Takes a file away, if it is still the very one that was found.
    pub fn remove(&self, spot: &Spot) -> Result<(), Fault> {
        self.check_write(spot)?;
        let facts = spot.file()?;
        let name = spot.name()?;
        let stat = rustix::fs::statat(&spot.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if Inode::of_stat(&stat) != facts.inode {
            return Err(Fault::Changed);
        }
        rustix::fs::unlinkat(&spot.folder, name, AtFlags::empty()).map_err(Fault::from)
    }
}
