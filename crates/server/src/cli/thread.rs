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
        // Of what a delegate does only its questions are the person's.
        if entry.frame.is_none() {
            self.take_outer(entry);
        }
        match &entry.fact {
            Fact::Asked { approval } => self.cards.push_back(Card::approval(approval)),
            Fact::AskedQuestion { question } => self.cards.push_back(Card::question(question)),
            Fact::Answered(answer) => self.cards.retain(|card| card.id != answer.approval),
            Fact::Returned { call, .. } | Fact::Rejected { call, .. } => self.cards.retain(|card| card.call != *call),
            Fact::Replied(_)
            | Fact::Stopped {}
            | Fact::Ended { .. }
            | Fact::Said { .. }
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

    /// Where the turn is, and what it has answered.
    fn take_outer(&mut self, entry: &EntryView) {
        let ended = matches!(entry.fact, Fact::Ended { .. });
        self.turn = (!ended && !entry.turn.is_empty()).then(|| entry.turn.clone());
        if ended || matches!(entry.fact, Fact::Stopped {}) {
            self.cards.clear();
        }
        if let Fact::Replied(reply) = &entry.fact {
            self.answer.clone_from(&reply.text);
            self.seen = reply.seen;
        }
    }
}
