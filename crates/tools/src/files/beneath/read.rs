//! What reads files and lists folders beneath a root. Each is opened by the handle of its folder and looked at again
//! once it is open.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};

use super::{Beneath, FOLDER, Fault, FileFacts, Found, Inode, Item, ItemKind, Spot, not_a_folder, open_one};

impl Beneath {
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
        let handle = open_one(folder.as_fd(), ".", FOLDER, Mode::empty())?;
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
        let kind = ItemKind::of_stat(&stat);
        let size = if kind == ItemKind::File { facts.size } else { 0 };
        Some(Item { name: name.to_owned(), kind, size, changed: facts.changed })
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
