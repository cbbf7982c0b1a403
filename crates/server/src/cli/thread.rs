//! A conversation as the terminal knows it: which turn runs, what waits for the person, what was answered last. The fold
//! of entries that the server sends; it decides nothing.

use std::collections::VecDeque;

use super::card::Card;
use crate::wire::entry::{EntryView, Fact};

/// Where a conversation stands.
#[derive(Default)]
pub(super) struct Thread {
    /// The last entry.
    pub(super) known: u64,
    /// The turn that runs.
    pub(super) turn: Option<String>,
    /// What waits for the person, oldest first.
    pub(super) cards: VecDeque<Card>,
    /// The text of the last reply.
    pub(super) answer: String,
    /// The last entry that the model had read when it replied.
    pub(super) seen: u64,
}

impl Thread {
    /// Takes in one entry.
    pub(super) fn take(&mut self, entry: &EntryView) {
        self.known = entry.number;
        if entry.frame.is_some() {
            return self.take_inside(&entry.fact);
        }
        let runs = !matches!(entry.fact, Fact::Ended { .. }) && !entry.turn.is_empty();
        self.turn = runs.then(|| entry.turn.clone());
        match &entry.fact {
            Fact::Replied(reply) => {
                self.answer.clone_from(&reply.text);
                self.seen = reply.seen;
            }
            Fact::Asked { approval } => self.cards.push_back(Card::approval(approval)),
            Fact::AskedQuestion { question } => self.cards.push_back(Card::question(question)),
            Fact::Answered(answer) => self.cards.retain(|card| card.id != answer.approval),
            Fact::Returned { call, .. } | Fact::Rejected { call, .. } => self.cards.retain(|card| card.call != *call),
            Fact::Stopped {} | Fact::Ended { .. } => self.cards.clear(),
            Fact::Said { .. }
            | Fact::Withdrawn { .. }
            | Fact::Faltered { .. }
            | Fact::Held { .. }
            | Fact::Screened(_)
            | Fact::Started { .. }
            | Fact::Resumed {}
            | Fact::Compacted(_)
            | Fact::CompactionAsked {}
            | Fact::Forked { .. }
            | Fact::Switched { .. }
            | Fact::Opened { .. }
            | Fact::Newer {} => {}
        }
    }

    /// Takes in an entry of a delegate: of what it does only its questions are the person's.
    fn take_inside(&mut self, fact: &Fact) {
        if let Fact::Asked { approval } = fact {
            self.cards.push_back(Card::approval(approval));
        }
        if let Fact::AskedQuestion { question } = fact {
            self.cards.push_back(Card::question(question));
        }
        if let Fact::Answered(answer) = fact {
            self.cards.retain(|card| card.id != answer.approval);
        }
        if let Fact::Returned { call, .. } | Fact::Rejected { call, .. } = fact {
            self.cards.retain(|card| card.call != *call);
        }
    }
}
