//! One turn: a fold of its entries ([`Turn::apply`]) and the choice of what comes next ([`Turn::next`]).
//!
//! Both are total and pure. An entry that cannot follow has no effect; equal entries and an equal setting give an
//! equal effect. So a crash, an answer after a month and a test all take the same path.

mod active;
mod around;
mod breakers;
mod call;
mod choice;
mod decide;
mod fold;
mod items;
mod purse;
mod reject;
mod sampling;
mod standing;

use crate::compact::Demotion;
use crate::context::Thread;
use crate::entry::Screened;
use crate::footer::SideEffect;
use crate::id::{ConversationId, EntryNumber, TurnId};
use crate::message::Message;
use crate::model::Reply;
use crate::outcome::Outcome;
use crate::time::Timestamp;

use choice::Fault;

pub(crate) use active::ActiveTime;
pub(crate) use around::{Around, FrameState, Others};
pub use call::{CallState, StartedRun};
pub use purse::Used;

/// How often a turn is taken up again at one place before it ends.
const MOST_RESUMES: usize = 3;

/// From one message of a person to rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    conversation: ConversationId,
    id: TurnId,
    opening: Vec<Message>,
    rounds: Vec<Round>,
    waiting: Vec<Waiting>,
    /// The samples that failed since the last reply.
    faults: Vec<Fault>,
    active: ActiveTime,
    /// Only a model to which the conversation may not travel is left, and the person was told so.
    held: bool,
    stopped: bool,
    /// How often the turn was taken up again without getting any further.
    resumes: usize,
    ended: Option<Outcome>,
    /// What a model reads of its opening and of the rounds that are settled.
    told: Thread,
    /// How many rounds that is.
    told_rounds: usize,
    /// What is shown shorter, also of what is still to come.
    demotions: Vec<Demotion>,
    /// Calls that the other frames of the tree have made.
    calls_elsewhere: usize,
}

/// One reply of the model and the calls it asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// What the person said after the round before and before this reply.
    pub joined: Vec<Message>,
    /// The reply.
    pub reply: Reply,
    /// Its calls, in its order.
    pub calls: Vec<CallState>,
    /// Calls of the whole tree before it.
    pub(crate) before: usize,
}

/// A message that was said while the turn ran and that no sample has seen yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Waiting {
    pub(crate) number: EntryNumber,
    pub(crate) message: Message,
}

impl Turn {
    /// A turn that begins with these messages at that moment.
    pub(crate) fn open(conversation: ConversationId, opening: Vec<Message>, at: Timestamp) -> Self {
        let first = opening.first().expect("a turn is opened by at least one message");
        Self::begin(conversation, TurnId::opened_by(&first.id), opening, at)
    }

    /// The part of a turn that a frame is, which begins with a task.
    pub(crate) fn begin(conversation: ConversationId, id: TurnId, opening: Vec<Message>, at: Timestamp) -> Self {
        Self {
            conversation,
            told: Self::opening_thread(&id, &opening),
            told_rounds: 0,
            demotions: Vec::new(),
            id,
            opening,
            rounds: Vec::new(),
            waiting: Vec::new(),
            faults: Vec::new(),
            active: ActiveTime::from(at),
            held: false,
            stopped: false,
            resumes: 0,
            ended: None,
            calls_elsewhere: 0,
        }
    }

    /// Its name.
    pub fn id(&self) -> &TurnId {
        &self.id
    }

    /// The messages that opened it.
    pub fn opening(&self) -> &[Message] {
        &self.opening
    }

    /// Its rounds so far.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.ended.as_ref()
    }

    /// Whether the person pressed stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Messages that wait for the current round to end.
    pub fn waiting(&self) -> impl Iterator<Item = &Message> {
        self.waiting.iter().map(|waiting| &waiting.message)
    }

    /// All calls of the turn, oldest first.
    pub fn calls(&self) -> impl Iterator<Item = &CallState> {
        self.rounds.iter().flat_map(|round| &round.calls)
    }

    /// The calls of the last round that have no result yet.
    pub(crate) fn open_calls(&self) -> impl Iterator<Item = &CallState> {
        self.rounds.last().into_iter().flat_map(|round| &round.calls).filter(|state| !state.is_settled())
    }

    /// The newest screening of a call of this turn.
    pub fn screened(&self, call: &crate::id::CallId) -> Option<&Screened> {
        self.calls().find(|state| state.call.id == *call)?.screened.as_ref()
    }

    /// What the turn did to the world so far, oldest first; without what the frames of its delegates did.
    pub fn footer(&self) -> Vec<SideEffect> {
        self.calls().filter_map(CallState::side_effect).collect()
    }

    /// The last text of its model, with what it was gone on with.
    pub(crate) fn last_text(&self) -> String {
        let text = |item: &crate::context::Item| match item {
            crate::context::Item::Model { text, .. } => Some(text.clone()),
            crate::context::Item::Summary { .. }
            | crate::context::Item::Person { .. }
            | crate::context::Item::Result { .. } => None,
        };
        self.items().iter().rev().find_map(|item| text(item)).unwrap_or_default()
    }

    /// It is stopped, by a stop of the turn that it is a frame of.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
    }

    /// The person wants a turn that is held to be tried again.
    pub(crate) fn try_again(&mut self) {
        if std::mem::take(&mut self.held) {
            self.faults.clear();
        }
    }

    /// So many calls were made in the other frames of the tree by now.
    pub(crate) fn note_calls_elsewhere(&mut self, calls: usize) {
        self.calls_elsewhere = calls;
    }

    pub(crate) fn take_waiting(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.waiting).into_iter().map(|waiting| waiting.message).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests;
