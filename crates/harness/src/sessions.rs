//! Who drives which conversation: at most one task each, woken by entries, owned and ended here.
//!
//! Nothing that matters is kept here. A lost wake costs time, never a fact: whoever starts next reads the journal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::id::{CallId, ConversationId, FrameId, TurnId};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::perform::guarded;
use crate::ports::{JournalError, Ports};
use crate::run::{Entrance, StopDesk, drive, drive_delegate};

/// The conversations of one unlocked vault that are being driven.
#[derive(Clone)]
pub struct Sessions {
    ports: Ports,
    shared: Arc<Mutex<Shared>>,
    closing: CancellationToken,
}

#[derive(Default)]
struct Shared {
    driven: HashMap<ConversationId, Driven>,
    /// Delegates in the background, each with what stops it and whether it has to look again.
    background: HashMap<(ConversationId, FrameId), (CancellationToken, bool)>,
    tasks: JoinSet<()>,
}

#[derive(Default)]
struct Driven {
    /// Something was recorded after the driver last looked.
    again: bool,
    running: Option<(TurnId, CancellationToken)>,
    /// The turn that was stopped last. Its driver may have read the entries before the stop and not be at work yet.
    stopped: Option<TurnId>,
}

impl Sessions {
    /// A desk over these ports. Dropping every clone does not end tasks; [`Sessions::shut`] does.
    pub fn new(ports: Ports) -> Self {
        Self { ports, shared: Arc::default(), closing: CancellationToken::new() }
    }

    /// The ports they run on.
    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    /// Drives a conversation, or lets its driver look again.
    pub fn wake(&self, id: &ConversationId) {
        self.begin(id, Entrance::Woken);
    }

    /// Goes on with every turn that an earlier process left unfinished.
    pub async fn resume(&self) -> Result<(), JournalError> {
        let unfinished = self.ports.journal.unfinished().await?;
        unfinished.iter().for_each(|id| self.begin(id, Entrance::Resumed));
        Ok(())
    }

    fn begin(&self, id: &ConversationId, entrance: Entrance) {
        if self.closing.is_cancelled() {
            return;
        }
        let mut shared = self.lock();
        if let Some(driven) = shared.driven.get_mut(id) {
            driven.again = true;
            return;
        }
        shared.driven.insert(id.clone(), Driven::default());
        let (sessions, id) = (self.clone(), id.clone());
        shared.tasks.spawn(async move {
            if guarded(sessions.keep_driving(&id, entrance)).await.is_none() {
                sessions.broke_off(&id);
            }
        });
        while shared.tasks.try_join_next().is_some() {}
    }

    /// Cancels what runs for this turn, or is about to. The stop itself is an entry and was recorded before.
    pub fn stop(&self, id: &ConversationId, turn: &TurnId) {
        let mut shared = self.lock();
        // Whoever begins to drive it from now on reads the entry.
        let Some(driven) = shared.driven.get_mut(id) else { return };
        driven.stopped = Some(turn.clone());
        driven.cancel_stopped();
    }

    /// Cancels what runs for one delegate in the background; those that their caller waits for hear of a stop from the
    /// entries.
    pub fn stop_delegate(&self, id: &ConversationId, call: &CallId) {
        let key = (id.clone(), FrameId::opened_by(call));
        if let Some((stop, _)) = self.lock().background.get(&key) {
            stop.cancel();
        }
    }

    /// Drives a delegate in the background, or lets its driver look again.
    fn begin_background(&self, id: &ConversationId, frame: &FrameId, entrance: Entrance) {
        let (key, stop) = ((id.clone(), frame.clone()), self.closing.child_token());
        let mut shared = self.lock();
        if let Some((_, again)) = shared.background.get_mut(&key) {
            *again = true;
            return;
        }
        shared.background.insert(key.clone(), (stop.clone(), false));
        let sessions = self.clone();
        shared.tasks.spawn(async move {
            let over = guarded(sessions.keep_driving_background(&key, entrance, &stop)).await;
            if over.is_none() {
                tracing::error!(conversation = %key.0, "the driver of a delegate broke off");
                sessions.lock().background.remove(&key);
            }
            if over == Some(true) {
                sessions.wake(&key.0);
            }
        });
    }

    /// True once it is over.
    async fn keep_driving_background(
        &self,
        key: &(ConversationId, FrameId),
        mut entrance: Entrance,
        stop: &CancellationToken,
    ) -> bool {
        loop {
            let driving = drive_delegate(&self.ports, &key.0, &key.1, entrance, stop);
            let end = self.closing.run_until_cancelled(driving).await;
            entrance = Entrance::Woken;
            let over = match end {
                None => return false,
                Some(Ok(over)) => over,
                Some(Err(fault)) => {
                    tracing::error!(%fault, "a delegate could not go on");
                    false
                }
            };
            let mut shared = self.lock();
            match shared.background.get_mut(key) {
                Some((_, again)) if *again && !over => *again = false,
                Some(_) | None => {
                    shared.background.remove(key);
                    return over;
                }
            }
        }
    }

    /// Whether a conversation is being driven at the moment.
    pub fn is_driven(&self, id: &ConversationId) -> bool {
        self.lock().driven.contains_key(id)
    }

    /// Whether delegates of a conversation are being driven in its background at the moment.
    pub fn works_in_background(&self, id: &ConversationId) -> bool {
        self.lock().background.keys().any(|(conversation, _)| conversation == id)
    }

    /// Ends all tasks at once. What they had not recorded is done again when the vault is next unlocked.
    pub async fn shut(&self) {
        self.closing.cancel();
        let mut tasks = {
            let mut shared = self.lock();
            shared.driven.values().filter_map(|driven| driven.running.as_ref()).for_each(|(_, stop)| stop.cancel());
            std::mem::take(&mut shared.tasks)
        };
        while tasks.join_next().await.is_some() {}
        let mut shared = self.lock();
        shared.driven.clear();
        shared.background.clear();
    }

    async fn keep_driving(&self, id: &ConversationId, mut entrance: Entrance) {
        loop {
            let desk = Registered { sessions: self, id };
            let end = self.closing.run_until_cancelled(drive(&self.ports, id, entrance, &desk)).await;
            entrance = Entrance::Woken;
            match end {
                None => return,
                Some(Ok(_)) => {}
                Some(Err(fault)) => tracing::error!(%fault, "a conversation could not go on"),
            }
            if !self.looks_again(id) {
                return;
            }
        }
    }

    /// A driver that panicked leaves its place: the next one finds in the journal where to go on.
    fn broke_off(&self, id: &ConversationId) {
        tracing::error!(conversation = %id, "the driver of a conversation broke off");
        self.lock().driven.remove(id);
    }

    /// Whether something was recorded since the driver last looked; if not, the driver is done.
    fn looks_again(&self, id: &ConversationId) -> bool {
        let mut shared = self.lock();
        match shared.driven.get_mut(id) {
            Some(driven) if driven.again => {
                driven.again = false;
                true
            }
            Some(_) | None => {
                shared.driven.remove(id);
                false
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Driven {
    fn cancel_stopped(&self) {
        if let Some((turn, stop)) = &self.running
            && self.stopped.as_ref() == Some(turn)
        {
            stop.cancel();
        }
    }
}

struct Registered<'a> {
    sessions: &'a Sessions,
    id: &'a ConversationId,
}

impl StopDesk for Registered<'_> {
    fn running(&self, turn: &TurnId, stop: &CancellationToken) {
        if let Some(driven) = self.sessions.lock().driven.get_mut(self.id) {
            driven.running = Some((turn.clone(), stop.clone()));
            driven.cancel_stopped();
        }
    }

    fn background(&self, frame: &FrameId, entrance: Entrance) {
        self.sessions.begin_background(self.id, frame, entrance);
    }
}
