//! One open vault at work: its conversations are driven, its streams are fed. It goes when the vault is locked.

use std::sync::Arc;

use domain::conversation::Conversation;
use domain::id::{ConversationId, EntryNumber};
use harness::act::Desk;
use harness::ports::{Journal as _, JournalError, Ports};
use harness::sessions::Sessions;
use store::{Person, PersonId, Vault};
use tools::Places;

use crate::stream::{Ending, Hub};
use crate::wiring::{Wired, Wiring};

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
}

impl Room {
    /// Builds ports from a vault. Fails if the person's folders cannot be made.
    pub fn new(wiring: &Wiring, person: &Person, vault: Vault) -> Result<Self, String> {
        let hub = Arc::new(Hub::new(vault.clone()));
        let Wired { ports, places } = wiring.ports(person, &vault, hub.clone())?;
        let zone = person.zone.clone();
        Ok(Self { person: person.id, zone, vault, hub, sessions: Sessions::new(ports), places })
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

    /// Ends turns and streams.
    pub async fn shut(&self, why: Ending) {
        self.hub.end_all(why);
        self.sessions.shut().await;
    }
}
