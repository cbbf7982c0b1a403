//! An opened model: weights, sequence, template, grammars, and what its metadata says. It answers no requests itself.

use std::num::NonZeroU32;

use inference::dialect::{Dialect, Source, detect};
use inference::protocol::message::{
    Choice, Count, Counted, Failure, Load, Loaded, Probe, Probed, Prompt, SamplingHints, Stop, Tool,
};
use inference::segments::Parts;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use std::time::Instant;

use crate::chat::Chat;
use crate::grammar::Grammars;
use crate::lane::{BATCH, LINES, Lane};
use crate::native::Span;
use crate::reply::ReplyError;
use crate::tokens;

/// A model that is ready.
pub(crate) struct Opened<'model> {
    pub(crate) model: &'model LlamaModel,
    pub(crate) lane: Lane<'model>,
    pub(crate) grammars: Grammars,
    pub(crate) dialect: Dialect,
    source: Source,
    chat: Chat,
}

impl<'model> Opened<'model> {
    /// Prepares loaded weights for talk.
    pub(crate) fn new(
        backend: &LlamaBackend,
        model: &'model LlamaModel,
        load: &Load,
    ) -> Result<Opened<'model>, Failure> {
        let bad = |reason: String| Failure::BadModel { reason };
        let source = model.meta_val_str("tokenizer.chat_template").unwrap_or_default();
        if source.is_empty() {
            return Err(bad("no chat template: it cannot chat".to_owned()));
        }
        let spelling = |token| String::from_utf8_lossy(&tokens::piece(model, token)).into_owned();
        let (bos, eos) = (spelling_of(model.vocab().bos(), &spelling), spelling_of(model.vocab().eos(), &spelling));
        let (dialect, from) = dialect_of(model, &source, load.dialect.as_deref()).map_err(bad)?;
        let controls = tokens::controls(model).into_iter().map(|(spelling, _)| spelling).collect();
        let chat = Chat::new(&source, &bos, &eos, controls, (dialect, from)).map_err(|error| bad(error.to_string()))?;
        let grammars = Grammars::new(model, dialect).map_err(bad)?;
        let can_share = !model.is_recurrent() && !model.is_hybrid();
        let context = model
            .new_context(backend, context_params(load.window.min(model.n_ctx_train()), load.threads, can_share))
            .map_err(|error| bad(format!("no memory for a window of {} tokens: {error}", load.window)))?;
        Ok(Opened { model, lane: Lane::new(context, can_share), grammars, dialect, source: from, chat })
    }

    /// What it is.
    pub(crate) fn describe(&self, backend: &str, missing_walls: Vec<String>) -> Loaded {
        let text = |key: &str| self.model.meta_val_str(key).unwrap_or_default();
        let shape = self.chat.shape();
        Loaded {
            name: text("general.name"),
            architecture: text("general.architecture"),
            window: u32::try_from(self.lane.window()).unwrap_or(u32::MAX),
            trained_window: self.model.n_ctx_train(),
            dialect: self.dialect.name().to_owned(),
            dialect_source: self.source.name().to_owned(),
            constrained: true,
            reasoning: shape.thinking,
            exact_reuse: !self.model.is_recurrent() && !self.model.is_hybrid(),
            sampling: sampling_hints(self.model),
            backend: backend.to_owned(),
            missing_walls,
        }
    }

    /// The template has opened the reasoning channel.
    pub(crate) fn thinking(&self) -> bool {
        self.chat.shape().thinking
    }

    /// The ids of a prompt; refused if they leave no room for a reply.
    pub(crate) fn encode(&self, prompt: &Prompt) -> Result<Vec<LlamaToken>, ReplyError> {
        let ids = tokens::encode(self.model, &self.spans(prompt)?).ids();
        if ids.len() + 1 >= self.lane.window() {
            let window = count(self.lane.window());
            return Err(ReplyError::Failed(Failure::TooLong { needed: count(ids.len() + 1), window }));
        }
        Ok(ids)
    }

    /// The tokens of a prompt of whatever length, as a sample would decode them.
    pub(crate) fn count(&self, asked: &Count) -> Result<Counted, ReplyError> {
        let spans = self.spans(&asked.prompt)?;
        let encoded = tokens::encode(self.model, &spans);
        let mut ids = encoded.ids();
        let borders = self.chat.borders(&asked.prompt, &spans);
        let mut parts =
            borders.map(|borders| Parts::count(&borders, encoded.starts(self.model, &spans), asked.prompt.turns.len()));
        if matches!(asked.choice, Choice::Forced | Choice::ForcedTool(_)) {
            let opening = self.opening();
            parts.iter_mut().for_each(|parts| parts.around += count(opening.len()));
            ids.extend(opening);
        }
        Ok(Counted { total: count(ids.len()), parts, cached: count(self.lane.shared(&ids)) })
    }

    fn spans(&self, prompt: &Prompt) -> Result<Vec<Span>, ReplyError> {
        let rendered = self.chat.render(prompt);
        rendered.map_err(|error| ReplyError::Failed(Failure::BadRequest { reason: error.to_string() }))
    }

    /// The ids with which a forced call begins.
    pub(crate) fn opening(&self) -> Vec<LlamaToken> {
        self.plain(&self.dialect.opening(self.thinking()))
    }

    /// The ids of a text of the dialect's own.
    fn plain(&self, text: &str) -> Vec<LlamaToken> {
        self.model.vocab().tokenize(text.as_bytes(), false, true)
    }

    /// The tools that a grammar can express; the others are not called.
    pub(crate) fn expressible(&self, tools: &[Tool]) -> Vec<Tool> {
        tools.iter().filter(|tool| self.grammars.refusal(tool).is_none()).cloned().collect()
    }

    /// How a reply ends with this token, if it does.
    pub(crate) fn stop_of(&self, token: LlamaToken, bytes: &[u8]) -> Option<Stop> {
        let vocab = self.model.vocab();
        if vocab.is_eog(token) {
            return Some(Stop::Natural);
        }
        // Some files call the tags of the dialect control tokens; they are text all the same.
        let of_dialect = std::str::from_utf8(bytes).is_ok_and(|text| self.dialect.has_marker(text));
        (vocab.is_control(token) && !of_dialect).then_some(Stop::Marker)
    }

    /// Times the bare engine on made-up tokens; the sequence is empty afterwards.
    pub(crate) fn probe(&mut self, probe: Probe, mut beat: impl FnMut()) -> Result<Probed, ReplyError> {
        let total = probe.prefix.saturating_add(probe.new);
        if total as usize >= self.lane.window() {
            let window = u32::try_from(self.lane.window()).unwrap_or(u32::MAX);
            return Err(ReplyError::Failed(Failure::TooLong { needed: total, window }));
        }
        let sample = self.plain(&"The lamp stood by the door of the long hall and gave a quiet light. ".repeat(8));
        let made_up: Vec<LlamaToken> = sample.into_iter().cycle().take(total as usize).collect();
        let (prefix, new) = made_up.split_at(probe.prefix as usize);
        self.lane.clear();
        let prefix_took = timed(|| self.lane.decode_whole(prefix, &mut beat))?;
        let mut new_took = Vec::new();
        for _ in 0..probe.repeats {
            self.lane.cut(prefix.len())?;
            new_took.push(timed(|| self.lane.decode_whole(new, &mut beat))?);
        }
        self.lane.clear();
        Ok(Probed { prefix: prefix_took, new: new_took })
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn dialect_of(model: &LlamaModel, template: &str, pinned: Option<&str>) -> Result<(Dialect, Source), String> {
    let Some(name) = pinned else {
        let architecture = model.meta_val_str("general.architecture").unwrap_or_default();
        return Ok(detect(template, &architecture));
    };
    let dialect = Dialect::named(name).ok_or_else(|| format!("there is no dialect of the name {name}"))?;
    Ok((dialect, Source::Pinned))
}

fn timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<u64, E> {
    let started = Instant::now();
    work()?;
    Ok(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX))
}

fn spelling_of(token: LlamaToken, spelling: &dyn Fn(LlamaToken) -> String) -> String {
    if token.0 < 0 { String::new() } else { spelling(token) }
}

fn context_params(window: u32, threads: u32, can_share: bool) -> LlamaContextParams {
    let batch = u32::try_from(BATCH).unwrap_or(512);
    let threads = i32::try_from(threads.max(1)).unwrap_or(1);
    LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(window))
        .with_n_batch(batch)
        .with_n_ubatch(batch)
        .with_n_seq_max(if can_share { u32::try_from(LINES).unwrap_or(1) } else { 1 })
        // One pool: a line may use the whole window when the others are empty.
        .with_kv_unified(true)
        .with_n_threads(threads)
        .with_n_threads_batch(threads)
        // Full-size cells make a sliding-window model exact under cuts (ENGINE-31).
        .with_swa_full(true)
}

fn sampling_hints(model: &LlamaModel) -> SamplingHints {
    let number = |key: &str| model.meta_val_str(&format!("general.sampling.{key}")).ok();
    SamplingHints {
        temperature: number("temp").and_then(|text| text.parse().ok()),
        top_p: number("top_p").and_then(|text| text.parse().ok()),
        top_k: number("top_k").and_then(|text| text.parse().ok()),
        min_p: number("min_p").and_then(|text| text.parse().ok()),
    }
}
