//! How a local model is opened and sampled: values, and how they are put together. It opens nothing.

use std::path::PathBuf;
use std::time::Duration;

use crate::protocol::message::{Choice, Sampling, SamplingHints};

/// How a local model is opened.
#[derive(Debug, Clone)]
pub struct LocalOptions {
    /// The GGUF file, absolute.
    pub file: PathBuf,
    /// The worker's executable.
    pub worker: PathBuf,
    /// Tokens of context wanted; the model's own limit holds as well.
    pub window: u32,
    /// Compute threads, at least 1: all cores but one.
    pub threads: u32,
    /// Sampling values that stand over the model's metadata.
    pub sampling: SamplingDefaults,
    /// How long a busy worker may be silent, or beat without progress, before it is ended: [`SILENCE`].
    pub silence: Duration,
    /// Whether every reply to a person's message begins with a call, of any tool or of one, if it is there: for models
    /// that are too small to choose. The call is valid by construction either way.
    pub first_call: Choice,
}

/// What `silence` is outside tests (OPS-28).
pub const SILENCE: Duration = Duration::from_secs(30);

/// Sampling values; what is `None` comes from the model's metadata, then from stated defaults (LOOP-21).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SamplingDefaults {
    /// Temperature; 0.7 where nothing is stated.
    pub temperature: Option<f32>,
    /// Nucleus; 0.95.
    pub top_p: Option<f32>,
    /// Candidates; 40.
    pub top_k: Option<u32>,
    /// Floor; 0.05.
    pub min_p: Option<f32>,
    /// Penalty; 1, which is none.
    pub repeat_penalty: Option<f32>,
}

impl SamplingDefaults {
    /// The values of one sample: these, else what the model's metadata states, else what is written at each field.
    pub(super) fn over(self, stated: SamplingHints, seed: u64, variation: u32, max_tokens: u32) -> Sampling {
        let temperature = self.temperature.or(stated.temperature).unwrap_or(0.7);
        Sampling {
            // Another try with the same values would give much the same; more heat does not.
            temperature: if variation == 0 { temperature } else { (temperature + 0.3 * variation as f32).max(0.7) },
            top_p: self.top_p.or(stated.top_p).unwrap_or(0.95),
            top_k: self.top_k.or(stated.top_k).unwrap_or(40),
            min_p: self.min_p.or(stated.min_p).unwrap_or(0.05),
            repeat_penalty: self.repeat_penalty.unwrap_or(1.0),
            seed,
            max_tokens,
        }
    }
}
