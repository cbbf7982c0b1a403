//! Tokens and times. Unknown numbers are absent, never 0.

use serde::Serialize;

/// Of one reply.
#[derive(Debug, Serialize)]
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
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RoundUsage {
    /// From 1.
    pub round: usize,
    /// What answered.
    pub model: String,
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

/// Of a conversation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ConversationUsage {
    /// In their order.
    pub rounds: Vec<RoundUsage>,
    /// Sums.
    pub totals: UsageTotals,
    /// Tokens that prompt and reply share.
    pub window: u32,
    /// Tokens of the prompt that would be next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_prompt: Option<u32>,
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
