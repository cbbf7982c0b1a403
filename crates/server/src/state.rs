//! What all requests share: the instance, the vaults that are open, the model, and who is told when it ends.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::message::Wanted;
use domain::time::Timestamp;
use store::{Instance, Person, PersonId, SetupToken, Vault};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::cookie::Cookies;
use crate::guard::rate::Rates;
use crate::room::Room;
use crate::stream::Ending;
use crate::wiring::Wiring;

/// How long a vault stays open after its last use (PEOPLE-37).
const KEEP_OPEN: Duration = Duration::from_secs(24 * 60 * 60);

/// One running server.
pub struct App {
    /// Accounts and vaults.
    pub instance: Instance,
    /// The resolved configuration.
    pub config: Config,
    /// Where it listens: names and origins follow from it.
    pub address: SocketAddr,
    /// Which cookies it uses.
    pub cookies: Cookies,
    /// While nobody exists: the token of the first setup.
    pub setup: Mutex<Option<SetupToken>>,
    /// What turns are built from.
    pub wiring: Wiring,
    /// Requests a minute.
    pub rates: Rates,
    /// Cancelled when the server is to end.
    pub closing: CancellationToken,
    /// Signs the cursors of lists; new at each start.
    pub cursor_key: [u8; 32],
    rooms: Mutex<HashMap<PersonId, Arc<Room>>>,
    stages: Mutex<Stages>,
}

/// How far the start is.
#[derive(Debug, Clone, Default)]
pub struct Stages {
    /// True once everything that can start has started.
    pub ready: bool,
    /// Names of stages that failed and without which the server goes on.
    pub degraded: Vec<&'static str>,
}

/// Why there is no room.
#[derive(Debug, Error)]
pub enum NoRoom {
    /// The vault was locked meanwhile.
    #[error("the vault is locked")]
    Closed,
    /// The person's folders could not be made.
    #[error("{0}")]
    Folders(String),
}

impl App {
    /// A server over these parts.
    pub fn new(instance: Instance, config: Config, address: SocketAddr, wiring: Wiring) -> Self {
        let mut cursor_key = [0; 32];
        getrandom::fill(&mut cursor_key).expect("a system without random numbers cannot run a server");
        Self {
            instance,
            config,
            address,
            cookies: Cookies::Local,
            setup: Mutex::new(None),
            wiring,
            rates: Rates::default(),
            closing: CancellationToken::new(),
            cursor_key,
            rooms: Mutex::default(),
            stages: Mutex::default(),
        }
    }

    /// Now, by the one clock of this server.
    pub fn now(&self) -> Timestamp {
        self.wiring.clock.now()
    }

    /// The room of a person whose vault is open: the one there is, or a new one, in which unfinished turns go on. A
    /// room whose vault was locked gives way.
    pub async fn room(self: &Arc<Self>, person: &Person, vault: Vault) -> Result<Arc<Room>, NoRoom> {
        let (room, former) = {
            let mut rooms = self.rooms();
            // Looked at under the lock on the rooms: what is put in before a vault closes is taken out by `App::lock`.
            if vault.is_closed() {
                return Err(NoRoom::Closed);
            }
            if let Some(room) = rooms.get(&person.id).filter(|room| !room.vault.is_closed()) {
                return Ok(room.clone());
            }
            let room = Arc::new(Room::new(&self.wiring, person, vault).map_err(NoRoom::Folders)?);
            room.uses(self.now());
            (room.clone(), rooms.insert(person.id, room))
        };
        if let Some(former) = former {
            former.shut(Ending::Locked).await;
        }
        if !self.closing.is_cancelled() {
            room.resume().await;
            if let Ok(chosen) = room.settings.chosen(None, &Wanted::default()).await {
                self.wiring.models.warm(chosen.ready.prefix(), self.closing.clone());
            }
        }
        Ok(room)
    }

    /// The room of a person, if one is open.
    pub fn open_room(&self, id: PersonId) -> Option<Arc<Room>> {
        self.rooms().get(&id).cloned()
    }

    /// Locks a vault: turns rest, streams end, the file closes and the key is wiped. Until it is closed, requests find
    /// the room that is shut, so that none of them begins another one.
    pub async fn lock(&self, id: PersonId, why: Ending) {
        let room = self.open_room(id);
        if let Some(room) = room {
            room.shut(why).await;
        }
        self.instance.lock(id).await;
        if let Some(room) = self.take_closed(id) {
            room.shut(why).await;
        }
    }

    /// Takes a room out whose vault is closed. Somebody may have unlocked meanwhile, and that room stays.
    fn take_closed(&self, id: PersonId) -> Option<Arc<Room>> {
        let mut rooms = self.rooms();
        if rooms.get(&id)?.vault.is_closed() { rooms.remove(&id) } else { None }
    }

    /// Locks the vaults that nobody has used for the keep-open time.
    pub async fn lock_idle(&self, now: Timestamp) {
        let rooms: Vec<_> = self.rooms().values().cloned().collect();
        for room in rooms {
            if room.is_idle(now, KEEP_OPEN).await {
                self.lock(room.person, Ending::Locked).await;
            }
        }
    }

    /// Waits until no conversation is driven, at most so long. What still runs then is cut by [`App::shut`].
    pub async fn rest(&self, longest: Duration) {
        let rooms: Vec<_> = self.rooms().values().cloned().collect();
        let all = futures::future::join_all(rooms.iter().map(|room| room.rest()));
        let _ = tokio::time::timeout(longest, all).await;
    }

    /// Ends all turns and streams; their entries stand and they go on at the next start.
    pub async fn shut(&self) {
        let rooms: Vec<_> = self.rooms().drain().map(|(_, room)| room).collect();
        futures::future::join_all(rooms.iter().map(|room| room.shut(Ending::Shutdown))).await;
    }

    /// Vaults that are open.
    pub fn open_count(&self) -> usize {
        self.rooms().len()
    }

    /// How far the start is.
    pub fn stages(&self) -> Stages {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes how far the start is.
    pub fn set_stages(&self, stages: Stages) {
        *self.stages.lock().unwrap_or_else(PoisonError::into_inner) = stages;
    }

    /// A stage turned out to be off.
    pub fn degrade(&self, stage: &'static str) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        if !stages.degraded.contains(&stage) {
            stages.degraded.push(stage);
        }
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<PersonId, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
