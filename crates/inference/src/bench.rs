//! Measures one local model: first token cold and warm, prefill and decode rates, and what the bare engine needs for the
//! same new tokens, so that Riad's own share can be told. It prints nothing and compares nothing.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use domain::context::{CallPolicy, Item, Prefix, Prompt};
use domain::id::EntryNumber;
use domain::model::{SampleFault, Sampled};
use domain::tool::ToolSet;
use harness::ports::{Channel, DeltaSink, Model as _};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::local::{LocalModel, LocalOptions, OpenError, SILENCE, SamplingDefaults};
use crate::protocol::message::{Choice, Probe};

/// Tokens of the long part of the prompt, roughly: as in the measurements that set the targets.
const PREFIX_TOKENS: usize = 1467;
const REPLY_TOKENS: u32 = 64;
/// Warm first tokens are short, and whatever else runs makes them longer, never shorter: the least of several is told, here
/// and for the bare engine alike.
const WARM_RUNS: u32 = 7;
const WINDOW: u32 = 4096;

/// What was measured. Times are milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// The model's name.
    pub model: String,
    /// Threads of the engine.
    pub threads: u32,
    /// Start of the worker and load of the weights.
    pub load_ms: f64,
    /// Tokens of the long prompt.
    pub prompt_tokens: u32,
    /// First token with an empty memory.
    pub cold_first_token_ms: f64,
    /// Prompt tokens a second, cold.
    pub prefill_per_s: f64,
    /// Reply tokens a second.
    pub decode_per_s: f64,
    /// New tokens of a warm sample.
    pub warm_new_tokens: u32,
    /// First token of a warm sample, the least of 7.
    pub warm_first_token_ms: f64,
    /// The bare engine's time for as many new tokens after as many others, the least of 7.
    pub engine_first_token_ms: f64,
    /// Warm first token over the bare engine's.
    pub warm_over_engine: f64,
    /// The least share of a warm prompt that was reused.
    pub reused_share: f64,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The model cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The model gave no answer.
    #[error("the model gave no answer: {0:?}")]
    Sample(SampleFault),
    /// A number that must be there is not.
    #[error("the worker reported no {0}")]
    Unknown(&'static str),
}

impl From<SampleFault> for BenchError {
    fn from(fault: SampleFault) -> BenchError {
        BenchError::Sample(fault)
    }
}

/// Measures the model in a file with a worker executable.
///
/// # Errors
/// If the model cannot be opened or gives no answer.
pub async fn model(file: &Path, worker: &Path, threads: u32) -> Result<Figures, BenchError> {
    let sampling = SamplingDefaults { temperature: Some(0.0), ..SamplingDefaults::default() };
    let (file, worker) = (file.to_path_buf(), worker.to_path_buf());
    let options =
        LocalOptions { file, worker, window: WINDOW, threads, sampling, silence: SILENCE, first_call: Choice::Free };
    let model = LocalModel::open(options)?;
    let started = Instant::now();
    model.preload().await?;
    let load_ms = millis(started.elapsed());

    let base = long_prompt(&model).await?;
    let (cold, cold_first) = timed_sample(&model, &base, REPLY_TOKENS).await?;
    let prompt_tokens = cold.usage.prompt.ok_or(BenchError::Unknown("prompt tokens"))?;
    let decoded = cold.usage.decoded.ok_or(BenchError::Unknown("reply tokens"))?;
    let total = Duration::from_millis(cold.usage.total_ms.unwrap_or_default());
    let decoding = total.saturating_sub(cold_first).as_secs_f64().max(1e-6);

    let warm = warm_runs(&model, &base).await?;
    let probe = Probe { prefix: prompt_tokens, new: warm.new_tokens, repeats: WARM_RUNS };
    let bare = model.probe(probe).await?.new;
    let engine_first_token_ms = least(bare.into_iter().map(|micros| micros as f64 / 1000.0).collect());
    Ok(Figures {
        model: model.describe().name,
        threads,
        load_ms,
        prompt_tokens,
        cold_first_token_ms: millis(cold_first),
        prefill_per_s: f64::from(prompt_tokens) / cold_first.as_secs_f64().max(1e-6),
        decode_per_s: f64::from(decoded.saturating_sub(1)) / decoding,
        warm_new_tokens: warm.new_tokens,
        warm_first_token_ms: warm.first_token_ms,
        engine_first_token_ms,
        warm_over_engine: warm.first_token_ms / engine_first_token_ms.max(1e-6),
        reused_share: warm.reused_share,
    })
}

struct Warm {
    new_tokens: u32,
    first_token_ms: f64,
    reused_share: f64,
}

/// Asks another question each time behind the same long part.
async fn warm_runs(model: &LocalModel, base: &Prompt) -> Result<Warm, BenchError> {
    let mut first_tokens = Vec::new();
    let mut new_tokens = 0;
    let mut reused_share: f64 = 1.0;
    for run in 0..WARM_RUNS {
        let question = format!("Now the question of number {run}: what does the text say about the lamp and the hall?");
        let asked = with_question(base, &question);
        let (reply, first) = timed_sample(model, &asked, 1).await?;
        let prefilled = reply.usage.prefilled.ok_or(BenchError::Unknown("prefilled tokens"))?;
        let reused = reply.usage.reused.ok_or(BenchError::Unknown("reused tokens"))?;
        new_tokens = prefilled;
        reused_share = reused_share.min(f64::from(reused) / f64::from((reused + prefilled).max(1)));
        first_tokens.push(millis(first));
    }
    Ok(Warm { new_tokens, first_token_ms: least(first_tokens), reused_share })
}

/// A prompt of about the wanted length, counted by the model itself.
async fn long_prompt(model: &LocalModel) -> Result<Prompt, BenchError> {
    let sentence = "The lamp stood by the door of the long hall and gave a quiet light to all who came in. ";
    let one = prompt(sentence.repeat(10));
    let ten = model.count(&one).await?.ok_or(BenchError::Unknown("token count"))?;
    let repeats = PREFIX_TOKENS * 10 / usize::try_from(ten).unwrap_or(usize::MAX).max(1);
    Ok(prompt(sentence.repeat(repeats)))
}

fn prompt(text: String) -> Prompt {
    Prompt {
        prefix: Arc::new(Prefix::new("You are a helpful assistant.".to_owned(), &ToolSet::default())),
        items: vec![Arc::new(Item::Person { text, aside: None })],
        seen: EntryNumber(1),
        open: false,
        calls: CallPolicy::Free,
        max_tokens: REPLY_TOKENS,
        variation: 0,
    }
}

fn with_question(base: &Prompt, question: &str) -> Prompt {
    let mut items = base.items.clone();
    items.push(Arc::new(Item::Model { text: "Good.".to_owned(), calls: Vec::new(), signed: None }));
    items.push(Arc::new(Item::Person { text: question.to_owned(), aside: None }));
    Prompt { items, ..base.clone() }
}

async fn timed_sample(model: &LocalModel, asked: &Prompt, most: u32) -> Result<(Sampled, Duration), BenchError> {
    let first = FirstDelta { started: Instant::now(), at: OnceLock::new() };
    let asked = Prompt { max_tokens: most, ..asked.clone() };
    let reply = model.sample(&asked, &first, &CancellationToken::new()).await?;
    let first = first.at.get().copied().ok_or(BenchError::Unknown("text"))?;
    Ok((reply, first))
}

/// When the first piece came, as a caller sees it.
struct FirstDelta {
    started: Instant,
    at: OnceLock<Duration>,
}

impl DeltaSink for FirstDelta {
    fn delta(&self, _: Channel, _: &str) {
        self.at.get_or_init(|| self.started.elapsed());
    }
}

fn least(values: Vec<f64>) -> f64 {
    values.into_iter().min_by(f64::total_cmp).unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
