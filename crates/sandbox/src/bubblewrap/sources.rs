//! What is mounted: the order of the sources, whether each is a folder, and whether the places beneath other mounts are
//! there to be mounted on. It opens nothing by path but the host's own image.
#![expect(clippy::disallowed_methods, reason = "reads the links of the host's root and of /proc/self/ns")]

use crate::confinement::{Mount, Source};
use crate::refusal::{Refusal, Wall};
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The mounts of a confinement, outer ones first. Source 0 is the image and 1 is /etc; then come the handles.
pub(super) struct Sources<'a> {
    pub(super) mounts: &'a [Mount],
}

/// How many sources come before those of the mounts.
const OWN: usize = 2;

impl<'a> Sources<'a> {
    /// Sees that each place beneath another mount is an empty folder (or a file for a file) there already: bubblewrap
    /// would make a missing one, on the disk of the outer mount's owner.
    pub(super) fn new(mounts: &'a [Mount]) -> Result<Sources<'a>, Refusal> {
        for mount in mounts {
            let outer =
                mounts.iter().rfind(|other| other.place != mount.place && mount.place.starts_with(&other.place));
            if let Some(outer) = outer {
                check_place(outer, mount)?;
            }
        }
        Ok(Sources { mounts })
    }

    /// The number of the source of the n-th mount.
    pub(super) fn number_of(&self, mount: usize) -> usize {
        let is_handle = |mount: &&Mount| matches!(mount.source, Source::Handle(_));
        OWN + self.mounts[..mount].iter().filter(is_handle).count()
    }

    /// All sources, in their order.
    pub(super) fn handles(&self, image: &'a OwnedFd, etc: &'a OwnedFd) -> Vec<BorrowedFd<'a>> {
        let handle = |mount: &'a Mount| match &mount.source {
            Source::Handle(handle) => Some(handle.as_fd()),
            Source::Scratch(_) => None,
        };
        [image.as_fd(), etc.as_fd()].into_iter().chain(self.mounts.iter().filter_map(handle)).collect()
    }
}

fn check_place(outer: &Mount, inner: &Mount) -> Result<(), Refusal> {
    let refused = |what: &str| {
        Err(Refusal::WallMissing { wall: Wall::Mounts, reason: format!("{} {what}", inner.place.display()) })
    };
    let Source::Handle(folder) = &outer.source else {
        // Fresh space has no folders yet; bubblewrap makes them there, and they go with it.
        return Ok(());
    };
    let Ok(beneath) = inner.place.strip_prefix(&outer.place) else { return Ok(()) };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let wants_folder = match &inner.source {
        Source::Handle(handle) => is_folder(handle.as_fd()),
        Source::Scratch(_) => true,
    };
    let kind = if wants_folder { OFlags::RDONLY | OFlags::DIRECTORY } else { OFlags::PATH | OFlags::NOFOLLOW };
    let Ok(found) = openat2(folder, beneath, kind | OFlags::CLOEXEC, Mode::empty(), resolve) else {
        return refused("is not there to be mounted on");
    };
    if !wants_folder {
        return if is_folder(found.as_fd()) {
            refused("is a folder, and a file was to be mounted on it")
        } else {
            Ok(())
        };
    }
    let Ok(entries) = rustix::fs::Dir::new(found) else { return refused("cannot be read") };
    let is_empty = entries.flatten().all(|entry| matches!(entry.file_name().to_bytes(), b"." | b".."));
    if is_empty { Ok(()) } else { refused("is not empty, so nothing is mounted over it") }
}

/// Whether a handle is a folder's.
pub(super) fn is_folder(handle: BorrowedFd<'_>) -> bool {
    fstat(handle).is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_dir())
}

/// The links at the top of a merged-/usr system, as target and place. A host of the old shape has folders there, and
/// its programs would not run with `/usr` alone.
pub(super) fn image_links() -> Result<Vec<(String, String)>, Refusal> {
    let mut links = Vec::new();
    for name in ["bin", "sbin", "lib", "lib32", "lib64", "libx32"] {
        let place = format!("/{name}");
        match std::fs::read_link(&place) {
            Ok(target) if target.strip_prefix("/").unwrap_or(&target).starts_with("usr") => {
                links.push((target.to_string_lossy().into_owned(), place));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(_) => return Err(no_image(format!("{place} does not lead into /usr"))),
            // It is there and no link.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Err(no_image(format!("{place} does not lead into /usr")));
            }
            Err(error) => return Err(no_image(format!("{place} cannot be read: {error}"))),
        }
    }
    Ok(links)
}

fn no_image(reason: String) -> Refusal {
    Refusal::WallMissing { wall: Wall::Image, reason }
}

/// The host's namespaces, as `/proc/self/ns` shows them.
pub(super) fn host_namespaces() -> io::Result<Vec<String>> {
    let kinds = ["user", "pid", "mnt", "ipc", "uts", "net", "cgroup"];
    let read = |kind: &str| std::fs::read_link(format!("/proc/self/ns/{kind}"));
    // A kernel without namespaces of control groups has no such entry.
    let known = kinds.into_iter().filter(|kind| *kind != "cgroup" || read(kind).is_ok());
    known.map(|kind| read(kind).map(|link| link.to_string_lossy().into_owned())).collect()
}
