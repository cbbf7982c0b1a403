//! A place to test in: a sandbox, two people's folders, and the probe program where every user can run it.

use sandbox::*;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output as Outcome};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The user of commands when the tests run as root.
const USER: u32 = 10_001;

pub(crate) struct Place {
    pub(crate) root: tempfile::TempDir,
    pub(crate) backend: Arc<Bubblewrap>,
}

pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").map(|found| std::os::unix::fs::MetadataExt::uid(&found)).unwrap() == 0
}

pub(crate) fn host_uid() -> Option<u32> {
    is_root().then_some(USER)
}

impl Place {
    pub(crate) fn new() -> Place {
        Place::with(|settings| settings)
    }

    pub(crate) fn without_groups() -> Place {
        Place::with(|settings| Settings { groups: false, ..settings })
    }

    pub(crate) fn with(change: impl FnOnce(Settings) -> Settings) -> Place {
        let root = tempfile::Builder::new().prefix("riad-test-").tempdir_in("/tmp").unwrap();
        fs::set_permissions(root.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let state = root.path().join("state");
        fs::create_dir(&state).unwrap();
        fs::set_permissions(&state, PermissionsExt::from_mode(0o700)).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_riad-sandbox-probe"), root.path().join("probe")).unwrap();
        let settings = change(Settings { state, ledger: Arc::new(NoLedger), groups: true });
        let place = Place { root, backend: Arc::new(Bubblewrap::new(settings).unwrap()) };
        place.folder("alice");
        place.folder("bob");
        place.file("bob/secret", "bobsecret");
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir(&path).unwrap();
        self.own(&path)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        self.own(&path)
    }

    fn own(&self, path: &Path) -> PathBuf {
        if is_root() {
            chown(path, Some(USER), Some(USER)).unwrap();
        }
        path.to_owned()
    }

    /// A handle as callers open them: no link followed, for finding only.
    pub(crate) fn handle(&self, name: &str) -> OwnedFd {
        const O_PATH: i32 = 0o10_000_000;
        const O_NOFOLLOW: i32 = 0o400_000;
        fs::File::options().read(true).custom_flags(O_PATH | O_NOFOLLOW).open(self.path(name)).unwrap().into()
    }

    /// A command with alice's folder as its home.
    pub(crate) fn confinement<const N: usize>(&self, arguments: [&str; N]) -> Confinement {
        let mut confinement = Confinement::new("test", arguments);
        confinement = confinement.mount(self.handle("alice"), "/home/user", Access::ReadWrite);
        confinement.mounts.push(Mount {
            source: Source::Handle(self.handle("probe")),
            place: "/probe".into(),
            access: Access::ReadOnly,
        });
        confinement.directory = "/home/user".into();
        confinement.host_uid = host_uid();
        confinement.limits.deadline = Some(Duration::from_secs(20));
        confinement
    }

    pub(crate) fn shell(&self, line: &str) -> Confinement {
        self.confinement(["/bin/sh", "-c", line])
    }

    pub(crate) async fn run(&self, confinement: Confinement) -> Finished {
        let running = self.backend.spawn(confinement).await.unwrap();
        running.capture(&mut |_, _| {}, &CancellationToken::new()).await
    }

    /// The probe inside, with these arguments.
    pub(crate) async fn inside(&self, arguments: &[&str]) -> Finished {
        let mut confinement = self.confinement(["/probe"]);
        confinement.arguments.extend(arguments.iter().map(|word| (*word).to_owned()));
        self.run(confinement).await
    }

    /// The probe outside, as the same user: the control.
    pub(crate) fn outside(&self, arguments: &[&str]) -> Outcome {
        let mut command = Command::new(self.path("probe"));
        command.args(arguments).current_dir("/");
        if is_root() {
            command.uid(USER).gid(USER);
        }
        command.output().unwrap()
    }
}

/// Command lines on this host that hold the text, zombies left out.
pub(crate) fn processes_with(text: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    all.map(|line| String::from_utf8_lossy(&line).replace('\0', " ")).filter(|line| line.contains(text)).collect()
}

/// A number that no other test of this host uses, for `sleep`, so that its process can be told apart.
pub(crate) fn unique_sleep() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("8{:07}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Waits until the condition holds, at most so long; false when it never did.
pub(crate) fn within(time: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let until = std::time::Instant::now() + time;
    while !holds() {
        if std::time::Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}
