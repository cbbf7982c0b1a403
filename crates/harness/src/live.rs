//! A conversation that is being driven: its fold in memory and the one door through which facts become true.
//!
//! First written, then true: nothing is folded or announced before the journal has it.

use std::sync::Arc;

use domain::conversation::Conversation;
use domain::entry::{Body, Draft, Entry};
use domain::id::{ConversationId, EntryNumber, FrameId, TurnId};
use domain::turn::Turn;
use tokio_util::sync::CancellationToken;

use crate::perform::Ledger;
use crate::ports::{Event, JournalError, Ports};
use crate::run::RunError;

/// A conversation at work.
pub(crate) struct Live<'a> {
    pub(crate) ports: &'a Ports,
    /// The whole conversation.
    pub(crate) conversation: Conversation,
    /// The frame that is driven.
    pub(crate) frame: FrameId,
    /// Set where frames work side by side on one purse.
    pub(crate) ledger: Option<Arc<Ledger>>,
    /// Another process was at work here before, and its delegates were not looked at yet.
    pub(crate) resumed: bool,
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
        let (frame, stop) = (FrameId::outer(), CancellationToken::new());
        let (ledger, stop_of, held) = (None, None, Vec::new());
        Ok(Self { ports, conversation, frame, ledger, resumed: false, stop, stop_of, held })
    }

    /// A frame of a delegate, to be driven beside this one. What stops this one stops it too.
    pub(crate) fn inside(&self, frame: &FrameId, ledger: &Arc<Ledger>) -> Self {
        let (conversation, ledger) = (self.conversation.clone(), Some(Arc::clone(ledger)));
        let (stop, stop_of) = (self.stop.child_token(), conversation.turn_in(frame).map(|turn| turn.id().clone()));
        let (frame, held) = (frame.clone(), Vec::new());
        Self { ports: self.ports, conversation, frame, ledger, resumed: false, stop, stop_of, held }
    }

    /// From now on that frame is driven, until `stop`.
    pub(crate) fn work_in(&mut self, frame: &FrameId, stop: &CancellationToken) {
        self.stop = stop.clone();
        self.stop_of = self.conversation.turn_in(frame).map(|turn| turn.id().clone());
        self.frame = frame.clone();
    }

    /// The fold of the frame that is driven.
    pub(crate) fn at(&self) -> &Conversation {
        self.conversation
            .at(&self.frame)
            .expect("a frame is there as long as its turn runs, and only then is it driven")
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
    pub(crate) async fn hold(&mut self, bodies: Vec<Body>) -> Result<(), RunError> {
        if !self.frame.is_outer() {
            // Frames that work side by side would make each other find it out again.
            return self.record(bodies).await;
        }
        for draft in self.drafts(bodies) {
            let number = EntryNumber(self.conversation.head().0 + 1);
            self.conversation.apply(&draft.clone().at_number(number));
            self.held.push(draft);
        }
        Ok(())
    }

    /// Writes what is held, where no decision follows from it now.
    pub(crate) async fn settle(&mut self) -> Result<(), RunError> {
        if self.held.is_empty() { Ok(()) } else { self.decide(Vec::new()).await.map(drop) }
    }

    /// Records decisions. They hold only on the entries they were made on: if others have recorded meanwhile, nothing
    /// is written and the decision is made anew.
    pub(crate) async fn decide(&mut self, bodies: Vec<Body>) -> Result<Recorded, RunError> {
        let drafts = self.drafts(bodies);
        self.decide_drafts(drafts).await
    }

    /// The same for facts of any frame.
    pub(crate) async fn decide_drafts(&mut self, drafts: Vec<Draft>) -> Result<Recorded, RunError> {
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
        self.drafts_in(&self.frame, bodies)
    }

    pub(crate) fn drafts_in(&self, frame: &FrameId, bodies: Vec<Body>) -> Vec<Draft> {
        let now = self.ports.clock.now();
        bodies.into_iter().map(|body| self.conversation.draft_in(frame, now, body)).collect()
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
        self.conversation.turn_in(&self.frame)
    }
}
