//! What a line keeps of its past, so that another line can start anywhere in it: the turns that are over, as a model
//! read them, and the folds between them. Played again, it gives the history of the line.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Conversation;
use crate::compact::Compacted;
use crate::context::Thread;
use crate::footer::SideEffect;
use crate::id::{CallId, EntryNumber, MessageId, TurnId};
use crate::line::{LineId, Lines};
use crate::turn::Turn;

/// The pasts of all lines, and which of them is the present one's.
#[derive(Debug, Clone, Default)]
pub(super) struct Pasts {
    pub(super) lines: Lines,
    /// That of the line that is being written on.
    present: Vec<Arc<Past>>,
    /// Those of the others.
    others: HashMap<LineId, Vec<Arc<Past>>>,
    /// What was done on any line, oldest first.
    effects: Vec<SideEffect>,
    /// The calls whose effects the present line knows of: all that its past names.
    known: HashSet<CallId>,
}

/// One thing that happened on a line.
#[derive(Debug)]
pub(super) enum Past {
    /// A turn that is over.
    Turn(PastTurn),
    /// A fold.
    Folded(EntryNumber, Compacted),
    /// What was done on other lines was told with a message.
    Told(EntryNumber, Vec<CallId>),
}

/// A turn that is over.
#[derive(Debug)]
pub(super) struct PastTurn {
    id: TurnId,
    last: EntryNumber,
    messages: Vec<MessageId>,
    thread: Thread,
    effects: Vec<SideEffect>,
}

impl Past {
    /// The last entry that it is made of.
    fn last(&self) -> EntryNumber {
        match self {
            Self::Turn(turn) => turn.last,
            Self::Folded(number, _) | Self::Told(number, _) => *number,
        }
    }

    fn turn(&self) -> Option<&PastTurn> {
        match self {
            Self::Turn(turn) => Some(turn),
            Self::Folded(..) | Self::Told(..) => None,
        }
    }

    /// The calls whose effects its line knows of.
    fn known(&self) -> Vec<&CallId> {
        match self {
            Self::Turn(turn) => turn.effects.iter().map(|effect| &effect.call).collect(),
            Self::Told(_, calls) => calls.iter().collect(),
            Self::Folded(..) => Vec::new(),
        }
    }
}

impl Pasts {
    /// `effects`: all that it did, its delegates included.
    pub(super) fn ended(&mut self, turn: &Turn, effects: Vec<SideEffect>, last: EntryNumber) {
        let joined = turn.rounds().iter().flat_map(|round| &round.joined);
        let messages = turn.opening().iter().chain(joined).map(|message| message.id.clone()).collect();
        self.effects.extend(effects.iter().cloned());
        let turn = PastTurn { id: turn.id().clone(), last, messages, thread: turn.thread(), effects };
        self.remember(Past::Turn(turn));
    }

    pub(super) fn folded(&mut self, number: EntryNumber, compacted: &Compacted) {
        self.present.push(Arc::new(Past::Folded(number, compacted.clone())));
    }

    /// A message opens a turn: with it the model is told of everything that was done elsewhere.
    pub(super) fn told(&mut self, number: EntryNumber) {
        let elsewhere: Vec<_> = self.elsewhere().iter().map(|effect| effect.call.clone()).collect();
        if !elsewhere.is_empty() {
            self.remember(Past::Told(number, elsewhere));
        }
    }

    fn remember(&mut self, past: Past) {
        self.known.extend(past.known().into_iter().cloned());
        self.present.push(Arc::new(past));
    }

    /// Another line is the present one.
    fn goes_on_with(&mut self, present: Vec<Arc<Past>>) -> Vec<Arc<Past>> {
        self.known = present.iter().flat_map(|past| past.known()).cloned().collect();
        std::mem::replace(&mut self.present, present)
    }

    /// What was done on other lines and was not told on this one, oldest first.
    pub(super) fn elsewhere(&self) -> Vec<&SideEffect> {
        // Most often it knows all: on the only line there is, and behind the first message of another.
        if self.lines.all().len() == 1 || self.known.len() >= self.effects.len() {
            return Vec::new();
        }
        self.effects.iter().filter(|effect| !self.known.contains(&effect.call)).collect()
    }

    /// The last entry before the turn in which a message was read; `None` if no turn of this line that is over has it.
    pub(super) fn before(&self, message: &MessageId) -> Option<EntryNumber> {
        let mut before = EntryNumber::default();
        for turn in self.present.iter().filter_map(|past| past.turn()) {
            if turn.messages.contains(message) {
                return Some(before);
            }
            before = turn.last;
        }
        None
    }

    /// The end of the last turn that is over at an entry of this line; 0 if none is.
    pub(super) fn border(&self, at: EntryNumber) -> EntryNumber {
        let turns = self.present.iter().filter_map(|past| past.turn());
        turns.map(|turn| turn.last).take_while(|last| *last <= at).last().unwrap_or_default()
    }

    /// What was done behind an entry of this line: it stands whatever line is gone on with.
    pub(super) fn effects_behind(&self, after: EntryNumber) -> Vec<&SideEffect> {
        let turns = self.present.iter().filter_map(|past| past.turn()).filter(|turn| turn.last > after);
        turns.flat_map(|turn| &turn.effects).collect()
    }

    fn fork(&mut self, number: EntryNumber, after: EntryNumber) {
        let left = self.lines.active();
        let shared = self.present.iter().filter(|past| past.last() <= after).cloned().collect();
        let present = self.goes_on_with(shared);
        self.others.insert(left, present);
        self.lines.fork(number, after);
    }

    fn switch(&mut self, line: LineId) -> bool {
        let left = self.lines.active();
        if line == left || !self.lines.switch(line) {
            return false;
        }
        let other = self.others.remove(&line).unwrap_or_default();
        let present = self.goes_on_with(other);
        self.others.insert(left, present);
        true
    }
}

impl Conversation {
    /// A new line starts. While a turn runs that cannot follow.
    pub(super) fn forked(&mut self, number: EntryNumber, after: EntryNumber) {
        if self.live.is_none() && after < number {
            self.pasts.fork(number, after);
            self.play_again();
        }
    }

    pub(super) fn switched(&mut self, line: LineId) {
        if self.live.is_none() && self.pasts.switch(line) {
            self.play_again();
        }
    }

    /// Makes the history anew from the past of the line that is now written on.
    fn play_again(&mut self) {
        self.history = Thread::default();
        self.standing.begin_line();
        for past in self.pasts.present.clone() {
            match past.as_ref() {
                Past::Turn(turn) => {
                    self.standing.ended(&turn.id, &turn.effects);
                    self.history.append(turn.thread.clone());
                }
                Past::Folded(_, compacted) => self.fold_again(compacted),
                Past::Told(..) => {}
            }
        }
    }

    /// A cut inside a turn was made while that turn ran: what it left of the turn comes later.
    fn fold_again(&mut self, compacted: &Compacted) {
        if let crate::compact::Fold::Summarised { cut, .. } = &compacted.fold
            && !self.history.holds(&cut.turn)
        {
            self.history = Thread::default();
        }
        self.fold_history(compacted);
    }
}
