//! Tokens of a prompt by its parts, and how they are known.

use serde::{Deserialize, Serialize};

use super::{Correction, Segments};
use crate::context::{Prompt, estimate};

/// How a count is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// By the tokenizer and template of the request itself. The sum is exact, whatever is said of its parts.
    #[default]
    Exact,
    /// By letters, corrected by what the model reported.
    Estimated,
}

/// Tokens of a whole prompt, and how they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The tokens.
    pub tokens: u32,
    /// How they are known.
    pub measure: Measure,
    /// The same by segment; absent in entries of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<Segments>,
}

impl Counted {
    /// A whole alone.
    pub fn new(tokens: u32, measure: Measure) -> Self {
        Self { tokens, measure, segments: None }
    }
}

/// Tokens of each part of a prompt. The parts add up to the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// The system text.
    pub system: u32,
    /// The tool block.
    pub tools: u32,
    /// Each item, in the order of the prompt.
    pub items: Vec<u32>,
    /// What belongs to no part: what opens the prompt and the reply.
    pub around: u32,
    /// How the whole is known.
    pub measure: Measure,
    /// How the parts are known: shares of an exact whole are estimates too.
    pub parts: Measure,
    /// Of the whole, what the model has in memory now, where it says so.
    pub cached: Option<u32>,
}

impl Counts {
    /// Tokens of the whole prompt.
    pub fn total(&self) -> u32 {
        self.items.iter().fold(self.prefix(), |sum, item| sum.saturating_add(*item))
    }

    /// Tokens of what does not change between turns.
    pub fn prefix(&self) -> u32 {
        self.system.saturating_add(self.tools).saturating_add(self.around)
    }

    /// Estimates for a model that cannot count, corrected by what it reported last.
    pub fn estimated(prompt: &Prompt, correction: Option<Correction>) -> Self {
        let plain = Self::by_letters(prompt);
        match correction {
            Some(correction) => plain.map(|tokens| correction.apply(tokens)),
            None => plain,
        }
    }

    /// For a model that counts a prompt only as a whole: the sum is exact, the parts have their shares of it.
    pub fn shared_out(prompt: &Prompt, total: u32) -> Self {
        let plain = Self::by_letters(prompt);
        let (total, all) = (u64::from(total), u64::from(plain.total().max(1)));
        let mut shares = plain.map(|tokens| u32::try_from(u64::from(tokens) * total / all).unwrap_or(u32::MAX));
        (shares.measure, shares.parts) = (Measure::Exact, Measure::Estimated);
        shares.around += u32::try_from(total).unwrap_or(u32::MAX).saturating_sub(shares.total());
        shares
    }

    /// At least so many in all: what a model says of a prompt that it refused.
    pub fn raised_to(&self, total: u32) -> Self {
        let (wanted, all) = (u64::from(total), u64::from(self.total().max(1)));
        if wanted <= all {
            return self.clone();
        }
        let mut raised = self.map(|tokens| u32::try_from(u64::from(tokens) * wanted / all).unwrap_or(u32::MAX));
        raised.around = raised.around.saturating_add(total.saturating_sub(raised.total()));
        raised
    }

    fn by_letters(prompt: &Prompt) -> Self {
        let (system, tools) = estimate::prefix(&prompt.prefix);
        let items = prompt.items.iter().map(|item| estimate::item(item)).collect();
        Self { system, tools, items, around: 4, measure: Measure::Estimated, parts: Measure::Estimated, cached: None }
    }

    fn map(&self, change: impl Fn(u32) -> u32) -> Self {
        let (system, tools, around) = (change(self.system), change(self.tools), change(self.around));
        Self { system, tools, items: self.items.iter().map(|item| change(*item)).collect(), around, ..*self }
    }
}
