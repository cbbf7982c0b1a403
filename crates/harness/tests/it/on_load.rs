//! A journal as a loop sees it to whom something happens whenever it reads.

use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use domain::entry::{Draft, Entry};
use domain::id::{ApprovalId, ConversationId, EntryNumber};
use harness::ports::{Journal, JournalError};
use testkit::journal::MemoryJournal;

type Happening = Box<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// What was read comes once `happens` is over.
pub(crate) struct OnLoad {
    journal: Arc<MemoryJournal>,
    happens: Happening,
}

impl OnLoad {
    pub(crate) fn new<F>(journal: Arc<MemoryJournal>, happens: impl Fn() -> F + Send + Sync + 'static) -> Arc<Self>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Arc::new(Self { journal, happens: Box::new(move || Box::pin(happens())) })
    }
}

#[async_trait]
impl Journal for OnLoad {
    async fn load(&self, id: &ConversationId, since: EntryNumber) -> Result<Vec<Entry>, JournalError> {
        let read = self.journal.load(id, since).await;
        (self.happens)().await;
        read
    }

    async fn append(
        &self,
        id: &ConversationId,
        expected: EntryNumber,
        drafts: Vec<Draft>,
    ) -> Result<Vec<Entry>, JournalError> {
        self.journal.append(id, expected, drafts).await
    }

    async fn unfinished(&self) -> Result<Vec<ConversationId>, JournalError> {
        self.journal.unfinished().await
    }

    async fn asked_in(&self, approval: &ApprovalId) -> Result<Option<ConversationId>, JournalError> {
        self.journal.asked_in(approval).await
    }
}
