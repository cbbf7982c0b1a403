//! One open vault at work: its conversations are driven, its streams are fed. It goes when the vault is locked.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::conversation::Conversation;
use domain::id::{ConversationId, EntryNumber};
use domain::time::Timestamp;
use harness::act::Desk;
use harness::ports::{Journal as _, JournalError, Ports};
use harness::sessions::Sessions;
use store::{Person, PersonId, Vault};
use tools::Places;

use crate::stream::{Ending, Hub};
use crate::wiring::{OfPerson, Wired, Wiring};

/// How often it is looked whether all turns rest.
const LOOK: Duration = Duration::from_millis(50);

/// The room of one person, while their vault is open.
pub struct Room {
    /// Whose it is.
    pub person: PersonId,
    /// Their time zone (IANA).
    pub zone: String,
    /// The open vault.
    pub vault: Vault,
    /// The streams of this person.
    pub hub: Arc<Hub>,
    /// Who drives which conversation.
    pub sessions: Sessions,
    /// Where the person's files lie.
    pub places: Places,
    /// What was chosen, and what holds by it.
    pub(crate) settings: Arc<OfPerson>,
    /// When the person last asked for something, in milliseconds since 1970.
    used: AtomicI64,
}

impl Room {
    /// Builds ports from a vault. Fails if the person's folders cannot be made.
    pub fn new(wiring: &Wiring, person: &Person, vault: Vault) -> Result<Self, String> {
        let hub = Arc::new(Hub::new(vault.clone()));
        let Wired { ports, places, settings } = wiring.ports(person, &vault, hub.clone())?;
        let zone = person.zone.clone();
        Ok(Self {
            person: person.id,
            zone,
            vault,
            hub,
            sessions: Sessions::new(ports),
            places,
            settings,
            used: AtomicI64::new(0),
        })
    }

    /// The ports of this vault.
    pub fn ports(&self) -> &Ports {
        self.sessions.ports()
    }

    /// What acts need.
    pub fn desk(&self) -> Desk<'_> {
        let ports = self.ports();
        Desk { journal: &*ports.journal, observer: &*ports.observer, clock: &*ports.clock }
    }

    /// Lets all turns go on that had not ended.
    pub async fn resume(&self) {
        if let Err(fault) = self.sessions.resume().await {
            tracing::error!(%fault, "unfinished turns could not be found");
        }
    }

    /// The fold of a conversation, as of now.
    pub async fn fold(&self, id: &ConversationId) -> Result<Conversation, JournalError> {
        let entries = self.vault.load(id, EntryNumber::default()).await?;
        Ok(Conversation::fold(id.clone(), &entries))
    }

    /// The person asks for something now.
    pub fn uses(&self, now: Timestamp) {
        self.used.fetch_max(now.0, Ordering::Relaxed);
    }

    /// Whether nobody has asked for anything for so long, and nothing is under way either.
    pub async fn is_idle(&self, now: Timestamp, longest: Duration) -> bool {
        let since = Timestamp(self.used.load(Ordering::Relaxed));
        let over = u128::from(now.since(since)) > longest.as_millis();
        over && self.vault.unfinished().await.is_ok_and(|ids| !ids.iter().any(|id| self.sessions.is_driven(id)))
    }

    /// Waits until no conversation is driven: all turns have ended or wait for the person.
    pub async fn rest(&self) {
        while let Ok(unfinished) = self.vault.unfinished().await {
            if !unfinished.iter().any(|id| self.sessions.is_driven(id)) {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Ends turns and streams.
    pub async fn shut(&self, why: Ending) {
        self.hub.end_all(why);
        self.sessions.shut().await;
    }
}
