//! How much one turn may do. Numbers are the defaults of the specification of the loop; a profile may lower them.

/// The purse of one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Replies of the model in one turn (1 to 200).
    pub rounds: usize,
    /// Calls in one turn.
    pub calls: usize,
    /// Calls in one reply; further ones are rejected.
    pub calls_a_reply: usize,
    /// Milliseconds of active time: what is waited for a person, an unlock or a queue does not count.
    pub active_ms: u64,
    /// Tokens that models may write in one turn, as far as they say how many they wrote.
    pub decoded_tokens: u64,
    /// How often one model is asked again when a sample failed.
    pub retries: usize,
    /// Reads that run side by side.
    pub parallel: usize,
    /// Delegates that run side by side.
    pub delegates: usize,
    /// Approvals of one turn that may wait at once; further calls are refused.
    pub cards: usize,
    /// Tokens of one reply.
    pub reply_tokens: u32,
    /// Tokens of the last reply that closes a turn at its limit.
    pub closing_tokens: u32,
}

impl Limits {
    /// The defaults for a model with a window of so many tokens. A reply takes at most a quarter of it, so that a small
    /// model keeps room for what is said to it, but never so little that it cannot say anything.
    pub fn for_window(tokens: u32) -> Self {
        let usual = Self::default();
        Self { reply_tokens: usual.reply_tokens.min(tokens / 4).max(LEAST_REPLY_TOKENS), ..usual }
    }
}

/// Tokens that a reply may take however small the window is.
const LEAST_REPLY_TOKENS: u32 = 256;

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds: 40,
            calls: 120,
            calls_a_reply: 16,
            active_ms: 30 * 60 * 1000,
            decoded_tokens: 64_000,
            retries: 4,
            parallel: 8,
            delegates: 4,
            cards: 20,
            reply_tokens: 4096,
            closing_tokens: 1000,
        }
    }
}

/// The longest message of a person, in bytes of UTF-8 (256 KiB).
pub const MESSAGE_BYTES: usize = 256 * 1024;

/// Messages that may wait for one turn.
pub const WAITING_MESSAGES: usize = 20;

/// Characters of a person's words beside an answer.
pub const ANSWER_CHARS: usize = 8_000;

/// Characters of the title of a conversation.
pub const TITLE_CHARS: usize = 200;

/// The longest text of a result that is kept in an entry, in bytes of UTF-8 (256 KiB).
pub const RESULT_BYTES: usize = 256 * 1024;

/// The longest arguments of one call, in bytes (1 MiB).
pub const ARGUMENT_BYTES: usize = 1024 * 1024;

#[cfg(test)]
mod tests;
