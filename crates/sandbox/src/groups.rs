//! Control groups: where this process may make them (version 1, version 2, or both side by side), one group with its
//! limits, and its end. Without a group that can limit memory and processes there is none at all, and the caller falls
//! back to resource limits and a watcher.
#![expect(clippy::disallowed_methods, reason = "control groups are files of the kernel")]

use crate::confinement::Limits;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where groups can be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// This process's own group in each version 1 hierarchy that matters, by controller.
    one: Vec<(&'static str, PathBuf)>,
    /// This process's own group in the version 2 hierarchy.
    two: Option<PathBuf>,
}

/// Which kind of control group holds the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Version 2 alone.
    Two,
    /// Version 1 alone.
    One,
    /// Version 1 for limits, version 2 for killing.
    Hybrid,
    /// None: resource limits and a watcher.
    None,
}

const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpu"];

/// The helper, the thread it was started from and bubblewrap's own process are in the group too.
const OWN_PROCESSES: u64 = 3;

/// The kernel's usual period of processor shares, in microseconds.
const PERIOD: u64 = 100_000;

impl Layout {
    /// The layout of this host.
    pub(crate) fn of_host() -> Layout {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        Layout::read(&own, &mounts)
    }

    /// From the text of `/proc/self/cgroup` and `/proc/self/mountinfo`.
    fn read(own: &str, mounts: &str) -> Layout {
        let mut layout = Layout::default();
        for line in own.lines() {
            let mut parts = line.splitn(3, ':');
            let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
            if controllers.is_empty() {
                layout.two = folder(mounts, "cgroup2", None, path);
            }
            for name in CONTROLLERS.into_iter().filter(|name| controllers.split(',').any(|c| c == *name)) {
                layout.one.extend(folder(mounts, "cgroup", Some(name), path).map(|folder| (name, folder)));
            }
        }
        layout
    }

    /// Removes the empty groups that servers which are gone have left.
    pub(crate) fn remove_stale(&self) {
        let places = self.one.iter().map(|(_, folder)| folder).chain(&self.two);
        for entry in places.filter_map(|parent| fs::read_dir(parent).ok()).flatten().flatten() {
            let name = entry.file_name();
            let owner =
                name.to_str().and_then(|name| name.strip_prefix("riad-")?.split('-').next()?.parse::<u32>().ok());
            if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
                // One that is not empty stays: the sweep ends its processes first.
                let _not_empty = fs::remove_dir(entry.path());
            }
        }
    }
}

/// The folder of a group, seen through the mount of its hierarchy.
fn folder(mounts: &str, kind: &str, controller: Option<&str>, path: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let mut right = right.split(' ');
        let (found, options) = (right.next()?, right.nth(1).unwrap_or_default());
        if found != kind || controller.is_some_and(|name| !options.split(',').any(|option| option == name)) {
            return None;
        }
        let mut left = left.split(' ').skip(3);
        let (root, place) = (left.next()?, left.next()?);
        let beneath = Path::new(path).strip_prefix(root).ok()?;
        Some(Path::new(place).join(beneath))
    })
}

/// One group in every hierarchy that matters.
#[derive(Debug)]
pub(crate) struct Group {
    one: Vec<(&'static str, PathBuf)>,
    two: Option<(PathBuf, OwnedFd)>,
    kind: GroupKind,
}

impl Group {
    /// Makes a group of that name, or nothing when it could not limit memory and processes.
    pub(crate) fn make(layout: &Layout, name: &str) -> Option<Group> {
        let one: Vec<_> =
            layout.one.iter().filter_map(|(c, parent)| Some((*c, make_folder(&parent.join(name))?))).collect();
        let two = layout.two.as_deref().and_then(|parent| {
            let folder = make_folder(&parent.join(name))?;
            let handle = fs::File::open(&folder).ok()?;
            Some((folder, OwnedFd::from(handle)))
        });
        let mut group = Group { one, two, kind: GroupKind::None };
        let has = |controller: &str| group.one.iter().any(|(name, _)| *name == controller);
        let limits_by_two = || layout.two.as_deref().is_some_and(|parent| group.can_limit_by_two(parent));
        group.kind = match (has("memory") && has("pids"), group.two.is_some()) {
            (true, true) => GroupKind::Hybrid,
            (true, false) => GroupKind::One,
            (false, true) if limits_by_two() => GroupKind::Two,
            (false, _) => return None,
        };
        Some(group)
    }

    /// Which kind it is.
    pub(crate) fn kind(&self) -> GroupKind {
        self.kind
    }

    /// The version 2 group, for being born in it.
    pub(crate) fn birthplace(&self) -> Option<BorrowedFd<'_>> {
        self.two.as_ref().map(|(_, handle)| handle.as_fd())
    }

    /// Moves the calling thread into the version 1 groups: what it starts is born in them. Version 2 moves whole
    /// processes only, hence `birthplace`.
    pub(crate) fn enter(&self) -> io::Result<()> {
        let enter = |folder: &Path| fs::write(folder.join("tasks"), "0");
        let (shares, limits): (Vec<_>, Vec<_>) = self.one.iter().partition(|(controller, _)| *controller == "cpu");
        // A real-time thread may be refused by the processor's controller; its commands go without a share, then.
        shares.iter().for_each(|(_, folder)| drop(enter(folder)));
        limits.iter().try_for_each(|(_, folder)| enter(folder))
    }

    /// Moves the calling thread back to where it came from, so that the groups can go.
    pub(crate) fn leave(&self) {
        for folder in self.one.iter().filter_map(|(_, folder)| folder.parent()) {
            // What cannot be left now is removed by the next server.
            let _still_inside = fs::write(folder.join("tasks"), "0");
        }
    }

    /// Sets the limits for the next command.
    pub(crate) fn set(&self, limits: &Limits) -> io::Result<()> {
        let processes = (limits.processes + OWN_PROCESSES).to_string();
        let (memory, quota) = (limits.memory_bytes.to_string(), u64::from(limits.processors) * PERIOD);
        for (controller, folder) in &self.one {
            match *controller {
                "memory" => set_memory(folder, &memory)?,
                "pids" => fs::write(folder.join("pids.max"), &processes)?,
                // A machine may have fewer processors than the share; a share that cannot be set limits nothing less.
                _ => drop(fs::write(folder.join("cpu.cfs_quota_us"), quota.to_string())),
            }
        }
        if let (GroupKind::Two, Some((folder, _))) = (self.kind, &self.two) {
            fs::write(folder.join("memory.max"), &memory)?;
            fs::write(folder.join("pids.max"), &processes)?;
            // Absent without swap accounting, on older kernels, or without the controller.
            drop(fs::write(folder.join("memory.swap.max"), "0"));
            drop(fs::write(folder.join("memory.oom.group"), "1"));
            drop(fs::write(folder.join("cpu.max"), format!("{quota} {PERIOD}")));
        }
        Ok(())
    }

    /// How often the kernel has ended a process here for want of memory.
    pub(crate) fn memory_kills(&self) -> u64 {
        let one = self.one.iter().find(|(c, _)| *c == "memory").map(|(_, folder)| folder.join("memory.oom_control"));
        let two = self.two.as_ref().map(|(folder, _)| folder.join("memory.events"));
        let count = |path: PathBuf| {
            let text = fs::read_to_string(path).ok()?;
            text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse::<u64>().ok())
        };
        one.and_then(count).unwrap_or(0) + two.and_then(count).unwrap_or(0)
    }

    /// Sees that the group is empty but for the thread that calls, and ends at once what is still there, where the
    /// kernel can (version 2, from Linux 5.14). False means that it had to: such a group must not be used again, since
    /// on some kernels (6.18, seen) whoever is born into a group that was killed once is killed too.
    pub(crate) fn empty(&self) -> bool {
        let becomes_empty = |patience: Duration| {
            let until = Instant::now() + patience;
            while !self.is_empty() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            self.is_empty()
        };
        if becomes_empty(Duration::from_millis(50)) {
            return true;
        }
        if let Some((folder, _)) = &self.two {
            let _older_kernel = fs::write(folder.join("cgroup.kill"), "1");
        }
        becomes_empty(Duration::from_secs(1));
        false
    }

    fn is_empty(&self) -> bool {
        // A file that cannot be read is of a group that is gone.
        let lines = |path: PathBuf| fs::read_to_string(path).unwrap_or_default().lines().count();
        match (&self.two, self.one.first()) {
            (Some((folder, _)), _) => lines(folder.join("cgroup.procs")) == 0,
            (None, Some((_, folder))) => lines(folder.join("tasks")) <= 1,
            (None, None) => true,
        }
    }

    fn can_limit_by_two(&self, parent: &Path) -> bool {
        let Some((folder, _)) = &self.two else { return false };
        has_controllers(folder) || (enable_controllers(parent).is_ok() && has_controllers(folder))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in self.one.iter().map(|(_, folder)| folder).chain(self.two.as_ref().map(|(folder, _)| folder)) {
            // Not empty means the last process is just going; the next start removes it.
            let _not_empty = fs::remove_dir(folder);
        }
    }
}

fn make_folder(folder: &Path) -> Option<PathBuf> {
    match fs::create_dir(folder) {
        Ok(()) => Some(folder.to_owned()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Some(folder.to_owned()),
        Err(_) => None,
    }
}

fn has_controllers(folder: &Path) -> bool {
    let found = fs::read_to_string(folder.join("cgroup.controllers")).unwrap_or_default();
    ["memory", "pids"].iter().all(|wanted| found.split_whitespace().any(|name| name == *wanted))
}

/// Hands the controllers down to the groups beneath. A group with processes of its own may not, so when this process
/// is alone in its group it first steps into one beneath.
fn enable_controllers(parent: &Path) -> io::Result<()> {
    let enable = || {
        fs::write(parent.join("cgroup.subtree_control"), "+cpu")
            .and(Ok(()))
            .or(Ok::<(), io::Error>(()))
            .and_then(|()| fs::write(parent.join("cgroup.subtree_control"), "+memory +pids"))
    };
    if enable().is_ok() {
        return Ok(());
    }
    let own = std::process::id().to_string();
    if fs::read_to_string(parent.join("cgroup.procs"))?.trim() != own {
        return Err(io::Error::other("the group has other processes"));
    }
    let leaf = make_folder(&parent.join("riad-server")).ok_or_else(|| io::Error::other("no group can be made"))?;
    fs::write(leaf.join("cgroup.procs"), &own)?;
    enable()
}

/// Memory, then memory and swap together, which may never be below it: so the order depends on the old values.
fn set_memory(folder: &Path, bytes: &str) -> io::Result<()> {
    let (memory, both) = (folder.join("memory.limit_in_bytes"), folder.join("memory.memsw.limit_in_bytes"));
    let _absent_without_swap_accounting = fs::write(&both, bytes);
    fs::write(&memory, bytes)?;
    drop(fs::write(&both, bytes));
    drop(fs::write(folder.join("memory.swappiness"), "0"));
    Ok(())
}

#[cfg(test)]
mod tests;
