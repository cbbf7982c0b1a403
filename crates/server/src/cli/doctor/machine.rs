//! What is looked at of the machine: the data folder's rights, the disk, the clock.

use std::path::Path;

use harness::ports::Clock as _;
use rustix::fs::statvfs;

use super::Check;
use crate::clock::SystemClock;
use crate::files::{self, Rights};

/// Less room than this is a finding (1 GiB): a vault grows, and a restore point needs room beside it.
const LEAST_ROOM: u64 = 1024 * 1024 * 1024;
/// Before this release nothing can have happened: 2026-01-01 in milliseconds since 1970.
const EARLIEST: i64 = 1_767_225_600_000;
/// Files may be a little ahead of the clock, where another machine wrote them: one day in milliseconds.
const AHEAD: i64 = 24 * 60 * 60 * 1000;
/// What of the data folder holds keys and databases.
const OWN: &[&str] = &["instance.key", "instance.db", "vaults"];

/// Whether the data folder is its owner's alone.
pub(super) fn data_folder(data: &Path) -> Check {
    let name = "data folder";
    let rights = match files::rights(data) {
        Ok(Some(rights)) => rights,
        Ok(None) => {
            return Check::good(name, format!("{} is not there yet; the first start makes it", data.display()));
        }
        Err(error) => {
            let fix = "Name a folder that you may read with --set data.dir=…";
            return Check::finding(name, format!("{} cannot be looked at: {error}", data.display()), fix);
        }
    };
    let own = OWN.iter().map(|name| data.join(name));
    let inside = own.filter_map(|path| Some((path.clone(), files::rights(&path).ok()??)));
    let wrong =
        [(data.to_path_buf(), rights)].into_iter().chain(inside).find_map(|(path, rights)| wrong(&path, rights));
    wrong.unwrap_or_else(|| Check::good(name, format!("{} is closed to others", data.display())))
}

fn wrong(path: &Path, rights: Rights) -> Option<Check> {
    let (name, shown) = ("data folder", path.display());
    let me = rustix::process::geteuid().as_raw();
    if rights.owner != me {
        let detail = format!("{shown} belongs to user {}, and this is user {me}", rights.owner);
        return Some(Check::finding(name, detail, "Run Riad as its owner."));
    }
    let mode = rights.mode;
    let fix = format!("chmod go-rwx '{shown}'");
    rights.is_open_to_others().then(|| Check::finding(name, format!("{shown} is open to others (mode {mode:o})"), fix))
}

/// Whether there is room.
pub(super) fn disk(data: &Path) -> Check {
    let name = "disk";
    let there = data.ancestors().find(|path| files::exists(path)).unwrap_or(Path::new("/"));
    let room = match statvfs(there) {
        Ok(room) => room,
        Err(errno) => {
            let detail = format!("the disk of {} cannot be looked at: {errno}", there.display());
            return Check::finding(name, detail, "See that the disk is mounted.");
        }
    };
    let free = room.f_bavail.saturating_mul(room.f_frsize);
    let detail = format!("{} MiB are free for {}", free / 1024 / 1024, data.display());
    if free < LEAST_ROOM {
        return Check::finding(name, detail, "Make room: at least 1 GiB is wanted.");
    }
    if room.f_files > 0 && room.f_favail < 1000 {
        let detail = format!("{} files can still be made", room.f_favail);
        return Check::finding(name, detail, "Remove files that are not needed; the disk can hold no more of them.");
    }
    Check::good(name, detail)
}

/// Whether the clock can be right.
pub(super) fn clock(data: &Path) -> Check {
    let (name, fix) = ("clock", "Set the clock, for example with `timedatectl set-ntp true`.");
    let now = SystemClock.now();
    if now.0 < EARLIEST {
        return Check::finding(name, format!("it says {}, which is before this release", now.rfc3339()), fix);
    }
    let written = OWN.iter().filter_map(|name| files::rights(&data.join(name)).ok()?);
    let last = written.map(|rights| rights.changed).max().unwrap_or_default();
    if last > now.0 + AHEAD {
        return Check::finding(name, format!("it says {}, and data was written later than that", now.rfc3339()), fix);
    }
    Check::good(name, now.rfc3339())
}
