//! The backend that uses bubblewrap: it lays out descriptors and arguments, starts it, hears from the helper inside
//! whether every wall stands, has the process recorded, and lets the program go. Its parts are one file each below
//! `bubblewrap/`; it decides nothing about who may run what.

mod flags;
mod hearing;
mod order;
mod plan;
mod sources;
mod trial;
mod wires;

use crate::backend::{Backend, Probe, WallReport};
use crate::confinement::{Confinement, check};
use crate::etc;
use crate::filter;
use crate::groups::{GroupKind, Layout};
use crate::leash::Plan;
use crate::refusal::{Refusal, Wall};
use crate::running::{Running, Tree};
use crate::slots::{Job, Slot, Slots};
use crate::spawned::{Ledger, Record, Spawned};
use async_trait::async_trait;
use flags::Flags;
use hearing::{first_process, hear_that_walls_hold, let_go};
use rustix::fs::{Access, Mode, OFlags};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{oneshot, watch};
use wires::{Far, Near};

/// The one place where the program is looked for: a folder that people can write to never comes into it.
const PROGRAM: &str = "/usr/bin/bwrap";

/// The helper, compiled by `build.rs`.
const HELPER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/riad-inside"));

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
        let (on_end, ended) = told_of_end(Arc::clone(&record));
        let (pid, monitor) = self.launch(slot, &confinement, host_user, far, on_end).await?;
        let mut tree = Tree::new(pid, monitor, ended, group);
        let Near { leash, stdin, stdout, stderr, complaint, info } = near;
        let (walls, mut ear, mut voice) = hear_that_walls_hold(leash, &plan, &complaint).await?;
        tree.first = Some(first_process(&wires::drained(&info))?);
        let spawned = Spawned::of(pid, &confinement.purpose).map_err(Refusal::system("reading the process's start"))?;
        record.start(&spawned).map_err(Refusal::NotRecorded)?;
        let_go(&mut ear, &mut voice, &confinement).await?;
        let running = Running::new(tree, spawned, ear, voice, (stdin, stdout, stderr), confinement.limits)?;
        Ok((running, walls))
    }

    async fn launch(
        &self,
        slot: Slot,
        confinement: &Confinement,
        host_user: Option<u32>,
        far: Far,
        on_end: OnEnd,
    ) -> Result<(i32, OwnedFd), Refusal> {
        let order = self.order(slot.group().is_some(), confinement, host_user, far)?;
        let (started, reply) = oneshot::channel();
        slot.run(Job { order, on_end, started }).map_err(Refusal::system("starting"))?;
        let reply = reply.await.unwrap_or_else(|_| Err(io::Error::other("the starting thread is gone")));
        reply.map_err(Refusal::system("starting bubblewrap"))
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

/// What the starting thread does once the process has ended.
type OnEnd = Box<dyn FnOnce() + Send>;

/// Takes the record away at the end, then says that it came.
fn told_of_end(record: Arc<Record>) -> (OnEnd, watch::Receiver<bool>) {
    let (end, ended) = watch::channel(false);
    let on_end = move || {
        record.end();
        end.send_replace(true);
    };
    (Box::new(on_end), ended)
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
