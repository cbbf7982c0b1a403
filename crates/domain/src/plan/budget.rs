//! What a window leaves for a prompt, and how far an estimate can be trusted.

use serde::{Deserialize, Serialize};

use super::Measure;
use crate::setting::Setting;

/// The smallest window that a profile starts on (LOOP-81).
pub const LEAST_WINDOW: u32 = 2_048;
/// Tokens that are kept for a reply at least (LOOP-78).
const LEAST_RESERVE: u32 = 512;
/// The part of a window that an estimate leaves free: one twentieth (LOOP-12).
const UNSURE: u32 = 20;

/// What prompt and reply share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Tokens of the window.
    pub window: u32,
    /// Tokens of it that are kept for the reply.
    pub reserve: u32,
}

impl Budget {
    /// The budget of a window: the reserve is the least of the model's own cap, the profile's and a fifth of the window,
    /// but 512 at least.
    pub fn new(window: u32, output_cap: Option<u32>, reply_tokens: u32) -> Self {
        let least = (window / 5).min(reply_tokens).min(output_cap.unwrap_or(u32::MAX));
        Self { window, reserve: least.max(LEAST_RESERVE) }
    }

    /// The budget of the first model of a setting.
    pub fn of(setting: &Setting) -> Self {
        let model = &setting.model;
        Self::new(model.window, model.output_cap, setting.limits.reply_tokens)
    }

    /// Tokens that a prompt may have.
    pub fn room(&self, measure: Measure) -> u32 {
        self.left(self.reserve, measure)
    }

    /// Tokens that are left for a reply behind a prompt of so many.
    pub fn left(&self, tokens: u32, measure: Measure) -> u32 {
        self.window.saturating_sub(tokens).saturating_sub(self.unsure(measure))
    }

    /// Tokens of a window in which a prompt of so many would fit.
    pub fn needed(&self, tokens: u32, measure: Measure) -> u32 {
        tokens.saturating_add(self.reserve).saturating_add(self.unsure(measure))
    }

    fn unsure(&self, measure: Measure) -> u32 {
        match measure {
            Measure::Exact => 0,
            Measure::Estimated => self.window / UNSURE,
        }
    }
}

/// What a model's own numbers say of our estimates for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// Tokens of a prompt as the model reported them.
    pub reported: u32,
    /// Tokens of the same prompt as they were estimated.
    pub estimated: u32,
    /// Its window, where it stated one that is smaller than what was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
}

impl Correction {
    /// The corrected count. A factor beyond four either way is a slip of the server, not of the estimate.
    pub fn apply(&self, tokens: u32) -> u32 {
        let (reported, estimated) = (u64::from(self.reported.max(1)), u64::from(self.estimated.max(1)));
        let tokens = u64::from(tokens);
        let corrected = (tokens * reported).div_ceil(estimated).clamp(tokens / 4, tokens * 4);
        u32::try_from(corrected).unwrap_or(u32::MAX)
    }

    /// The estimate that was corrected to this count.
    pub fn undo(&self, tokens: u32) -> u32 {
        Self { reported: self.estimated, estimated: self.reported, window: None }.apply(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Correction, Measure};

    #[test]
    fn the_reserve_is_the_least_of_three_but_512_at_least() {
        let reserve = |window, cap, reply| Budget::new(window, cap, reply).reserve;
        assert_eq!(reserve(32_768, None, 4_096), 4_096);
        assert_eq!(reserve(32_768, Some(1_000), 4_096), 1_000);
        assert_eq!(reserve(10_000, None, 4_096), 2_000);
        assert_eq!(reserve(2_048, None, 4_096), 512);
        assert_eq!(reserve(131_072, Some(64), 4_096), 512);
    }

    #[test]
    fn an_estimate_leaves_a_twentieth_free() {
        let budget = Budget::new(10_000, None, 4_096);
        assert_eq!((budget.room(Measure::Exact), budget.room(Measure::Estimated)), (8_000, 7_500));
        assert_eq!(Budget::new(100, None, 9).room(Measure::Exact), 0);
    }

    #[test]
    fn a_reported_count_corrects_the_next_estimate() {
        let correction = Correction { reported: 1_500, estimated: 1_000, window: None };
        assert_eq!(correction.apply(2_000), 3_000);
        let wild = Correction { reported: 1_000_000, estimated: 1, window: None };
        assert_eq!(wild.apply(10), 40);
    }
}
