//! A walk from the root, name by name and by handles alone. It finds; it reads no content and changes nothing.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{Beneath, Fault, FileFacts, Found, Inode, Spot, open_one};

/// Links that one way may go through (`MAXSYMLINKS` of Linux).
const LINKS: usize = 40;

/// A name that is still to be walked.
struct Step {
    name: String,
    /// Whether a link put it on the way.
    by_link: bool,
}

/// Where a walk stands: the handles and names of the folders from the root on.
pub(super) struct Walk<'a> {
    tree: &'a Beneath,
    folders: Vec<(Arc<OwnedFd>, String)>,
    left: Vec<Step>,
    links: usize,
}

impl<'a> Walk<'a> {
    /// A walk from the root of a tree.
    pub(super) fn new(tree: &'a Beneath, parts: &[String]) -> Result<Self, Fault> {
        let root = Arc::new(tree.root.try_clone()?);
        let left = parts.iter().rev().map(|name| Step { name: name.clone(), by_link: false }).collect();
        Ok(Self { tree, folders: vec![(root, String::new())], left, links: 0 })
    }

    /// One step on from the folders that were walked. A link there is not followed.
    pub(super) fn one_on(tree: &'a Beneath, folders: Vec<(Arc<OwnedFd>, String)>, name: &str) -> Self {
        Self { tree, folders, left: vec![Step { name: name.to_owned(), by_link: false }], links: LINKS }
    }

    pub(super) fn run(mut self) -> Result<Spot, Fault> {
        while let Some(step) = self.left.pop() {
            match step.name.as_str() {
                ".." => self.up()?,
                _ => {
                    if let Some(spot) = self.step(&step)? {
                        return Ok(spot);
                    }
                }
            }
        }
        let parts = self.parts();
        let folder = self.folders.pop().map(|(folder, _)| folder).ok_or(Fault::LeadsOut)?;
        Ok(Spot { parts, found: Found::Folder(Arc::clone(&folder)), folder })
    }

    fn up(&mut self) -> Result<(), Fault> {
        self.folders.pop();
        if self.folders.is_empty() { Err(Fault::LeadsOut) } else { Ok(()) }
    }

    fn parts(&self) -> Vec<String> {
        self.folders.iter().skip(1).map(|(_, name)| name.clone()).collect()
    }

    fn here(&self) -> Result<Arc<OwnedFd>, Fault> {
        self.folders.last().map(|(folder, _)| Arc::clone(folder)).ok_or(Fault::LeadsOut)
    }

    /// One name further. A spot: the way ends here.
    fn step(&mut self, step: &Step) -> Result<Option<Spot>, Fault> {
        let mut parts = self.parts();
        parts.push(step.name.clone());
        if self.tree.is_denied(&parts) {
            return Err(Fault::Denied);
        }
        let folder = self.here()?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match open_one(folder.as_fd(), &step.name, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return self.absent(step, parts, folder).map(Some),
            Err(errno) => return Err(errno.into()),
        };
        let stat = rustix::fs::fstat(&handle)?;
        if self.tree.kept.contains(&Inode::of_stat(&stat)) {
            return Err(Fault::Denied);
        }
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                self.folders.push((Arc::new(handle), step.name.clone()));
                Ok(None)
            }
            FileType::Symlink => self.follow(&handle).map(|()| None),
            FileType::RegularFile if self.left.is_empty() => {
                Ok(Some(Spot { parts, found: Found::File(FileFacts::of_stat(&stat)), folder }))
            }
            FileType::RegularFile => Err(Fault::NotAFolder(step.name.clone())),
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Err(Fault::Special),
        }
    }

    /// Puts what a link says on the way.
    fn follow(&mut self, link: &OwnedFd) -> Result<(), Fault> {
        self.links += 1;
        if self.links > LINKS {
            return Err(Fault::Circle);
        }
        let target = rustix::fs::readlinkat(link, "", Vec::new())?;
        let target = target.to_str().map_err(|_| Fault::LeadsOut)?;
        if target.starts_with('/') {
            return Err(Fault::LeadsOut);
        }
        let names = target.split('/').filter(|name| !matches!(*name, "" | "."));
        self.left.extend(names.rev().map(|name| Step { name: name.to_owned(), by_link: true }));
        Ok(())
    }

    fn absent(&mut self, step: &Step, mut parts: Vec<String>, folder: Arc<OwnedFd>) -> Result<Spot, Fault> {
        if step.by_link {
            return Err(Fault::DanglingLink);
        }
        let mut missing = 1;
        while let Some(next) = self.left.pop() {
            if next.name == ".." {
                return Err(Fault::Absent);
            }
            parts.push(next.name);
            missing += 1;
        }
        if self.tree.is_denied(&parts) {
            return Err(Fault::Denied);
        }
        Ok(Spot { parts, found: Found::Absent { missing }, folder })
    }
}
