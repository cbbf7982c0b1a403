//! A conversation that is being driven: its fold in memory and the one door through which facts become true.
//!
//! First written, then true: nothing is folded or announced before the journal has it.

use domain::conversation::Conversation;
use domain::entry::{Body, Draft, Entry};
use domain::id::{ConversationId, EntryNumber, TurnId};
use domain::turn::Turn;
use tokio_util::sync::CancellationToken;

use crate::ports::{Event, JournalError, Ports};
use crate::run::RunError;

/// A conversation at work.
pub(crate) struct Live<'a> {
    pub(crate) ports: &'a Ports,
    pub(crate) conversation: Conversation,
    /// Cancelled when the person stops the turn that runs.
    pub(crate) stop: CancellationToken,
    /// The turn that `stop` belongs to.
    pub(crate) stop_of: Option<TurnId>,
    /// Folded already and not yet in the journal: they go with the next append.
    held: Vec<Draft>,
}

/// Whether a decision was recorded, or has to be made anew on what others recorded meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recorded {
    Yes,
    Overtaken,
}

impl<'a> Live<'a> {
    pub(crate) async fn load(ports: &'a Ports, id: &ConversationId) -> Result<Self, RunError> {
        let entries = ports.journal.load(id, EntryNumber::default()).await?;
        let conversation = Conversation::fold(id.clone(), &entries);
        Ok(Self { ports, conversation, stop: CancellationToken::new(), stop_of: None, held: Vec::new() })
    }

    /// Takes in what others have recorded. What was held was folded on entries that are no longer the last, so it is
    /// forgotten, as by a crash.
    pub(crate) async fn catch_up(&mut self) -> Result<(), RunError> {
        if !std::mem::take(&mut self.held).is_empty() {
            self.conversation = Conversation::new(self.conversation.id().clone());
        }
        let entries = self.ports.journal.load(self.conversation.id(), self.conversation.head()).await?;
        entries.iter().for_each(|entry| self.conversation.apply(entry));
        Ok(())
    }

    /// Takes in what was found out and can be found out again: it is written together with the decision that follows
    /// from it, which spares an append. Nothing outside may be touched before that.
    pub(crate) fn hold(&mut self, bodies: Vec<Body>) {
        for draft in self.drafts(bodies) {
            let number = EntryNumber(self.conversation.head().0 + 1);
            self.conversation.apply(&draft.clone().at_number(number));
            self.held.push(draft);
        }
    }

    /// Writes what is held, where no decision follows from it now.
    pub(crate) async fn settle(&mut self) -> Result<(), RunError> {
        if self.held.is_empty() { Ok(()) } else { self.decide(Vec::new()).await.map(drop) }
    }

    /// Records decisions. They hold only on the entries they were made on: if others have recorded meanwhile, nothing
    /// is written and the decision is made anew.
    pub(crate) async fn decide(&mut self, bodies: Vec<Body>) -> Result<Recorded, RunError> {
        let drafts = self.drafts(bodies);
        match self.append(drafts).await {
            Ok(()) => Ok(Recorded::Yes),
            Err(JournalError::Moved { .. }) => {
                self.catch_up().await?;
                Ok(Recorded::Overtaken)
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Records what has happened. It stands whatever others have recorded meanwhile.
    pub(crate) async fn record(&mut self, bodies: Vec<Body>) -> Result<(), RunError> {
        let drafts = self.drafts(bodies);
        loop {
            match self.append(drafts.clone()).await {
                Ok(()) => return Ok(()),
                Err(JournalError::Moved { .. }) => self.catch_up().await?,
                Err(fault) => return Err(fault.into()),
            }
        }
    }

    fn drafts(&self, bodies: Vec<Body>) -> Vec<Draft> {
        let now = self.ports.clock.now();
        bodies.into_iter().map(|body| self.conversation.draft(now, body)).collect()
    }

    async fn append(&mut self, drafts: Vec<Draft>) -> Result<(), JournalError> {
        let id = self.conversation.id().clone();
        let written = EntryNumber(self.conversation.head().0 - self.held.len() as u64);
        let all = self.held.iter().cloned().chain(drafts).collect();
        let entries = self.ports.journal.append(&id, written, all).await?;
        self.held.clear();
        self.take_in(&entries);
        Ok(())
    }

    fn take_in(&mut self, entries: &[Entry]) {
        entries.iter().for_each(|entry| self.conversation.apply(entry));
        self.ports.observer.notify(self.conversation.id(), Event::Recorded(entries));
    }

    /// Whether the person stopped the turn, as far as the entries taken in say.
    pub(crate) fn is_stopped(&self) -> bool {
        self.turn().is_some_and(Turn::is_stopped)
    }

    pub(crate) fn turn(&self) -> Option<&Turn> {
        self.conversation.live()
    }
}
