//! Tokens and times. Unknown numbers are absent, never 0.

use domain::plan::{Measure, Segments};
use serde::{Deserialize, Serialize};

use crate::panel::Panel;

/// Of one reply.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Usage", optional_fields))]
pub struct UsageView {
    /// Tokens of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reused: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefilled: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_token_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backend: Option<String>,
}

/// One reply among those of a conversation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct RoundUsage {
    /// From 1.
    pub round: usize,
    /// What answered.
    pub model: String,
    /// Tokens of its prompt as they were counted before it was sent; what the model reports stands in `prompt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<u32>,
    /// The same by segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<SegmentRows>,
    /// Its numbers.
    #[serde(flatten)]
    pub usage: UsageView,
}

/// Sums over all rounds of which the number is known.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct UsageTotals {
    /// Tokens of prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<u64>,
    /// Tokens of replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decoded: Option<u64>,
}

/// Tokens by what they are. They add up to those of the prompt.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SegmentRows {
    system: u32,
    tools: u32,
    summary: u32,
    history: u32,
    /// What the person says in the turn that runs, or would begin.
    message: u32,
    /// What opens the prompt and the reply.
    around: u32,
    /// The rows are estimates. Their sum can be exact all the same.
    estimated: bool,
}

/// A prompt that is not sent yet.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct PromptUsage {
    /// What would answer.
    pub model: String,
    /// Whether that is on this machine.
    pub here: bool,
    /// Tokens by what they are.
    pub segments: SegmentRows,
    /// All of them.
    pub total: u32,
    /// The total is an estimate.
    pub estimated: bool,
    /// Of the total, what the model need not read again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u32>,
    /// Tokens that prompt and reply share.
    pub window: u32,
    /// Of the window, what is kept for the reply.
    pub reserve: u32,
    /// Something is made shorter first, because this is too long.
    pub folds: bool,
}

/// What a person has written and not sent.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct DraftForm {
    /// As it stands.
    pub text: String,
}

/// Of a conversation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConversationUsage {
    /// In their order.
    pub rounds: Vec<RoundUsage>,
    /// Sums.
    pub totals: UsageTotals,
    /// Samples that gave no reply. What a model took for them is not known.
    pub failed: usize,
    /// Tokens that prompt and reply share.
    pub window: u32,
    /// The prompt that would be next.
    pub next: PromptUsage,
}

impl From<&Segments> for SegmentRows {
    fn from(rows: &Segments) -> Self {
        let Segments { system, tools, summary, history, message, around, measure } = *rows;
        Self { system, tools, summary, history, message, around, estimated: measure == Measure::Estimated }
    }
}

impl From<&Panel> for PromptUsage {
    fn from(panel: &Panel) -> Self {
        Self {
            model: panel.model.clone(),
            here: panel.tier == domain::model::Tier::Device,
            segments: (&panel.rows).into(),
            total: panel.total,
            estimated: panel.measure == Measure::Estimated,
            cached: panel.cached,
            window: panel.budget.window,
            reserve: panel.budget.reserve,
            folds: panel.folds_first(),
        }
    }
}

impl From<&domain::model::Usage> for UsageView {
    fn from(usage: &domain::model::Usage) -> Self {
        Self {
            prompt: usage.prompt,
            reused: usage.reused,
            prefilled: usage.prefilled,
            decoded: usage.decoded,
            reasoning: usage.reasoning,
            first_token_ms: usage.first_token_ms,
            total_ms: usage.total_ms,
            backend: usage.backend.clone(),
        }
    }
}
