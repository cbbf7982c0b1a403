//! The `/etc` inside: made once for a host, never the host's own (REACH-67). It holds two accounts, names from files,
//! and copies of what programs of `/usr` need to run: loader cache, alternatives, certificates, fonts. No secret of
//! the host lies in any of these.
#![expect(clippy::disallowed_methods, reason = "reads the host's public /etc files and writes the made folder")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Written out in full, so that nothing of the host shows.
const OWN: [(&str, &str); 8] = [
    (
        "passwd",
        "user:x:1000:1000:user:/home/user:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    ),
    ("group", "user:x:1000:\nnogroup:x:65534:\n"),
    ("hosts", "127.0.0.1 localhost sandbox\n::1 localhost sandbox\n"),
    ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
    ("hostname", "sandbox\n"),
    ("host.conf", "multi on\n"),
    ("resolv.conf", "# There is no network here.\n"),
    ("timezone", "Etc/UTC\n"),
];

/// Single files and whole folders that are copied when the host has them.
const COPIED_FILES: [&str; 4] = ["ld.so.cache", "mime.types", "ssl/openssl.cnf", "ssl/certs/ca-certificates.crt"];
const COPIED_FOLDERS: [&str; 3] = ["alternatives", "fonts", "ssl/certs"];
/// The greatest file that is copied; the certificates of a usual host are 220 KiB.
const GREATEST: u64 = 4 * 1024 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Content {
    /// Written out here.
    Own(&'static str),
    Link(PathBuf),
    /// A file of the host, with what tells that it has changed: number, length, time of the change.
    Copy(u64, u64, i64, i64),
}

/// The made folder beneath `state`, built if it is not there yet. Its name is a digest of what it is made from, so
/// servers may share it, a start that finds it reads no file, and an update of the host makes a new one.
pub(crate) fn made(state: &Path) -> io::Result<PathBuf> {
    let entries = entries(Path::new("/etc"));
    let mut digest = DefaultHasher::new();
    entries.hash(&mut digest);
    let place = state.join(format!("etc-{:016x}", digest.finish()));
    if place.is_dir() {
        return Ok(place);
    }
    let draft = state.join(format!("etc-draft-{}", std::process::id()));
    let _left_by_a_crash = std::fs::remove_dir_all(&draft);
    write(Path::new("/etc"), &draft, &entries)?;
    match std::fs::rename(&draft, &place) {
        // Another server was faster; its folder has the same content.
        Err(_) if place.is_dir() => std::fs::remove_dir_all(&draft)?,
        other => other?,
    }
    Ok(place)
}

fn entries(host: &Path) -> Vec<(PathBuf, Content)> {
    let own = OWN.iter().map(|(name, text)| (PathBuf::from(name), Content::Own(text)));
    let link = (PathBuf::from("mtab"), Content::Link("/proc/self/mounts".into()));
    let mut all: Vec<_> = own.chain([link]).collect();
    for name in COPIED_FILES {
        all.extend(copy(host, Path::new(name)));
    }
    for name in COPIED_FOLDERS {
        collect(host, Path::new(name), 0, &mut all);
    }
    all.sort();
    all.dedup_by(|a, b| a.0 == b.0);
    all
}

/// Everything beneath a folder of the host, three levels deep.
fn collect(host: &Path, folder: &Path, depth: u32, all: &mut Vec<(PathBuf, Content)>) {
    let Ok(listing) = std::fs::read_dir(host.join(folder)) else { return };
    for entry in listing.flatten() {
        let path = folder.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < 3 => collect(host, &path, depth + 1, all),
            Ok(_) => all.extend(copy(host, &path)),
            Err(_) => {}
        }
    }
}

/// A public file, or a link that stays where the inside has something: in /usr, or beside itself.
fn copy(host: &Path, path: &Path) -> Option<(PathBuf, Content)> {
    let place = host.join(path);
    let found = std::fs::symlink_metadata(&place).ok()?;
    if found.is_symlink() {
        let target = std::fs::read_link(&place).ok()?;
        let stays =
            target.starts_with("/usr") || target.starts_with("/etc/alternatives") || target.components().count() == 1;
        return stays.then(|| (path.to_owned(), Content::Link(target)));
    }
    let is_public = found.is_file() && found.permissions().mode() & 0o004 != 0 && found.len() <= GREATEST;
    let stamp = Content::Copy(found.ino(), found.len(), found.mtime(), found.mtime_nsec());
    is_public.then(|| (path.to_owned(), stamp))
}

fn write(host: &Path, folder: &Path, entries: &[(PathBuf, Content)]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (path, content) in entries {
        let place = folder.join(path);
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent)?;
        }
        match content {
            Content::Link(target) => symlink(target, &place)?,
            Content::Own(text) => write_file(&place, text.as_bytes())?,
            Content::Copy(..) => write_file(&place, &std::fs::read(host.join(path))?)?,
        }
    }
    open_to_all(folder)
}

fn write_file(place: &Path, bytes: &[u8]) -> io::Result<()> {
    std::fs::write(place, bytes)?;
    std::fs::set_permissions(place, PermissionsExt::from_mode(0o644))
}

/// Folders must be readable whatever the server's umask is: the command has another user than the server.
fn open_to_all(folder: &Path) -> io::Result<()> {
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755))?;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_to_all(&entry.path())?;
        }
    }
    Ok(())
}
