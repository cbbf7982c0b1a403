//! A conversation as the terminal knows it: which turn runs, what waits for the person, what was answered last. The fold
//! of entries that the server sends; it decides nothing.

use std::collections::VecDeque;

use serde_json::Value;

use super::card::Card;

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
    pub(super) fn take(&mut self, entry: &Value) {
        self.known = entry["number"].as_u64().unwrap_or(self.known);
        let kind = entry["kind"].as_str().unwrap_or_default();
        self.turn = entry["turn"].as_str().filter(|turn| kind != "ended" && !turn.is_empty()).map(str::to_owned);
        match kind {
            "replied" => {
                self.answer = entry["text"].as_str().unwrap_or_default().to_owned();
                self.seen = entry["seen"].as_u64().unwrap_or_default();
            }
            "asked" | "asked_question" => self.cards.extend(Card::of(entry)),
            "answered" => self.cards.retain(|card| entry["approval"] != card.id.as_str()),
            "returned" | "rejected" => self.cards.retain(|card| entry["call"] != card.call.as_str()),
            "stopped" | "ended" => self.cards.clear(),
            _ => {}
        }
    }
}
