//! What a person chose, kept in their vault and at hand for each effect of a turn. The server is the only writer of a
//! vault, so what is at hand is what stands there.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::id::ConversationId;
use domain::profile::Choice;
use domain::time::Timestamp;
use store::{StoreError, Vault};

/// The choices of one person.
pub(crate) struct Choices {
    vault: Vault,
    known: Mutex<HashMap<Option<ConversationId>, Choice>>,
}

impl Choices {
    /// Those of an open vault.
    pub(super) fn of(vault: Vault) -> Self {
        Self { vault, known: Mutex::default() }
    }

    /// What was chosen for a conversation, or, for none, what holds where nothing was.
    pub(crate) async fn get(&self, conversation: Option<&ConversationId>) -> Result<Choice, StoreError> {
        let conversation = conversation.cloned();
        if let Some(choice) = self.lock().get(&conversation) {
            return Ok(choice.clone());
        }
        let choice = self.vault.choice(conversation.clone()).await?;
        // Somebody may have chosen meanwhile, and that is newer.
        Ok(self.lock().entry(conversation).or_insert(choice).clone())
    }

    /// Replaces it.
    pub(crate) async fn put(
        &self,
        conversation: Option<&ConversationId>,
        choice: Choice,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.vault.choose(conversation.cloned(), choice.clone(), now).await?;
        self.lock().insert(conversation.cloned(), choice);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Option<ConversationId>, Choice>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
