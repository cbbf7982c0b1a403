//! An example of granted roots, for explaining paths to those who have no tree at hand and for tests. It holds one of
//! everything that can go wrong below a root. Not anybody's data.

use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};

use super::{Explained, Op, World};
use crate::files::beneath::{Fault, Rights};

/// What stands for the folder of the example in a path.
pub const PLACEHOLDER: &str = "{R}";

/// The parts of the example: folders, files with a line in them, links with their targets.
const FOLDERS: &[&str] =
    &["grant", "grant/sub", "grant/sub/deep", "grant/d", "grant/private", "grant2", "outside", "grant-evil"];
const FILES: &[&str] = &[
    "grant/a.txt",
    "grant/sub/b.txt",
    "grant/sub/deep/c.txt",
    "grant/private/key.txt",
    "grant2/r.txt",
    "outside/secret.txt",
    "grant-evil/x.txt",
];
const LINKS: &[(&str, &str)] = &[
    ("grant/in", "sub"),
    ("grant/out", "../outside"),
    ("grant/chain1", "chain2"),
    ("grant/chain2", "out"),
    ("grant/dangling", "../outside/not-there.txt"),
    ("grant/self", "self"),
    ("grant/loop1", "loop2"),
    ("grant/loop2", "loop1"),
    ("grant/todeny", "private"),
    ("grant/up", ".."),
];

const SPECIAL: &[(&str, FileType)] = &[("grant/fifo", FileType::Fifo), ("grant/sock", FileType::Socket)];

/// Lays the example into an empty folder and grants its roots: `grant` to be changed, `grant2` to be read, with
/// `grant/private` closed.
pub fn lay(folder: &Path) -> Result<World, Fault> {
    for name in FOLDERS {
        rustix::fs::mkdir(folder.join(name), Mode::from_raw_mode(0o755))?;
    }
    for name in FILES {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = rustix::fs::open(folder.join(name), flags, Mode::from_raw_mode(0o644))?;
        rustix::io::write(file, format!("{name}\n").as_bytes())?;
    }
    for (name, target) in LINKS {
        rustix::fs::symlink(*target, folder.join(name))?;
    }
    rustix::fs::symlink(folder.join("outside/secret.txt"), folder.join("grant/abs"))?;
    rustix::fs::link(folder.join("outside/secret.txt"), folder.join("grant/hard"))?;
    for (name, kind) in SPECIAL {
        rustix::fs::mknodat(CWD, folder.join(name), *kind, Mode::from_raw_mode(0o644), 0)?;
    }
    World { grants: Vec::new() }.grant(&folder.join("grant"), Rights::Write, &[&["private"]])?.grant(
        &folder.join("grant2"),
        Rights::Read,
        &[],
    )
}

/// Judges a path on an example that was laid into `folder`.
pub fn explain(world: &World, folder: &Path, path: &str, op: Option<Op>) -> Explained {
    world.explain(&path.replace(PLACEHOLDER, &folder.to_string_lossy()), op)
}

/// Takes away what [`lay`] laid.
pub fn clear(folder: &Path) -> Result<(), Fault> {
    let links = LINKS.iter().map(|(name, _)| *name).chain(["grant/abs", "grant/hard"]);
    for name in links.chain(SPECIAL.iter().map(|(name, _)| *name)).chain(FILES.iter().copied()) {
        rustix::fs::unlinkat(CWD, folder.join(name), AtFlags::empty())?;
    }
    for name in FOLDERS.iter().rev() {
        rustix::fs::unlinkat(CWD, folder.join(name), AtFlags::REMOVEDIR)?;
    }
    Ok(())
}
