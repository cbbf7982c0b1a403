//! The programs of the tool image: which there are, and which file a name means. A program that is closed stays closed
//! under another name: as a link, a second name, or a copy.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;

use domain::digest::Digest;
use domain::program::judge_name;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use crate::files::beneath::Inode;

/// Where the sandbox finds programs. The image is the host's `/usr`, which the sandbox mounts read-only.
const FOLDER: &str = "/usr/bin";
/// Programs that act by the name they are called by; the name was judged.
const MANY_IN_ONE: &[&str] = &["busybox", "toybox", "coreutils"];
/// Links from one name to the next.
const LINKS: usize = 16;
/// Near names that are offered.
const NEAR: usize = 3;

/// The programs of one image.
pub(crate) struct Image {
    folder: String,
    contents: OnceLock<Contents>,
}

#[derive(Default)]
struct Contents {
    folder: String,
    names: Vec<String>,
    /// Closed programs, by what they are.
    closed: Vec<(Inode, String)>,
    /// Closed programs, by size: a copy has the same.
    by_size: BTreeMap<u64, Vec<String>>,
}

impl Image {
    /// The image that the sandbox takes from this machine.
    pub(crate) fn of_host() -> Self {
        Self::of(FOLDER)
    }

    fn of(folder: &str) -> Self {
        Self { folder: folder.to_owned(), contents: OnceLock::new() }
    }

    /// The file of a program. The error says what is wrong with the name, and near names.
    pub(crate) fn resolve(&self, name: &str) -> Result<String, String> {
        let contents = self.contents.get_or_init(|| Contents::read(&self.folder));
        let Some(real) = follow(&self.folder, name) else { return Err(contents.absent(name)) };
        let as_called = real.rsplit('/').next().unwrap_or(name);
        if !MANY_IN_ONE.contains(&as_called) {
            judge_name(as_called).map_err(|fault| format!("`{name}` is `{as_called}`: {fault}"))?;
            if let Some(closed) = contents.twin(&real, as_called) {
                let fault = judge_name(&closed).err().map(|fault| fault.to_string()).unwrap_or_default();
                return Err(format!("`{name}` is the same program as `{closed}`: {fault}"));
            }
        }
        Ok(real)
    }
}

impl Contents {
    fn read(folder: &str) -> Self {
        let mut contents = Self { folder: folder.to_owned(), ..Self::default() };
        let Ok(folder) = open_folder(folder) else { return contents };
        let Ok(entries) = folder.try_clone().map_err(drop).and_then(|folder| Dir::new(folder).map_err(drop)) else {
            return contents;
        };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | "..") {
                continue;
            }
            contents.names.push(name.to_owned());
            if judge_name(name).is_err() && !MANY_IN_ONE.contains(&name) {
                contents.close(&folder, name);
            }
        }
        contents.names.sort();
        contents
    }

    fn close(&mut self, folder: &OwnedFd, name: &str) {
        let Ok(stat) = rustix::fs::statat(folder, name, AtFlags::empty()) else { return };
        let real = follow(&self.folder, name);
        let as_called = real.as_deref().and_then(|real| real.rsplit('/').next()).unwrap_or(name);
        // A closed name may lead to a program that is open under its own, as `chardet` does to an interpreter.
        if MANY_IN_ONE.contains(&as_called) || FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return;
        }
        let Ok(handle) = rustix::fs::openat(folder, name, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else {
            return;
        };
        if let Ok(inode) = Inode::of(handle) {
            self.closed.push((inode, name.to_owned()));
            self.by_size.entry(u64::try_from(stat.st_size).unwrap_or(0)).or_default().push(name.to_owned());
        }
    }

    /// The closed program that a file is, under another name or as a copy. A part that is another name of the whole, as
    /// `git-upload-pack` is of `git`, does not close the whole: which of them a program is it tells by its name.
    fn twin(&self, path: &str, as_called: &str) -> Option<String> {
        let handle = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let inode = Inode::of(&handle).ok()?;
        let size = u64::try_from(rustix::fs::fstat(&handle).ok()?.st_size).ok()?;
        let is_other = |name: &&String| !is_part(name, as_called);
        let same = self.closed.iter().filter(|(closed, _)| *closed == inode).map(|(_, name)| name).find(is_other);
        if let Some(name) = same {
            return Some(name.clone());
        }
        let mut rivals = self.by_size.get(&size)?.iter().filter(is_other).peekable();
        rivals.peek()?;
        let own = content(File::from(handle))?;
        rivals.find(|name| content_of(&format!("{}/{name}", self.folder)) == Some(own)).cloned()
    }

    fn absent(&self, name: &str) -> String {
        let known: Vec<&str> = self.names.iter().map(String::as_str).filter(|name| judge_name(name).is_ok()).collect();
        let near = similar::get_close_matches(name, &known, NEAR, 0.6);
        match near.as_slice() {
            [] => format!("There is no program `{name}` in the tool image, nor one of a near name."),
            near => format!("There is no program `{name}` in the tool image. Near names: {}.", near.join(", ")),
        }
    }
}

/// `git-upload-pack` is a part of `git`.
fn is_part(name: &str, whole: &str) -> bool {
    name.strip_prefix(whole).is_some_and(|rest| rest.starts_with('-'))
}

fn open_folder(folder: &str) -> rustix::io::Result<OwnedFd> {
    rustix::fs::open(folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// The file that a name of the image leads to, if it is a program.
fn follow(folder: &str, name: &str) -> Option<String> {
    let mut path = format!("{folder}/{name}");
    for _ in 0..LINKS {
        let stat = rustix::fs::lstat(&path).ok()?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => return (stat.st_mode & 0o111 != 0).then_some(path),
            FileType::Symlink => {
                let target = rustix::fs::readlink(&path, Vec::new()).ok()?;
                path = joined(&path, target.to_str().ok()?);
            }
            FileType::Directory
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => return None,
        }
    }
    None
}

/// Where a link at `path` leads, dots taken literally: the folders of an image are no links.
fn joined(path: &str, target: &str) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let whole = if target.starts_with('/') { target.to_owned() } else { format!("{folder}/{target}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

fn content_of(path: &str) -> Option<Digest> {
    content(File::from(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?))
}

fn content(mut file: File) -> Option<Digest> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some(Digest::of_bytes(&bytes))
}

#[cfg(test)]
mod tests;
