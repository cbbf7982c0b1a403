//! Which model is asked next, and after how long. A pure choice over the samples that failed since the last reply.
//!
//! A model is tried until it has failed for good, then the next one, each once a round; never one to which this
//! conversation may not travel.

use super::Turn;
use crate::digest::Digest;
use crate::model::{Faltered, ModelDescription, SampleFault};
use crate::setting::Setting;
use crate::time::Timestamp;

/// Milliseconds before the first, second, third and fourth time that a model is asked again.
const WAITS_MS: [u64; 4] = [1000, 2000, 4000, 8000];

/// How much a wait varies, so that those who failed together do not come back together: 25 %, in thousandths.
const VARIED: u64 = 250;

/// The longest wait that a provider may ask for.
const LONGEST_WAIT_MS: u64 = 60_000;

/// Crashes of a worker on one prompt that end its turn, and within which time.
const CRASHES: usize = 2;
const CRASHES_WITHIN_MS: u64 = 600_000;

/// A sample that failed, and when.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) faltered: Faltered,
    pub(super) at: Timestamp,
    /// How long the turn had been at work by then.
    pub(super) active_ms: u64,
}

/// What is to be asked next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Choice {
    /// This model, after so many milliseconds.
    Ask { model: String, wait_ms: u64 },
    /// No model is left that may be asked; some were not, since this conversation may not travel so far.
    NoneLeft { barred: Vec<String> },
}

impl Turn {
    /// The model that is asked next. `only`: the one that may be, where a reply is gone on with.
    pub(super) fn choose(&self, setting: &Setting, only: Option<&str>) -> Choice {
        let models = self.in_order(setting, only);
        let allowed: Vec<&str> =
            models.iter().filter(|model| model.tier <= setting.tier).map(|model| model.name.as_str()).collect();
        let barred =
            || models.iter().filter(|model| model.tier > setting.tier).map(|model| model.name.clone()).collect();
        if self.crashed_twice() {
            return Choice::NoneLeft { barred: Vec::new() };
        }
        if let Some(wait_ms) = self.again_after(setting)
            && let Some(model) = allowed.iter().find(|model| **model == self.last_asked(setting))
        {
            return Choice::Ask { model: (*model).to_owned(), wait_ms };
        }
        let fresh: Vec<&str> = allowed.into_iter().filter(|model| !self.was_asked(model, setting)).collect();
        let rested = fresh.iter().find(|model| !setting.resting.contains(**model));
        match rested.or(fresh.first()) {
            Some(model) => Choice::Ask { model: (*model).to_owned(), wait_ms: 0 },
            None => Choice::NoneLeft { barred: barred() },
        }
    }

    /// All models, that which answered in this turn first.
    fn in_order<'a>(&self, setting: &'a Setting, only: Option<&str>) -> Vec<&'a ModelDescription> {
        let mut models: Vec<&ModelDescription> = setting.models().map(AsRef::as_ref).collect();
        models.retain(|model| only.is_none_or(|only| model.name == only));
        let answered = self.rounds.last().map(|round| round.reply.sampled.model.as_str());
        models.sort_by_key(|model| Some(model.name.as_str()) != answered);
        models
    }

    /// The model that failed last; one that is not named was the first.
    fn last_asked<'a>(&'a self, setting: &'a Setting) -> &'a str {
        self.faults.last().map_or(setting.model.name.as_str(), |fault| asked(fault, setting))
    }

    fn was_asked(&self, model: &str, setting: &Setting) -> bool {
        self.faults.iter().any(|fault| asked(fault, setting) == model)
    }

    /// After how long the model that failed last may be asked again; `None` if it failed for good, or was not asked yet.
    fn again_after(&self, setting: &Setting) -> Option<u64> {
        let fault = &self.faults.last()?.faltered.fault;
        let model = self.last_asked(setting);
        let tries = self.faults.iter().rev().take_while(|fault| asked(fault, setting) == model).count();
        if matches!(fault, SampleFault::TooLong { .. }) {
            // Its prompt is planned anew by what the refusal said.
            return (tries == 1).then_some(0);
        }
        if !fault.is_passing() || tries > WAITS_MS.len().min(setting.limits.retries) {
            return None;
        }
        match fault.retry_after_ms() {
            Some(wait) => (wait <= LONGEST_WAIT_MS).then_some(wait),
            None => Some(self.varied(WAITS_MS[tries - 1])),
        }
    }

    /// A wait that is up to a quarter longer or shorter, as the turn and the number of its failures have it.
    fn varied(&self, wait_ms: u64) -> u64 {
        let [high, low, ..] = Digest::of_bytes(format!("{}\n{}", self.id, self.faults.len()).as_bytes()).bytes();
        let part = u64::from(u16::from_be_bytes([high, low])) % (2 * VARIED + 1);
        wait_ms * (1000 - VARIED + part) / 1000
    }

    /// Whether a worker crashed again on this prompt: it may well be the prompt, and others are to keep their worker.
    fn crashed_twice(&self) -> bool {
        let crashes = self.faults.iter().rev().filter(|fault| matches!(fault.faltered.fault, SampleFault::Crashed(_)));
        let mut newest = crashes.take(CRASHES);
        match (newest.next(), newest.next()) {
            (Some(last), Some(before)) => last.at.since(before.at) <= CRASHES_WITHIN_MS,
            (Some(_) | None, None) | (None, Some(_)) => false,
        }
    }

    /// The last fault of each model that was asked since the last reply, in the order in which they were.
    pub(super) fn reasons(&self, setting: &Setting) -> Vec<Faltered> {
        let mut reasons: Vec<Faltered> = Vec::new();
        for fault in &self.faults {
            let model = asked(fault, setting);
            reasons.retain(|reason| reason.model != model);
            reasons.push(Faltered::new(model, fault.faltered.fault.clone()));
        }
        reasons
    }
}

fn asked<'a>(fault: &'a Fault, setting: &'a Setting) -> &'a str {
    if fault.faltered.model.is_empty() { &setting.model.name } else { &fault.faltered.model }
}
