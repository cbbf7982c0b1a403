//! The tree changes while it is used: folders become links outward and back again, files become pipes. Nothing outside
//! is read or changed.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::digest::Digest;
use tools::files::beneath::{Beneath, Rights};

/// Acts of one test in CI, and what the specification asks for when long tests are wanted.
fn acts() -> usize {
    testkit::counts::pick(3_000, 10_000)
}

struct Ground {
    folder: tempfile::TempDir,
    tree: Beneath,
}

fn ground() -> Ground {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["root", "root/sub", "root/spare", "outside"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    std::fs::write(at("root/sub/b.txt"), "inside").unwrap();
    std::fs::write(at("outside/b.txt"), "secret").unwrap();
    symlink("../outside", at("root/link")).unwrap();
    let handle = std::fs::File::open(at("root")).unwrap();
    let tree = Beneath::new(handle.into(), Rights::Write, Arc::from([]));
    Ground { folder, tree }
}

fn way(text: &str) -> Vec<String> {
    text.split('/').map(str::to_owned).collect()
}

/// Exchanges two names for ever, in one step each.
fn exchange(root: &Path, one: &str, other: &str, stop: &AtomicBool) {
    let folder = std::fs::File::open(root).unwrap();
    while !stop.load(Ordering::Relaxed) {
        rustix::fs::renameat_with(&folder, one, &folder, other, rustix::fs::RenameFlags::EXCHANGE).unwrap();
    }
}

/// Runs `act` many times while `one` and `other` change places.
fn while_exchanging(ground: &Ground, one: &str, other: &str, mut act: impl FnMut(usize)) {
    let stop = AtomicBool::new(false);
    let root = ground.folder.path().join("root");
    std::thread::scope(|scope| {
        scope.spawn(|| exchange(&root, one, other, &stop));
        (0..acts()).for_each(&mut act);
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(std::fs::read_to_string(ground.folder.path().join("outside/b.txt")).unwrap(), "secret");
    assert_eq!(
        std::fs::read_dir(ground.folder.path().join("outside")).unwrap().count(),
        1,
        "something was made outside"
    );
}

#[test]
fn a_folder_swapped_for_a_link_is_never_read_through() {
    let ground = ground();
    let mut read = 0;
    while_exchanging(&ground, "sub", "link", |_| {
        if let Ok(bytes) = ground.tree.find(&way("sub/b.txt")).and_then(|spot| ground.tree.read(&spot, 100)) {
            assert_eq!(bytes, b"inside");
            read += 1;
        }
    });
    assert!(read > 0, "the folder was never met");
}

#[test]
fn a_folder_swapped_for_a_link_is_never_written_through() {
    let ground = ground();
    let mut written = 0;
    while_exchanging(&ground, "sub", "link", |number| {
        let token = format!("t{number}");
        if let Ok(spot) = ground.tree.find(&way(&format!("sub/new{number}"))) {
            written += usize::from(ground.tree.create(&spot, b"x", &token).is_ok());
        }
        if let Ok(spot) = ground.tree.find(&way("sub/b.txt")) {
            let done = ground.tree.replace(&spot, Digest::of_bytes(b"inside"), b"inside", &token);
            written += usize::from(done.is_ok());
        }
    });
    assert!(written > 0, "the folder was never met");
}

#[test]
fn a_file_is_removed_from_the_folder_that_was_found_only() {
    let ground = ground();
    let mut removed = 0;
    while_exchanging(&ground, "sub", "link", |_| {
        if let Ok(spot) = ground.tree.find(&way("sub/b.txt")) {
            removed += usize::from(ground.tree.remove(&spot).is_ok());
            let back = ground.tree.find(&way("sub/b.txt"));
            if let Ok(spot) = back {
                let _made = ground.tree.create(&spot, b"inside", "back");
            }
        }
    });
    assert!(removed > 0, "the file was never met");
}

#[test]
fn a_file_swapped_for_a_pipe_blocks_nobody() {
    let ground = ground();
    let root = ground.folder.path().join("root");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o644),
        0,
    )
    .unwrap();
    std::fs::write(root.join("plain"), "inside").unwrap();
    let mut read = 0;
    while_exchanging(&ground, "plain", "pipe", |_| {
        if let Ok(bytes) = ground.tree.find(&way("plain")).and_then(|spot| ground.tree.read(&spot, 100)) {
            assert_eq!(bytes, b"inside");
            read += 1;
        }
    });
    assert!(read > 0, "the file was never met");
}
