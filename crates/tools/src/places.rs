//! The roots of the agent namespace on this machine: home, work folders, notes. One resolver for all tools.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use domain::digest::Digest;
use domain::facts::Root;
use domain::id::ConversationId;
use domain::place::{self, Place};
use harness::ports::Notes;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::files::beneath::{Beneath, Fault, Inode, Rights};

/// Where one person's tools may go.
#[derive(Clone)]
pub struct Places {
    home: Arc<Beneath>,
    works: Arc<OwnedFd>,
    kept: Arc<[Inode]>,
    notes: Arc<dyn Notes>,
    owner: Option<u32>,
}

/// A place with what it takes to get there.
#[derive(Clone)]
pub(crate) enum Target {
    /// A file or folder of a tree.
    Tree(Arc<Beneath>, Place),
    /// A note, by its path below `user-memory/`.
    Note(Place),
}

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Places {
    /// Roots by their handles. `works` is the folder in which each conversation gets a work folder of its own; `kept`
    /// are folders and files that no tool reaches by any way (Riad's data, key, configuration, program).
    pub fn new(home: OwnedFd, works: OwnedFd, kept: Arc<[Inode]>, notes: Arc<dyn Notes>) -> Self {
        let home = Arc::new(home_tree(home, &kept, None));
        Self { home, works: Arc::new(works), kept, notes, owner: None }
    }

    /// Gives new files and folders to the user of this machine as whom this person's commands run. Needed where the
    /// server is root.
    pub fn owned_by(mut self, owner: u32) -> Result<Self, Fault> {
        let home = self.home.handle().try_clone_to_owned()?;
        self.home = Arc::new(home_tree(home, &self.kept, Some(owner)));
        self.owner = Some(owner);
        Ok(self)
    }

    /// Opens the roots by their paths on this machine. What of `kept` is not there needs no keeping.
    pub fn open(home: &Path, works: &Path, kept: &[&Path], notes: Arc<dyn Notes>) -> Result<Self, Fault> {
        let folder = |path: &Path| rustix::fs::open(path, FOLDER, Mode::empty()).map_err(Fault::from);
        let inode = |path: &&Path| {
            let handle = rustix::fs::open(*path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
            handle.ok().and_then(|handle| Inode::of(handle).ok())
        };
        let kept: Arc<[Inode]> = kept.iter().filter_map(inode).collect();
        Ok(Self::new(folder(home)?, folder(works)?, kept, notes))
    }

    /// The home's tree.
    pub fn home(&self) -> &Arc<Beneath> {
        &self.home
    }

    /// The notes.
    pub fn notes(&self) -> &Arc<dyn Notes> {
        &self.notes
    }

    /// The tree of a conversation's work folder, which is made when it is first asked for.
    pub fn work(&self, conversation: &ConversationId) -> Result<Arc<Beneath>, Fault> {
        let name = Self::work_folder(conversation);
        let made = match rustix::fs::mkdirat(&*self.works, name.as_str(), Mode::from_raw_mode(0o700)) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(errno) => return Err(errno.into()),
        };
        if let (true, Some(owner)) = (made, self.owner) {
            let (user, group) = (rustix::fs::Uid::from_raw(owner), rustix::fs::Gid::from_raw(owner));
            let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
            rustix::fs::chownat(&*self.works, name.as_str(), Some(user), Some(group), flags)?;
        }
        let handle = rustix::fs::openat(&*self.works, name.as_str(), FOLDER, Mode::empty())?;
        Ok(Arc::new(Beneath::new(handle, Rights::Write, Arc::clone(&self.kept)).owned_by(self.owner)))
    }

    /// The name of a conversation's work folder: made from the id, since an id may be any text.
    pub fn work_folder(conversation: &ConversationId) -> String {
        Digest::of_bytes(conversation.as_str().as_bytes()).hex()[..32].to_owned()
    }

    /// The place that a path names. The error says what to write instead.
    pub(crate) fn target(&self, path: &str, conversation: &ConversationId) -> Result<Target, String> {
        let place = Place::read(path).map_err(|fault| says(path, fault))?;
        match place.root {
            Root::Notes => Ok(Target::Note(place)),
            Root::Home => Ok(Target::Tree(Arc::clone(&self.home), place)),
            Root::Work => {
                let tree = self.work(conversation).map_err(|fault| says(path, fault))?;
                Ok(Target::Tree(tree, place))
            }
        }
    }
}

/// The home, in which the place where commands find the work folder is kept free.
fn home_tree(home: OwnedFd, kept: &Arc<[Inode]>, owner: Option<u32>) -> Beneath {
    Beneath::new(home, Rights::Write, Arc::clone(kept)).deny(&[WORK_MOUNT]).owned_by(owner)
}

/// The folder of a home on which the sandbox mounts a work folder.
pub(crate) const WORK_MOUNT: &str = "work";

/// A fault about a path, as the model reads it.
pub(crate) fn says(path: &str, fault: impl std::fmt::Display) -> String {
    format!("`{}`: {fault}.", path.escape_debug())
}

/// A place as it is written: `~/a/b`.
pub(crate) fn shown(root: Root, parts: &[String]) -> String {
    format!("{}/{}", place::root_name(root), parts.join("/"))
}

/// Runs what waits for the disk on a thread of its own.
pub(crate) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| "The work on the files broke off inside; nothing more was done. Try again.".to_owned())
}
