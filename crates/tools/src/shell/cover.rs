//! Which names of a home a command must not see, found before each run. A file of keys gets a cover; where a cover
//! cannot be had, the home is not shown at all.

use domain::place::{Guarded, guarded};
use rustix::fs::FileType;
use thiserror::Error;

use crate::files::beneath::Beneath;
use crate::files::survey::{Bounds, Next, Seen, Unseen, survey};
use crate::places::WORK_MOUNT;

/// How much of a home is looked through.
const BOUNDS: Bounds = Bounds { entries: 20_000, depth: 16 };
/// Covers of one run; each takes a descriptor.
const COVERS: usize = 64;

/// Why a home is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Unshown {
    #[error("the home holds keys or stored passwords that cannot be covered")]
    Keys,
    #[error("the home cannot be looked through for keys: {0}")]
    Unseen(#[from] Unseen),
}

/// The ways of the files in a home that need a cover.
pub(super) fn covers(home: &Beneath) -> Result<Vec<Vec<String>>, Unshown> {
    let mut covers = Vec::new();
    let mut is_open = false;
    survey(home.handle(), BOUNDS, |seen| match judge(home, seen) {
        Verdict::Plain => Next::Into,
        // The work folder lies over it.
        Verdict::Past => Next::Past,
        Verdict::Cover if covers.len() < COVERS => {
            covers.push(seen.way.to_vec());
            Next::Past
        }
        Verdict::Cover | Verdict::Open => {
            is_open = true;
            Next::End
        }
    })?;
    if is_open { Err(Unshown::Keys) } else { Ok(covers) }
}

enum Verdict {
    Plain,
    Past,
    Cover,
    /// A command would see it.
    Open,
}

fn judge(home: &Beneath, seen: &Seen<'_>) -> Verdict {
    if home.is_kept(seen.inode) {
        return Verdict::Open;
    }
    if seen.way == [WORK_MOUNT] {
        return Verdict::Past;
    }
    let is_hidden = |way: &[String]| guarded(way) == Some(Guarded::Hidden);
    if !is_hidden(seen.way) {
        return Verdict::Plain;
    }
    // The sandbox lays nothing over a folder that holds something.
    let in_hidden = seen.way.split_last().is_some_and(|(_, folders)| is_hidden(folders));
    match seen.kind {
        FileType::Directory if !in_hidden => Verdict::Plain,
        FileType::RegularFile if !in_hidden && seen.is_text => Verdict::Cover,
        FileType::Directory
        | FileType::RegularFile
        | FileType::Symlink
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => Verdict::Open,
    }
}
