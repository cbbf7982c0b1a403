//! One sequence in the engine's memory: what is in its cells, decoding in steps, logits. It does not know texts.
//!
//! `cells` is the one truth (ENGINE-27): the tokens whose positions the engine holds. All reuse is its longest common
//! prefix with what is wanted; the rest is cut and decoded.

use std::time::{Duration, Instant};

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::token::LlamaToken;

/// Tokens of one engine batch at most.
pub(crate) const BATCH: usize = 512;
const SMALLEST_STEP: usize = 32;
/// A step is sized to last this long, so that a cancel and a beat wait no longer (ENGINE-9).
const STEP: Duration = Duration::from_millis(250);
const SEQUENCE: i32 = 0;

/// Why decoding stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LaneError {
    /// The engine reported a fault.
    #[error("the engine failed while decoding: {0}")]
    Engine(String),
    /// Somebody wants the request to end.
    #[error("cancelled")]
    Cancelled,
}

/// The sequence.
#[derive(Debug)]
pub(crate) struct Lane<'model> {
    context: LlamaContext<'model>,
    cells: Vec<LlamaToken>,
    step: usize,
    logits_row: Option<i32>,
}

impl<'model> Lane<'model> {
    /// An empty sequence.
    pub(crate) fn new(context: LlamaContext<'model>) -> Lane<'model> {
        Lane { context, cells: Vec::new(), step: SMALLEST_STEP, logits_row: None }
    }

    /// Tokens of context.
    pub(crate) fn window(&self) -> usize {
        self.context.n_ctx() as usize
    }

    /// How many tokens are in memory.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The last tokens in memory.
    pub(crate) fn recent(&self, count: usize) -> Vec<i32> {
        self.cells[self.cells.len().saturating_sub(count)..].iter().map(|token| token.0).collect()
    }

    /// Cuts the sequence to what it shares with `wanted`, so that at least one token is left to decode. Gives how many
    /// tokens stay.
    pub(crate) fn reuse(&mut self, wanted: &[LlamaToken]) -> Result<usize, LaneError> {
        let shared = self.cells.iter().zip(wanted).take_while(|(held, wanted)| held == wanted).count();
        let keep = shared.min(wanted.len().saturating_sub(1));
        self.cut(keep)?;
        Ok(self.cells.len())
    }

    /// Cuts the sequence to `keep` tokens; where the memory allows no cut, it is emptied and decoded anew.
    pub(crate) fn cut(&mut self, keep: usize) -> Result<(), LaneError> {
        self.logits_row = None;
        let position = u32::try_from(keep).map_err(|_| LaneError::Engine("a position beyond 32 bits".to_owned()))?;
        if keep > 0 && self.context.kv_cache_seq_rm(SEQUENCE, Some(position), None).is_ok() && self.holds(keep) {
            self.cells.truncate(keep);
            return Ok(());
        }
        self.context.clear_kv_cache();
        self.cells.clear();
        Ok(())
    }

    /// The engine's own word on where its sequence ends; a yes to a cut is no proof (ENGINE-30).
    fn holds(&self, count: usize) -> bool {
        usize::try_from(self.context.kv_cache_seq_pos_max(SEQUENCE) + 1) == Ok(count)
    }

    /// Decodes tokens after what is there, in steps; before each step `go_on` is asked and told how many are in memory.
    pub(crate) fn prefill(
        &mut self,
        tokens: &[LlamaToken],
        mut go_on: impl FnMut(usize) -> bool,
    ) -> Result<(), LaneError> {
        let mut left = tokens;
        while !left.is_empty() {
            if !go_on(self.cells.len()) {
                return Err(LaneError::Cancelled);
            }
            let (now, later) = left.split_at(self.step.min(left.len()));
            let started = Instant::now();
            self.decode(now, later.is_empty())?;
            self.size_step(now.len(), started.elapsed());
            left = later;
        }
        Ok(())
    }

    /// Decodes tokens in whole batches, without asking anybody: for measuring the bare engine.
    pub(crate) fn decode_whole(&mut self, tokens: &[LlamaToken]) -> Result<(), LaneError> {
        for batch in tokens.chunks(BATCH) {
            self.decode(batch, true)?;
        }
        Ok(())
    }

    /// The logits after the last token.
    pub(crate) fn logits(&self) -> Option<&[f32]> {
        self.logits_row.map(|row| self.context.get_logits_ith(row))
    }

    fn size_step(&mut self, done: usize, took: Duration) {
        if done < SMALLEST_STEP {
            return;
        }
        let fitting = done as f64 * STEP.as_secs_f64() / took.as_secs_f64().max(1e-6);
        // No more than doubled at once: one quick step may be chance.
        self.step = (fitting as usize).clamp(SMALLEST_STEP, (self.step * 2).min(BATCH));
    }

    fn decode(&mut self, tokens: &[LlamaToken], logits: bool) -> Result<(), LaneError> {
        let failed = |reason: String| LaneError::Engine(reason);
        let mut batch = LlamaBatch::new(tokens.len(), 1);
        for (index, token) in tokens.iter().enumerate() {
            let position = i32::try_from(self.cells.len() + index).map_err(|error| failed(error.to_string()))?;
            let last = logits && index + 1 == tokens.len();
            batch.add(*token, position, &[SEQUENCE], last).map_err(|error| failed(error.to_string()))?;
        }
        self.logits_row = None;
        if let Err(error) = self.context.decode(&mut batch) {
            // A failed step may have left positions behind; the cells say what is whole.
            self.cut(self.cells.len())?;
            return Err(failed(error.to_string()));
        }
        self.cells.extend_from_slice(tokens);
        self.logits_row = logits.then(|| i32::try_from(tokens.len() - 1).unwrap_or(0));
        Ok(())
    }
}
