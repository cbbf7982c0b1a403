//! The backend that uses bubblewrap: it lays out descriptors and arguments, starts it, hears from the helper inside
//! whether every wall stands, has the process recorded, and lets the program go. What the flags are is in
//! `bubblewrap/flags.rs`; it decides nothing about who may run what.

mod flags;
mod sources;
mod trial;
mod wires;

use crate::backend::{Backend, Probe, WallReport};
use crate::confinement::{Confinement, check};
use crate::etc;
use crate::filter;
use crate::groups::{GroupKind, Layout};
use crate::leash::{self, Ear, Plan, Voice, Word};
use crate::refusal::{Refusal, Wall};
use crate::running::{Running, Tree};
use crate::slots::{Job, Order, Slot, Slots};
use crate::spawned::{Ledger, Record, Spawned};
use async_trait::async_trait;
use flags::Flags;
use rustix::fs::{Access, Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use sources::Sources;
use std::ffi::CString;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::{oneshot, watch};
use wires::{Far, Near};

/// The one place where the program is looked for: a folder that people can write to never comes into it.
const PROGRAM: &str = "/usr/bin/bwrap";

/// The helper, compiled by `build.rs`.
const HELPER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/riad-inside"));

/// No report of the walls within this time: Refused (REACH-63).
const REPORT_TIME: Duration = Duration::from_secs(2);

/// The numbers of the descriptors that bubblewrap gets. 0 and 1 are nothing and 2 is for its complaints; 3 to 6 are the
/// helper's (`inside/main.rs`): leash, stdin, stdout, stderr.
const HELPER_PLACE: usize = 7;
const ARGUMENTS: usize = 8;
const INFO: usize = 9;
const FILTERS: usize = 10;

/// What the command line of every bubblewrap of this crate shows.
pub(crate) fn command_line() -> [String; 5] {
    Flags::command_line()
}

/// What a server tells the backend once.
#[derive(Clone)]
pub struct Settings {
    /// A folder of the server's own, for the made `/etc`.
    pub state: PathBuf,
    /// Where processes are recorded.
    pub ledger: Arc<dyn Ledger>,
    /// Whether control groups are used where they can be. Off means resource limits and a watcher.
    pub groups: bool,
}

/// Commands by bubblewrap.
pub struct Bubblewrap {
    ledger: Arc<dyn Ledger>,
    slots: Arc<Slots>,
    groups: GroupKind,
    helper: OwnedFd,
    nothing: OwnedFd,
    image: OwnedFd,
    etc: OwnedFd,
    image_links: Vec<(String, String)>,
    filters: Vec<Vec<u8>>,
    namespaces: Vec<String>,
    left_out: Option<Wall>,
}

impl Bubblewrap {
    /// Gets ready; no command runs yet. The error says what this host lacks.
    pub fn new(settings: Settings) -> Result<Bubblewrap, Refusal> {
        check_program()?;
        let etc = etc::made(&settings.state).map_err(Refusal::system("making /etc"))?;
        let slots = Slots::new(settings.groups.then(Layout::of_host));
        let groups = slots.kind();
        Ok(Bubblewrap {
            ledger: settings.ledger,
            slots,
            groups,
            helper: wires::memory_program("riad-inside", HELPER).map_err(Refusal::system("unpacking the helper"))?,
            nothing: open(Path::new("/dev/null"), OFlags::RDWR)?,
            image: open(Path::new("/usr"), OFlags::PATH | OFlags::DIRECTORY)?,
            etc: open(&etc, OFlags::PATH | OFlags::DIRECTORY)?,
            image_links: sources::image_links()?,
            filters: filter::programs(groups == GroupKind::None, true)?,
            namespaces: sources::host_namespaces().map_err(Refusal::system("reading /proc/self/ns"))?,
            left_out: None,
        })
    }

    /// Leaves one wall out, to see that no command runs without it. Only tests can ask for it.
    #[cfg(feature = "broken-walls")]
    #[must_use]
    pub fn without(mut self, wall: Wall) -> Bubblewrap {
        self.left_out = Some(wall);
        if wall == Wall::Sockets {
            self.filters = filter::programs(self.groups == GroupKind::None, false).unwrap_or_default();
        }
        self
    }

    /// What kind of control group holds the limits.
    pub fn groups(&self) -> GroupKind {
        self.groups
    }

    /// Builds the walls, has them looked at, records the process and lets the program go.
    async fn start(&self, mut confinement: Confinement, extra: Plan) -> Result<(Running, Vec<WallReport>), Refusal> {
        check(&mut confinement)?;
        let host_user = host_user(confinement.host_uid)?;
        let mut plan = self.plan(&confinement);
        plan.append(extra);
        let stdin = std::mem::take(&mut confinement.stdin);
        let (near, far) = wires::lay(&self.nothing, stdin, host_user).map_err(Refusal::system("making pipes"))?;
        let slot = self.slots.take().map_err(Refusal::system("taking a starting thread"))?;
        let group = slot.group().cloned();
        if let Some(group) = &group {
            let missing = |error: io::Error| Refusal::WallMissing { wall: Wall::Limits, reason: error.to_string() };
            group.set(&confinement.limits).map_err(missing)?;
        }
        let record = Arc::new(Record::new(Arc::clone(&self.ledger)));
        let (end, ended) = watch::channel(false);
        let on_end = {
            let record = Arc::clone(&record);
            move || {
                record.end();
                end.send_replace(true);
            }
        };
        let (pid, monitor) = self.launch(slot, &confinement, host_user, far, Box::new(on_end)).await?;
        let mut tree = Tree::new(pid, monitor, ended, group);
        let Near { leash, stdin, stdout, stderr, complaint, info } = near;
        let report = tokio::time::timeout(REPORT_TIME, hear_of_walls(leash, &plan)).await;
        let (walls, mut ear, mut voice) = match report {
            Ok(Ok(report)) => report,
            Ok(Err(error)) => return Err(complained(&wires::drained(&complaint), &error)),
            Err(_) => return Err(no_report()),
        };
        if let Some(missing) = walls.iter().find(|wall| !wall.held) {
            return Err(Refusal::WallMissing { wall: missing.wall, reason: missing.reason.clone() });
        }
        tree.first = Some(first_process(&wires::drained(&info))?);
        let spawned = Spawned::of(pid, &confinement.purpose).map_err(Refusal::system("reading the process's start"))?;
        record.start(&spawned).map_err(Refusal::NotRecorded)?;
        voice.say("go").await;
        match ear.next().await {
            Some(Word::Running) => {}
            other => return Err(not_run(other, &confinement)),
        }
        let pipes = (stdin, stdout, stderr);
        let running = Running::new(tree, spawned, ear, voice, pipes, confinement.limits)?;
        Ok((running, walls))
    }

    async fn launch(
        &self,
        slot: Slot,
        confinement: &Confinement,
        host_user: Option<u32>,
        far: Far,
        on_end: Box<dyn FnOnce() + Send>,
    ) -> Result<(i32, OwnedFd), Refusal> {
        let order = self.order(slot.group().is_some(), confinement, host_user, far)?;
        let (started, reply) = oneshot::channel();
        slot.run(Job { order, on_end, started }).map_err(Refusal::system("starting"))?;
        let reply = reply.await.unwrap_or_else(|_| Err(io::Error::other("the starting thread is gone")));
        reply.map_err(Refusal::system("starting bubblewrap"))
    }

    /// Everything that the starting thread needs.
    fn order(
        &self,
        has_group: bool,
        confinement: &Confinement,
        host_user: Option<u32>,
        far: Far,
    ) -> Result<Order, Refusal> {
        let sources = Sources::new(&confinement.mounts)?;
        let limits = &confinement.limits;
        let flags = Flags {
            limits,
            image_links: &self.image_links,
            sources: &sources,
            staged: host_user.is_some(),
            filters: self.filters.len(),
            left_out: self.left_out,
        };
        let broken = Refusal::system("laying out descriptors");
        let arguments = wires::memory_file("arguments", &flags.arguments()).map_err(&broken)?;
        let own = |descriptor: &OwnedFd| descriptor.try_clone().map_err(&broken);
        let mut descriptors = vec![own(&self.nothing)?, own(&self.nothing)?, far.complaint];
        descriptors.extend([far.leash, far.stdin, far.stdout, far.stderr, own(&self.helper)?, arguments, far.info]);
        for filter in &self.filters {
            descriptors.push(wires::memory_file("filter", filter).map_err(&broken)?);
        }
        let handles = sources.handles(&self.image, &self.etc);
        let owned = |handle: &BorrowedFd<'_>| handle.try_clone_to_owned().map_err(&broken);
        let staged = match host_user {
            Some(user) => {
                let pair = |handle: &BorrowedFd<'_>| Ok((owned(handle)?, sources::is_folder(*handle)));
                Some((user, handles.iter().map(pair).collect::<Result<_, Refusal>>()?))
            }
            None => {
                descriptors.extend(handles.iter().map(owned).collect::<Result<Vec<_>, _>>()?);
                None
            }
        };
        let words = Flags::command_line().map(CString::new).into_iter().collect::<Result<_, _>>();
        Ok(Order {
            program: CString::new(PROGRAM).map_err(|error| broken(error.into()))?,
            arguments: words.map_err(|error| broken(error.into()))?,
            descriptors,
            staged,
            processors: (!has_group).then_some(limits.processors as usize),
        })
    }

    /// What the helper inside is told.
    fn plan(&self, confinement: &Confinement) -> Plan {
        let limits = &confinement.limits;
        let mut plan = Plan::default();
        plan.add("dir", confinement.directory.as_os_str().as_encoded_bytes());
        for word in &confinement.arguments {
            plan.add("arg", word);
        }
        for (name, value) in &confinement.environment {
            plan.add("env", format!("{name}={value}"));
        }
        // The helper is a process inside too.
        let mut resources = vec![
            (libc::RLIMIT_NPROC, limits.processes + 1),
            (libc::RLIMIT_FSIZE, limits.file_bytes),
            (libc::RLIMIT_NOFILE, limits.descriptors),
            (libc::RLIMIT_CORE, 0),
        ];
        if self.groups == GroupKind::None {
            // Of one process; the watcher sums them up.
            resources.push((libc::RLIMIT_DATA, limits.memory_bytes));
        }
        for (resource, value) in resources {
            plan.add("limit", format!("{resource}:{value}"));
        }
        for namespace in &self.namespaces {
            plan.add("namespace", namespace);
        }
        for mount in &confinement.mounts {
            let mode = if mount.access == crate::Access::ReadOnly { "ro:" } else { "rw:" };
            plan.add("mount", [mode.as_bytes(), mount.place.as_os_str().as_encoded_bytes()].concat());
        }
        plan.add("tmp", limits.tmp_bytes.to_string());
        plan.add("shm", limits.shm_bytes.to_string());
        plan
    }
}

#[async_trait]
impl Backend for Bubblewrap {
    fn name(&self) -> &'static str {
        "bubblewrap"
    }

    async fn probe(&self) -> Probe {
        trial::probe(self).await
    }

    async fn spawn(&self, confinement: Confinement) -> Result<Running, Refusal> {
        self.start(confinement, Plan::default()).await.map(|(running, _)| running)
    }
}

/// The program must be there, root's, and nobody else's to change.
fn check_program() -> Result<(), Refusal> {
    let bad = |what: &str| Err(Refusal::NoBubblewrap { reason: format!("{PROGRAM} {what}") });
    let Ok(found) = rustix::fs::stat(PROGRAM) else { return bad("is not there") };
    if found.st_uid != 0 || found.st_mode & 0o022 != 0 {
        return bad("can be changed by others than root");
    }
    if rustix::fs::access(PROGRAM, Access::EXEC_OK).is_err() { bad("cannot be run") } else { Ok(()) }
}

fn open(path: &Path, flags: OFlags) -> Result<OwnedFd, Refusal> {
    rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| Refusal::System { step: "opening the image", reason: format!("{}: {error}", path.display()) })
}

/// REACH-65: never root, and never another user than the one who asks can become.
fn host_user(wanted: Option<u32>) -> Result<Option<u32>, Refusal> {
    match (rustix::process::geteuid().is_root(), wanted) {
        (true, Some(uid)) => Ok(Some(uid)),
        (true, None) => Err(Refusal::RootWithoutUid),
        (false, Some(uid)) if uid != rustix::process::geteuid().as_raw() => Err(Refusal::CannotBecome(uid)),
        (false, _) => Ok(None),
    }
}

/// Sends the plan and reads the report: one line for each wall.
async fn hear_of_walls(
    leash: std::os::unix::net::UnixStream,
    plan: &Plan,
) -> io::Result<(Vec<WallReport>, Ear, Voice)> {
    leash.set_nonblocking(true)?;
    let (mut ear, mut voice) = leash::halves(UnixStream::from_std(leash)?);
    voice.tell(plan).await?;
    let mut walls = Vec::new();
    loop {
        match ear.next().await {
            Some(Word::Held(wall)) => walls.push(WallReport { wall, held: true, reason: String::new() }),
            Some(Word::Missing(wall, reason)) => walls.push(WallReport { wall, held: false, reason }),
            Some(Word::Checked) => return Ok((walls, ear, voice)),
            Some(Word::Broken(reason)) => return Err(io::Error::other(reason)),
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn no_report() -> Refusal {
    let reason = format!("no report of the walls within {} s; the machine may be overloaded", REPORT_TIME.as_secs());
    Refusal::System { step: "building the walls", reason }
}

/// What bubblewrap's own message means.
fn complained(message: &str, error: &io::Error) -> Refusal {
    let wall = |wall| Refusal::WallMissing { wall, reason: message.to_owned() };
    let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if has(&["Unknown option"]) {
        return Refusal::NoBubblewrap { reason: format!("{PROGRAM} is too old ({message})") };
    }
    if has(&["creation of new user namespaces was not disabled"]) {
        return wall(Wall::Nested);
    }
    if has(&["namespace", "uid map", "gid map", "mount proc", "loopback", "RTM_NEWADDR"]) {
        return wall(Wall::Namespaces);
    }
    if has(&["seccomp"]) {
        return wall(Wall::Calls);
    }
    if has(&["Race condition", "source path", "Can't bind", "bind mount"]) {
        return wall(Wall::Mounts);
    }
    let reason = if message.is_empty() { error.to_string() } else { message.to_owned() };
    Refusal::System { step: "building the walls", reason }
}

/// The number of the first process inside, from what bubblewrap tells: `{ "child-pid": 123, ... }`.
fn first_process(info: &str) -> Result<OwnedFd, Refusal> {
    let after = info.split("\"child-pid\":").nth(1).unwrap_or_default().trim_start();
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let pid = after[..digits].parse().ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| Refusal::System { step: "finding the first process", reason: info.to_owned() })?;
    pidfd_open(pid, PidfdFlags::empty())
        .map_err(|error| Refusal::System { step: "finding the first process", reason: error.to_string() })
}

/// Why the helper did not start the program.
fn not_run(word: Option<Word>, confinement: &Confinement) -> Refusal {
    let Some(Word::Failed(step, number)) = word else {
        return Refusal::System { step: "starting the program", reason: "the helper inside ended".to_owned() };
    };
    let reason = io::Error::from_raw_os_error(number).to_string();
    match step.as_str() {
        "program" => Refusal::NoProgram { program: confinement.arguments.first().cloned().unwrap_or_default(), reason },
        "directory" => Refusal::NoFolder { folder: confinement.directory.display().to_string(), reason },
        "limits" => Refusal::WallMissing { wall: Wall::Limits, reason },
        other => Refusal::System { step: "starting the program", reason: format!("{other}: {reason}") },
    }
}
