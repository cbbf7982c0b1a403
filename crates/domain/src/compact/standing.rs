//! Where a conversation stands with its compaction, folded from its entries: how large its prompt was last, what was
//! tried, what was done before the cut.

use std::collections::BTreeMap;

use super::task::finish;
use super::{Compacted, Done, Fold, Summary, Unchanged, Why, Words};
use crate::context::{Thread, estimate};
use crate::footer::SideEffect;
use crate::id::{EntryNumber, TurnId};
use crate::model::{Faltered, Reply, SampleFault};
use crate::plan::{Budget, Correction, Counted, Measure};

/// What is known of the size of a conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standing {
    asked: Option<EntryNumber>,
    /// Tokens of the last prompt with its reply.
    size: Option<Counted>,
    /// A fold was tried since the last reply.
    tried: bool,
    /// The summariser failed in this turn.
    failed: bool,
    /// Tokens at which a summary was not worth it.
    not_smaller_at: Option<u32>,
    /// What the last sample's refusal said.
    refused: Option<Refused>,
    corrections: BTreeMap<String, Correction>,
    ms_per_thousand: Option<u64>,
    summary: Option<Summary>,
    /// What was done in turns that are over and not summarised.
    done: Vec<(TurnId, Done)>,
}

/// A prompt that a model refused as too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The model.
    pub model: String,
    /// Tokens of the prompt as it counted them.
    pub needed: u32,
    /// Tokens of its window.
    pub window: u32,
}

impl Standing {
    /// Another line is gone on with: what is known of models stays, what is known of the conversation is found anew.
    pub(crate) fn begin_line(&mut self) {
        let (corrections, ms_per_thousand) = (std::mem::take(&mut self.corrections), self.ms_per_thousand);
        *self = Self { corrections, ms_per_thousand, ..Self::default() };
    }

    pub(crate) fn asked(&mut self, at: EntryNumber) {
        self.asked.get_or_insert(at);
    }

    pub(crate) fn replied(&mut self, reply: &Reply) {
        let (usage, said) = (&reply.sampled.usage, &reply.sampled);
        self.refused = None;
        self.tried = false;
        self.learn(reply);
        let decoded = usage.decoded.unwrap_or_else(|| estimate::tokens(&said.text));
        let prompt = reply.counted.or(usage.prompt.map(|tokens| Counted::new(tokens, Measure::Exact)));
        self.size = prompt.map(|prompt| Counted { tokens: prompt.tokens.saturating_add(decoded), ..prompt });
        let computed = usage.prefilled.unwrap_or(0).saturating_add(usage.decoded.unwrap_or(0));
        if let (Some(total), true) = (usage.total_ms, computed >= 64) {
            self.ms_per_thousand = Some(total * 1_000 / u64::from(computed));
        }
    }

    /// A reported count corrects the estimate that was made of the same prompt.
    fn learn(&mut self, reply: &Reply) {
        let (Some(counted), Some(reported)) = (reply.counted, reply.sampled.usage.prompt) else { return };
        if counted.measure == Measure::Exact || counted.tokens == 0 || reported == 0 {
            return;
        }
        let earlier = self.corrections.get(&reply.sampled.model).copied();
        let estimated = earlier.map_or(counted.tokens, |earlier| earlier.undo(counted.tokens));
        let correction = Correction { reported, estimated, window: earlier.and_then(|earlier| earlier.window) };
        self.corrections.insert(reply.sampled.model.clone(), correction);
    }

    pub(crate) fn faltered(&mut self, faltered: &Faltered) {
        if let SampleFault::TooLong { needed, window } = faltered.fault {
            self.refused = Some(Refused { model: faltered.model.clone(), needed, window });
        }
    }

    pub(crate) fn ended(&mut self, turn: &TurnId, footer: &[SideEffect]) {
        self.done.extend(footer.iter().map(|row| (turn.clone(), Done::from(row))));
        self.refused = None;
        self.failed = false;
    }

    /// `kept` is the history behind the fold.
    pub(crate) fn compacted(&mut self, compacted: &Compacted, kept: &Thread) {
        self.asked = None;
        self.tried = true;
        if let Some(correction) = compacted.correction {
            self.corrections.insert(compacted.model.clone(), correction);
            self.refused = None;
        }
        match &compacted.fold {
            Fold::Unchanged(Unchanged::NotSmaller) => self.not_smaller_at = Some(compacted.before),
            Fold::Unchanged(Unchanged::Failed(_)) => self.failed = compacted.why == Why::Needed,
            Fold::Unchanged(Unchanged::Nothing) => {}
            Fold::Demoted(_) => self.size = Some(after(compacted)),
            Fold::Summarised { summary, .. } => {
                self.size = Some(after(compacted));
                self.not_smaller_at = None;
                self.summary = Some((**summary).clone());
                self.done.retain(|(turn, _)| kept.holds(turn));
            }
        }
    }

    /// Why the conversation should be compacted although no prompt needs it now.
    pub fn wants(&self, budget: &Budget) -> Option<Why> {
        if self.asked.is_some() {
            return Some(Why::Asked);
        }
        let size = self.size?;
        let large = u64::from(size.tokens) * 4 > u64::from(budget.room(size.measure)) * 3;
        (large && !self.tried && self.may_summarise(size.tokens)).then_some(Why::Large)
    }

    /// Whether a summary may be tried at this size without a person's wish: not again in a turn in which it failed, and
    /// where it was not worth it not before a fifth more was said (LOOP-85, 86).
    pub fn may_summarise(&self, tokens: u32) -> bool {
        !self.failed && self.not_smaller_at.is_none_or(|at| u64::from(tokens) * 5 >= u64::from(at) * 6)
    }

    /// The entry of a person's wish for a fold that was not tried yet.
    pub fn asked_at(&self) -> Option<EntryNumber> {
        self.asked
    }

    /// What a model's own numbers say of estimates for it.
    pub fn correction(&self, model: &str) -> Option<Correction> {
        self.corrections.get(model).copied()
    }

    /// The last refusal, until a reply or a fold has come of it.
    pub fn refused(&self) -> Option<&Refused> {
        self.refused.as_ref()
    }

    /// Milliseconds that a thousand tokens took last.
    pub fn ms_per_thousand(&self) -> Option<u64> {
        self.ms_per_thousand
    }

    /// What the earlier summary says, for the next summariser to go on from.
    pub fn words(&self) -> Words {
        self.summary.as_ref().map(|summary| summary.words.clone()).unwrap_or_default()
    }

    /// The summary of what goes, with what the host adds to a model's words.
    pub(crate) fn summary(&self, gone: &Thread, of_rounds: Vec<Done>, words: Words) -> Summary {
        let done = self.done.iter().filter(|(turn, _)| gone.holds(turn)).map(|(_, done)| done.clone()).chain(of_rounds);
        finish(gone, self.summary.as_ref(), done.collect(), words)
    }
}

fn after(compacted: &Compacted) -> Counted {
    Counted::new(compacted.after, compacted.measure)
}
