//! bubblewrap's arguments, exactly the measured set. They go over by descriptor, so no process list shows a path of the
//! host. It knows the order and the meaning of each flag, and starts nothing.

use super::sources::Sources;
use super::{ARGUMENTS, FILTERS, INFO};
use crate::confinement::{Access, Limits, Source};
use crate::refusal::Wall;
use crate::start::STAGE;

/// What the flags depend on.
pub(super) struct Flags<'a> {
    pub(super) limits: &'a Limits,
    pub(super) image_links: &'a [(String, String)],
    pub(super) sources: &'a Sources<'a>,
    /// The sources lie on `STAGE/n` (as root), and are not passed as descriptors.
    pub(super) staged: bool,
    pub(super) filters: usize,
    /// A wall that a test wants broken.
    pub(super) left_out: Option<Wall>,
}

/// Arguments, each ended by NUL.
#[derive(Default)]
struct List(Vec<u8>);

impl List {
    fn add(&mut self, words: &[&str]) {
        for word in words {
            self.0.extend_from_slice(word.as_bytes());
            self.0.push(0);
        }
    }
}

impl Flags<'_> {
    /// What bubblewrap's own command line shows: nothing but two descriptors.
    pub(super) fn command_line() -> [String; 5] {
        let [args, helper] = [ARGUMENTS, super::HELPER_PLACE];
        ["bwrap".into(), "--args".into(), args.to_string(), "--".into(), format!("/proc/self/fd/{helper}")]
    }

    /// The descriptor of the n-th source, after those of the filters.
    pub(super) fn source_descriptor(&self, index: usize) -> usize {
        FILTERS + self.filters + index
    }

    /// The content of the arguments' descriptor.
    pub(super) fn arguments(&self) -> Vec<u8> {
        let mut list = List::default();
        let unless = |wall: Wall| self.left_out != Some(wall);
        self.namespaces(&mut list);
        list.add(&["--as-pid-1", "--clearenv", "--info-fd", &INFO.to_string()]);
        if unless(Wall::Environment) {
            list.add(&["--unsetenv", "PWD"]);
        } else {
            list.add(&["--setenv", "SECRET", "1"]);
        }
        self.image(&mut list);
        self.memory_backed(&mut list);
        for (index, mount) in self.sources.mounts.iter().enumerate() {
            let place = mount.place.to_str().unwrap_or_default();
            match (&mount.source, unless(Wall::Mounts)) {
                (_, false) => {}
                (Source::Handle(_), true) => self.bind(&mut list, self.sources.number_of(index), place, mount.access),
                (Source::Scratch(bytes), true) => list.add(&["--size", &bytes.to_string(), "--tmpfs", place]),
            }
        }
        if unless(Wall::Devices) {
            list.add(&["--remount-ro", "/dev"]);
        }
        if unless(Wall::Root) {
            list.add(&["--remount-ro", "/"]);
        }
        if unless(Wall::Calls) {
            for index in 0..self.filters {
                list.add(&["--add-seccomp-fd", &(FILTERS + index).to_string()]);
            }
        }
        list.0
    }

    fn namespaces(&self, list: &mut List) {
        let unless = |wall: Wall| self.left_out != Some(wall);
        list.add(&["--unshare-user", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]);
        // Looks whether --disable-userns did what it says, while no filter hides it.
        list.add(&["--assert-userns-disabled"]);
        list.add(&["--uid", if unless(Wall::Identity) { "1000" } else { "1001" }, "--gid", "1000"]);
        list.add(&["--hostname", if unless(Wall::Hostname) { "sandbox" } else { "elsewhere" }]);
        let each = [
            (Wall::Namespaces, "--unshare-ipc"),
            (Wall::Network, "--unshare-net"),
            (Wall::Nested, "--disable-userns"),
            (Wall::Death, "--die-with-parent"),
            (Wall::Session, "--new-session"),
        ];
        for (_, flag) in each.into_iter().filter(|(wall, _)| unless(*wall)) {
            list.add(&[flag]);
        }
        list.add(&if unless(Wall::Capabilities) { ["--cap-drop", "ALL"] } else { ["--cap-add", "CAP_CHOWN"] });
    }

    /// The tool image, its usual links at the top, and the made /etc.
    fn image(&self, list: &mut List) {
        let access = |wall| if self.left_out == Some(wall) { Access::ReadWrite } else { Access::ReadOnly };
        self.bind(list, 0, "/usr", access(Wall::Image));
        if self.left_out == Some(Wall::Etc) {
            list.add(&["--dir", "/etc"]);
        } else {
            self.bind(list, 1, "/etc", Access::ReadOnly);
        }
        for (target, place) in self.image_links {
            list.add(&["--symlink", target, place]);
        }
        list.add(&["--dir", "/home", "--dir", "/run", "--dir", "/var", "--symlink", "/tmp", "/var/tmp"]);
    }

    fn memory_backed(&self, list: &mut List) {
        if self.left_out == Some(Wall::Proc) {
            list.add(&["--dir", "/proc"]);
        } else {
            list.add(&["--proc", "/proc"]);
        }
        list.add(&["--dev", "/dev"]);
        let room = if self.left_out == Some(Wall::Tmp) { 2 } else { 1 };
        for (place, bytes) in [("/dev/shm", self.limits.shm_bytes), ("/tmp", self.limits.tmp_bytes)] {
            list.add(&["--perms", "1777", "--size", &(bytes * room).to_string(), "--tmpfs", place]);
        }
    }

    fn bind(&self, list: &mut List, number: usize, place: &str, access: Access) {
        let staged = format!("{STAGE}/{number}");
        let descriptor = self.source_descriptor(number).to_string();
        match (self.staged, access) {
            (true, Access::ReadOnly) => list.add(&["--ro-bind", &staged, place]),
            (true, Access::ReadWrite) => list.add(&["--bind", &staged, place]),
            (false, Access::ReadOnly) => list.add(&["--ro-bind-fd", &descriptor, place]),
            (false, Access::ReadWrite) => list.add(&["--bind-fd", &descriptor, place]),
        }
    }
}
