//! Threads that start processes and wait for them, each parked in a control group of its own. A thread lives as long as
//! the backend, so the processes that die with it die with the server (OPS-23); and because it is in its group before
//! the call comes, no call pays for moving into one (7 ms on version 1, measured).

use crate::confinement::Limits;
use crate::groups::{Group, GroupKind, Layout};
use crate::start::{self, Launch, Staging, Started};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, mpsc};
use tokio::sync::oneshot;

/// Something to start, with all it needs.
pub(crate) struct Order {
    pub(crate) program: CString,
    pub(crate) arguments: Vec<CString>,
    /// Its descriptors 0, 1, 2 and so on.
    pub(crate) descriptors: Vec<OwnedFd>,
    /// As root: the user to become, and the sources to stage.
    pub(crate) staged: Option<(u32, Vec<(OwnedFd, bool)>)>,
    pub(crate) processors: Option<usize>,
}

/// An order, and who wants to know of its start and its end.
pub(crate) struct Job {
    pub(crate) order: Order,
    /// Called once it was waited for.
    pub(crate) on_end: Box<dyn FnOnce() + Send>,
    pub(crate) started: oneshot::Sender<io::Result<(i32, OwnedFd)>>,
}

/// A thread and its group, taken for one call.
pub(crate) struct Slot {
    jobs: mpsc::Sender<(Job, Slot)>,
    group: Option<Arc<Group>>,
}

/// All threads of one backend.
pub(crate) struct Slots {
    layout: Option<Layout>,
    idle: Mutex<Vec<Slot>>,
    made: AtomicU32,
    /// Tells the groups of several backends in one process apart.
    serial: u32,
}

static SERIAL: AtomicU32 = AtomicU32::new(0);

impl Slots {
    /// With a layout, each slot has a group in it.
    pub(crate) fn new(layout: Option<Layout>) -> Arc<Slots> {
        let layout = layout.filter(works);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        Arc::new(Slots { layout, idle: Mutex::new(Vec::new()), made: AtomicU32::new(0), serial })
    }

    /// A slot that is free, or a new one.
    pub(crate) fn take(self: &Arc<Slots>) -> io::Result<Slot> {
        if let Some(slot) = self.idle().pop() {
            return Ok(slot);
        }
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let name = format!("riad-{}-{}-{number}", std::process::id(), self.serial);
        let group = match &self.layout {
            Some(layout) => {
                Some(Arc::new(Group::make(layout, &name).ok_or_else(|| io::Error::other("no control group"))?))
            }
            None => None,
        };
        let (jobs, inbox) = mpsc::channel();
        let (home, own_group) = (Arc::downgrade(self), group.clone());
        std::thread::Builder::new().name("sandbox".to_owned()).stack_size(256 * 1024).spawn(move || {
            if let Some(Err(error)) = own_group.as_ref().map(|group| group.enter()) {
                tracing::warn!(%error, "a thread cannot enter its control group; its commands are refused");
                return;
            }
            serve(&inbox, &home);
            if let Some(group) = own_group {
                group.leave();
            }
        })?;
        Ok(Slot { jobs, group })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Slot>> {
        // A list of idle slots is whole at any time, so a panic elsewhere does not spoil it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What kind of group holds the limits.
    pub(crate) fn kind(self: &Arc<Slots>) -> GroupKind {
        let Ok(slot) = self.take() else { return GroupKind::None };
        let kind = slot.group.as_ref().map_or(GroupKind::None, |group| group.kind());
        self.idle().push(slot);
        kind
    }

    /// Gives back a slot that was not used.
    pub(crate) fn give_back(&self, slot: Slot) {
        self.idle().push(slot);
    }
}

/// Whether a group can be made, given limits, and entered here.
fn works(layout: &Layout) -> bool {
    layout.remove_stale();
    let name = format!("riad-{}-try-{}", std::process::id(), SERIAL.fetch_add(1, Ordering::Relaxed));
    let Some(group) = Group::make(layout, &name) else { return false };
    let enters = || group.set(&Limits::default()).and_then(|()| group.enter());
    std::thread::scope(|scope| scope.spawn(enters).join()).is_ok_and(|entered| entered.is_ok())
}

impl Slot {
    /// The group in which the job will be.
    pub(crate) fn group(&self) -> Option<&Arc<Group>> {
        self.group.as_ref()
    }

    /// Starts the job. When its process was waited for, the slot is idle again by itself.
    pub(crate) fn run(self, job: Job) -> io::Result<()> {
        let jobs = self.jobs.clone();
        jobs.send((job, self)).map_err(|_| io::Error::other("the starting thread is gone"))
    }
}

/// The life of a thread: start, wait, give the slot back, until the backend is gone.
fn serve(inbox: &mpsc::Receiver<(Job, Slot)>, home: &Weak<Slots>) {
    while let Ok((job, slot)) = inbox.recv() {
        let is_clean = run_one(job, slot.group.as_deref());
        match home.upgrade() {
            Some(slots) if is_clean => slots.give_back(slot),
            // The last sender goes with the slot, and this thread with it.
            Some(_) | None => drop(slot),
        }
    }
}

/// False when the slot's group was spent.
fn run_one(job: Job, group: Option<&Group>) -> bool {
    let Job { order, on_end, started: reply } = job;
    let started = start_one(&order, group);
    // The sources and the child's ends are the child's alone now; as long as they were open here too, no pipe of the
    // call could come to its end.
    drop(order);
    let started = match started {
        Ok(started) => {
            let copy = started.handle.try_clone();
            // Nobody waits for the reply when the call was given up meanwhile; then the leash is gone too, and the
            // helper inside ends by itself.
            let _given_up = reply.send(copy.map(|copy| (started.pid, copy)));
            started
        }
        Err(error) => {
            let _given_up = reply.send(Err(error));
            return true;
        }
    };
    if let Err(error) = start::wait(&started) {
        tracing::warn!(%error, "a started process could not be waited for");
    }
    // Its end is the end of all inside, unless it was killed itself: then the rest is just going. The next call must
    // find the group empty, and whoever hears of the end may believe it.
    let is_clean = group.is_none_or(Group::empty);
    on_end();
    is_clean
}

fn start_one(job: &Order, group: Option<&Group>) -> io::Result<Started> {
    let launch = Launch {
        program: &job.program,
        arguments: &job.arguments,
        descriptors: job.descriptors.iter().map(AsFd::as_fd).collect(),
        group: group.and_then(Group::birthplace),
        staging: job.staged.as_ref().map(|(id, sources)| Staging {
            id: *id,
            sources: sources.iter().map(|(source, is_folder)| (source.as_fd(), *is_folder)).collect(),
        }),
        processors: job.processors,
    };
    start::start(&launch)
}
