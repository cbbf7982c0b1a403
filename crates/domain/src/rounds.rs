//! What each round of a conversation took, as figures without any text of a message (LOOP-105). Computed from entries;
//! nothing here is stored.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::call::Clearance;
use crate::digest::Digest;
use crate::entry::{Body, Entry};
use crate::id::{CallId, EntryNumber, FrameId, TurnId};
use crate::model::{Reply, StopReason, Usage};
use crate::plan::Counted;
use crate::result::Status;

/// One reply of a model and what came of its calls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundFigures {
    /// Its turn.
    pub turn: TurnId,
    /// The entry of the reply.
    pub entry: EntryNumber,
    /// The model that answered.
    pub model: String,
    /// The hash of the prefix of its prompt.
    pub prefix: Digest,
    /// Tokens of the prompt as they were planned.
    pub counted: Option<Counted>,
    /// Tokens and times as the model reports them, and its backend. What is unknown is `null`.
    pub usage: Usage,
    /// Why it ended.
    pub stop: StopReason,
    /// Samples that failed before it, by model.
    pub retries: BTreeMap<String, usize>,
    /// Folds that were made for its prompt.
    pub folds: usize,
    /// Its calls, by what let them run or kept them from it.
    pub verdicts: Verdicts,
    /// Its calls that came back, by status.
    pub statuses: BTreeMap<&'static str, usize>,
}

/// Calls by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    /// Not fit for the gate.
    pub rejected: usize,
    /// By the default of their class.
    pub by_class: usize,
    /// By a rule.
    pub by_rule: usize,
    /// By a person.
    pub by_approval: usize,
    /// Settled without a run.
    pub unrun: usize,
}

/// The figures of all rounds, oldest first.
pub fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<RoundFigures> {
    // Frames that work side by side are counted each by itself.
    let mut sheets: BTreeMap<FrameId, Sheet> = BTreeMap::new();
    for entry in entries {
        sheets.entry(entry.frame.clone()).or_default().take(entry);
    }
    let mut rounds: Vec<RoundFigures> = sheets.into_values().flat_map(|sheet| sheet.rounds).collect();
    rounds.sort_by_key(|round| round.entry);
    rounds
}

#[derive(Default)]
struct Sheet {
    rounds: Vec<RoundFigures>,
    /// Calls of the newest round, and what cleared them.
    calls: BTreeMap<CallId, Option<Clearance>>,
    retries: BTreeMap<String, usize>,
    folds: usize,
}

impl Sheet {
    fn take(&mut self, entry: &Entry) {
        match &entry.body {
            Body::Replied(reply) => self.replied(entry, reply),
            Body::Faltered(one) => *self.retries.entry(one.model.clone()).or_default() += 1,
            Body::Compacted(_) => self.folds += 1,
            Body::Started { call, clearance, .. } => {
                self.calls.entry(call.clone()).and_modify(|cleared| *cleared = Some(clearance.clone()));
            }
            Body::Rejected { call, .. } => self.settle(call, |verdicts, _| verdicts.rejected += 1),
            Body::Returned(result) => {
                self.settle(&result.call, count);
                if let Some(round) = self.rounds.last_mut() {
                    *round.statuses.entry(word(result.status)).or_default() += 1;
                }
            }
            // What failed or was folded for a turn that is over belongs to no later reply.
            Body::Ended { .. } => {
                self.retries.clear();
                self.folds = 0;
            }
            Body::Said(_)
            | Body::Withdrawn(_)
            | Body::Held(_)
            | Body::Screened(_)
            | Body::Asked(_)
            | Body::Answered(_)
            | Body::Resumed
            | Body::Stopped
            | Body::CompactionAsked
            | Body::Forked { .. }
            | Body::Switched { .. }
            | Body::Opened(_)
            | Body::Newer(_) => {}
        }
    }

    fn replied(&mut self, entry: &Entry, reply: &Reply) {
        self.calls = reply.sampled.calls.iter().map(|call| (call.id.clone(), None)).collect();
        self.rounds.push(RoundFigures {
            turn: entry.turn.clone(),
            entry: entry.number,
            model: reply.sampled.model.clone(),
            prefix: reply.prefix,
            counted: reply.counted,
            usage: reply.sampled.usage.clone(),
            stop: reply.sampled.stop,
            retries: std::mem::take(&mut self.retries),
            folds: std::mem::take(&mut self.folds),
            verdicts: Verdicts::default(),
            statuses: BTreeMap::new(),
        });
    }

    fn settle(&mut self, call: &CallId, count: impl FnOnce(&mut Verdicts, Option<Clearance>)) {
        let Some(cleared) = self.calls.remove(call) else { return };
        if let Some(round) = self.rounds.last_mut() {
            count(&mut round.verdicts, cleared);
        }
    }
}

fn count(verdicts: &mut Verdicts, cleared: Option<Clearance>) {
    match cleared {
        Some(Clearance::Class) => verdicts.by_class += 1,
        Some(Clearance::Rule(_)) => verdicts.by_rule += 1,
        Some(Clearance::Approval(_)) => verdicts.by_approval += 1,
        None => verdicts.unrun += 1,
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Done => "done",
        Status::Failed => "failed",
        Status::Refused => "refused",
        Status::Cancelled => "cancelled",
        Status::Interrupted => "interrupted",
    }
}
