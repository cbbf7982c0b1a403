//! The sequences in the engine's memory: what is in their cells, decoding in steps, logits. It does not know texts.
//!
//! A line's `cells` are the one truth (ENGINE-27): the tokens whose positions the engine holds. All reuse is the longest
//! common prefix with what is wanted; the rest is cut and decoded. Up to four lines share one pool of cells, so that
//! people who take turns do not cost each other their memory; the longest unused one goes first when room is needed.

use std::time::{Duration, Instant};

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::token::LlamaToken;

/// Tokens of one engine batch at most.
pub(crate) const BATCH: usize = 512;
/// Nothing is known of the speed before the first step.
const FIRST_STEP: usize = 32;
const SMALLEST_STEP: usize = 4;
/// A step is sized to last this long, so that a cancel and a beat wait no longer (ENGINE-9).
const STEP: Duration = Duration::from_millis(250);
/// Lines that may be in memory at once.
pub(crate) const LINES: usize = 4;
/// A line that is longer than the common part by more than this belongs to something else: it is left whole, and its
/// common part is shared with another line.
const SMALL_TAIL: usize = 64;

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

/// The sequences, of which one is worked on at a time.
#[derive(Debug)]
pub(crate) struct Lane<'model> {
    context: LlamaContext<'model>,
    lines: Vec<Line>,
    active: usize,
    uses: u64,
    step: usize,
    logits_row: Option<i32>,
}

#[derive(Debug, Default)]
struct Line {
    cells: Vec<LlamaToken>,
    last_use: u64,
}

impl<'model> Lane<'model> {
    /// Empty lines; one alone where the memory allows no sharing.
    pub(crate) fn new(context: LlamaContext<'model>, can_share: bool) -> Lane<'model> {
        let lines = (0..if can_share { LINES } else { 1 }).map(|_| Line::default()).collect();
        Lane { context, lines, active: 0, uses: 0, step: FIRST_STEP, logits_row: None }
    }

    /// Tokens of context.
    pub(crate) fn window(&self) -> usize {
        self.context.n_ctx() as usize
    }

    /// How many tokens of the active line are in memory.
    pub(crate) fn len(&self) -> usize {
        self.cells().len()
    }

    /// The last tokens of the active line.
    pub(crate) fn recent(&self, count: usize) -> Vec<i32> {
        let cells = self.cells();
        cells[cells.len().saturating_sub(count)..].iter().map(|token| token.0).collect()
    }

    /// Makes the line active that shares most with `wanted`, cut so that at least one token is left to decode. Gives how
    /// many tokens need not be decoded.
    pub(crate) fn reuse(&mut self, wanted: &[LlamaToken]) -> Result<usize, LaneError> {
        let keep = |line: &Line| kept(line, wanted);
        let best = (0..self.lines.len()).max_by_key(|at| (keep(&self.lines[*at]), std::cmp::Reverse(*at))).unwrap_or(0);
        let shared = keep(&self.lines[best]);
        let tail = self.lines[best].cells.len() - shared;
        self.active = if tail > SMALL_TAIL { self.share(best, shared) } else { best };
        self.uses += 1;
        self.lines[self.active].last_use = self.uses;
        self.cut(shared)?;
        Ok(self.len())
    }

    /// How many tokens [`Lane::reuse`] would keep now.
    pub(crate) fn shared(&self, wanted: &[LlamaToken]) -> usize {
        self.lines.iter().map(|line| kept(line, wanted)).max().unwrap_or(0)
    }

    /// Empties the longest unused other line and lets it share the first cells of this one, without copying them.
    fn share(&mut self, source: usize, count: usize) -> usize {
        let others = (0..self.lines.len()).filter(|at| *at != source);
        let Some(other) = others.min_by_key(|at| self.lines[*at].last_use) else { return source };
        self.empty(other);
        let end = u32::try_from(count).ok();
        if count > 0 && self.context.copy_kv_cache_seq(sequence(source), sequence(other), Some(0), end).is_ok() {
            self.lines[other].cells = self.lines[source].cells[..count].to_vec();
        }
        other
    }

    /// Cuts the active line to `keep` tokens; where the memory allows no cut, it is emptied and decoded anew.
    pub(crate) fn cut(&mut self, keep: usize) -> Result<(), LaneError> {
        self.logits_row = None;
        let position = u32::try_from(keep).map_err(|_| LaneError::Engine("a position beyond 32 bits".to_owned()))?;
        let removed = self.context.kv_cache_seq_rm(sequence(self.active), Some(position), None);
        if keep > 0 && removed.is_ok() && self.holds(keep) {
            self.lines[self.active].cells.truncate(keep);
        } else {
            self.empty(self.active);
        }
        Ok(())
    }

    /// Empties all lines.
    pub(crate) fn clear(&mut self) {
        self.logits_row = None;
        self.context.clear_kv_cache();
        self.lines.iter_mut().for_each(|line| line.cells.clear());
    }

    fn cells(&self) -> &[LlamaToken] {
        &self.lines[self.active].cells
    }

    fn empty(&mut self, at: usize) {
        self.lines[at].cells.clear();
        // A whole line can always be removed; should the engine say otherwise, nothing in memory is trusted any more.
        if self.context.kv_cache_seq_rm(sequence(at), None, None).is_err() {
            self.clear();
        }
    }

    /// The engine's own word on where the active line ends; a yes to a cut is no proof (ENGINE-30).
    fn holds(&self, count: usize) -> bool {
        usize::try_from(self.context.kv_cache_seq_pos_max(sequence(self.active)) + 1) == Ok(count)
    }

    /// Empties other lines, longest unused first, until `more` cells are free. Shared cells are counted for each line, so
    /// this frees rather too much than too little: no decode meets a full pool.
    fn make_room(&mut self, more: usize) {
        while self.lines.iter().map(|line| line.cells.len()).sum::<usize>() + more > self.window() {
            let others = (0..self.lines.len()).filter(|at| *at != self.active && !self.lines[*at].cells.is_empty());
            let Some(oldest) = others.min_by_key(|at| self.lines[*at].last_use) else { return };
            self.empty(oldest);
        }
    }

    /// Decodes tokens after what is there, in steps; before each step `go_on` is asked and told how many are in memory.
    pub(crate) fn prefill(
        &mut self,
        tokens: &[LlamaToken],
        mut go_on: impl FnMut(usize) -> bool,
    ) -> Result<(), LaneError> {
        let mut left = tokens;
        while !left.is_empty() {
            if !go_on(self.len()) {
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

    /// Decodes tokens in whole batches, for measuring the bare engine; `beat` is called before each.
    pub(crate) fn decode_whole(&mut self, tokens: &[LlamaToken], mut beat: impl FnMut()) -> Result<(), LaneError> {
        for batch in tokens.chunks(BATCH) {
            beat();
            self.decode(batch, true)?;
        }
        Ok(())
    }

    /// The logits after the last token.
    pub(crate) fn logits(&self) -> Option<&[f32]> {
        self.logits_row.map(|row| self.context.get_logits_ith(row))
    }

    fn size_step(&mut self, done: usize, took: Duration) {
        if done < self.step {
            return;
        }
        let fitting = done as f64 * STEP.as_secs_f64() / took.as_secs_f64().max(1e-6);
        // No more than doubled at once: one quick step may be chance.
        self.step = (fitting as usize).clamp(SMALLEST_STEP, (self.step * 2).min(BATCH));
    }

    fn decode(&mut self, tokens: &[LlamaToken], logits: bool) -> Result<(), LaneError> {
        let failed = |reason: String| LaneError::Engine(reason);
        self.make_room(tokens.len());
        let mut batch = LlamaBatch::new(tokens.len(), 1);
        for (index, token) in tokens.iter().enumerate() {
            let position = i32::try_from(self.len() + index).map_err(|error| failed(error.to_string()))?;
            let last = logits && index + 1 == tokens.len();
            let line = [sequence(self.active)];
            batch.add(*token, position, &line, last).map_err(|error| failed(error.to_string()))?;
        }
        self.logits_row = None;
        if let Err(error) = self.context.decode(&mut batch) {
            // A failed step may have left positions behind; the cells say what is whole.
            self.cut(self.len())?;
            return Err(failed(error.to_string()));
        }
        self.lines[self.active].cells.extend_from_slice(tokens);
        self.logits_row = logits.then(|| i32::try_from(tokens.len() - 1).unwrap_or(0));
        Ok(())
    }
}

/// How many of the wanted tokens a line has; at least one is left to decode.
fn kept(line: &Line, wanted: &[LlamaToken]) -> usize {
    common(&line.cells, wanted).min(wanted.len().saturating_sub(1))
}

fn common(held: &[LlamaToken], wanted: &[LlamaToken]) -> usize {
    held.iter().zip(wanted).take_while(|(held, wanted)| held == wanted).count()
}

/// The engine's number of a line.
fn sequence(line: usize) -> i32 {
    i32::try_from(line).expect("there are at most LINES lines")
}
