//! A local model behind the `Model` port. It turns prompts into requests, worker messages into deltas and replies, and
//! losses into faults. It never samples twice by itself: a crash is a `Crashed`, and whoever asked asks again, so that
//! what was shown can be withdrawn first.

mod counts;
mod warm;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::call::{FrameFault, ToolCall};
use domain::context::{CallPolicy, Item, Prompt};
use domain::id::CallId;
use domain::model::{ModelDescription, SampleFault, Sampled, StopReason, Tier, Usage};
use domain::plan::Counts;
use domain::tool::ToolName;
use harness::ports::{Channel, DeltaSink, Model};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::file::{Looked, OpenError, look};
use super::health::{Health, Leave};
use super::session::{Answer, Loss, Session};
use crate::dialect::{self, ParsedCall};
use crate::protocol::message::Prompt as WirePrompt;
use crate::protocol::message::{
    Call, Choice, Count, Counted, Failure, Load, Loaded, Probe, Probed, Sample, Sampled as WireSampled, Sampling, Stop,
    Tool, Turn, read, text,
};
use crate::protocol::{Fault, Kind, Message};

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

/// A model in a worker process. It starts at its first use; clones share it.
#[derive(Debug, Clone)]
pub struct LocalModel {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: LocalOptions,
    looked: Looked,
    /// One request at a time; waiting ones queue in order.
    turn: Semaphore,
    parked: Mutex<Parked>,
}

#[derive(Debug, Default)]
struct Parked {
    session: Option<Session>,
    loaded: Option<Loaded>,
    health: Health,
    /// Ends what is read ahead.
    warming: CancellationToken,
}

impl LocalModel {
    /// Looks at the file and at the worker; starts nothing.
    ///
    /// # Errors
    /// If the file cannot be used or the worker is not there.
    pub fn open(options: LocalOptions) -> Result<LocalModel, OpenError> {
        let looked = look(&options.file)?;
        if !options.worker.is_file() {
            return Err(OpenError::NoWorker(options.worker));
        }
        let parked = Mutex::new(Parked::default());
        Ok(LocalModel { inner: Arc::new(Inner { options, looked, turn: Semaphore::new(1), parked }) })
    }

    /// Starts the worker and loads the weights, so that the first message need not wait for it.
    ///
    /// # Errors
    /// If the worker dies or cannot open the file.
    pub async fn preload(&self) -> Result<Loaded, SampleFault> {
        let never = CancellationToken::new();
        let lease = self.inner.lease(&never).await?;
        let session = self.inner.ready(&never).await?;
        self.inner.park(session);
        drop(lease);
        self.inner.lock().loaded.clone().ok_or_else(|| SampleFault::Unknown("the model was unloaded".to_owned()))
    }

    /// Ends the worker once no request runs; the next use starts it again.
    pub async fn unload(&self) {
        let Ok(_lease) = self.inner.turn.acquire().await else { return };
        self.inner.lock().session = None;
    }

    /// Times the bare engine, for benches.
    ///
    /// # Errors
    /// As a sample.
    pub async fn probe(&self, probe: Probe) -> Result<Probed, SampleFault> {
        self.inner.plain(Kind::Probe, &probe, "measuring", &CancellationToken::new()).await
    }
}

#[async_trait]
impl Model for LocalModel {
    fn describe(&self) -> ModelDescription {
        let Looked { header, fingerprint } = &self.inner.looked;
        let architecture = header.text("general.architecture").unwrap_or_default();
        let trained =
            header.whole(&format!("{architecture}.context_length")).and_then(|tokens| u32::try_from(tokens).ok());
        let file = self.inner.options.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        ModelDescription {
            name: header.text("general.name").map(str::to_owned).or(file).unwrap_or_default(),
            fingerprint: fingerprint.clone(),
            window: trained.map_or(self.inner.options.window, |trained| trained.min(self.inner.options.window)),
            output_cap: None,
            dialect: dialect::detect(header.text("tokenizer.chat_template").unwrap_or_default(), architecture)
                .0
                .name()
                .to_owned(),
            constrained: true,
            continues: false,
            tier: Tier::Device,
        }
    }

    async fn count(&self, prompt: &Prompt) -> Result<Option<u32>, SampleFault> {
        Ok(Some(self.counted(prompt).await?.total))
    }

    async fn counts(&self, prompt: &Prompt) -> Result<Option<Counts>, SampleFault> {
        let counted = self.counted(prompt).await?;
        Ok(Some(counts::of(prompt, counted)))
    }

    async fn sample(
        &self,
        prompt: &Prompt,
        deltas: &dyn DeltaSink,
        cancel: &CancellationToken,
    ) -> Result<Sampled, SampleFault> {
        let started = Instant::now();
        self.inner.give_way();
        let wire = wire_prompt(prompt);
        let choice = choice(prompt, &self.inner.options.first_call);
        let (most, variation, seen) = (prompt.max_tokens, prompt.variation, prompt.seen.0);
        // The work goes on in a task of its own, so that a caller who leaves cancels it instead of breaking it off.
        let stop = cancel.child_token();
        let _leaver = stop.clone().drop_guard();
        let (send, mut receive) = mpsc::unbounded_channel();
        let inner = Arc::clone(&self.inner);
        let work = tokio::spawn(async move {
            let asked = |sampling| Sample { prompt: wire, sampling, choice };
            inner.sample(asked, most, seed(seen, variation), variation, &stop, &send).await
        });
        while let Some((channel, piece)) = receive.recv().await {
            deltas.delta(channel, &piece);
        }
        let sampled =
            work.await.map_err(|error| SampleFault::Unknown(format!("the sampling task failed: {error}")))??;
        Ok(self.reply(sampled, seen, started))
    }
}

impl LocalModel {
    /// The count goes on in a task of its own: a caller who leaves must not break off what is asked of the worker. It
    /// ends only what still waits.
    async fn counted(&self, prompt: &Prompt) -> Result<Counted, SampleFault> {
        let choice = choice(prompt, &self.inner.options.first_call);
        let asked = Count { prompt: wire_prompt(prompt), choice };
        let (stop, inner) = (CancellationToken::new(), Arc::clone(&self.inner));
        let _leaver = stop.clone().drop_guard();
        let work = tokio::spawn(async move { inner.plain(Kind::Count, &asked, "counting", &stop).await });
        work.await.map_err(|error| SampleFault::Unknown(format!("the counting task failed: {error}")))?
    }

    fn reply(&self, sampled: WireSampled, seen: u64, started: Instant) -> Sampled {
        let loaded = self.inner.lock().loaded.clone();
        let calls = sampled.calls.into_iter().enumerate();
        Sampled {
            text: sampled.text,
            reasoning: sampled.reasoning,
            calls: calls.map(|(index, call)| tool_call(call, seen, index)).collect(),
            stop: stop_reason(sampled.stop),
            usage: Usage {
                prompt: Some(sampled.usage.prompt),
                reused: Some(sampled.usage.reused),
                prefilled: Some(sampled.usage.prefilled),
                decoded: Some(sampled.usage.decoded),
                reasoning: Some(sampled.usage.reasoning),
                queue_ms: None,
                first_token_ms: (sampled.times.first_token > 0).then_some(sampled.times.first_token / 1000),
                total_ms: u64::try_from(started.elapsed().as_millis()).ok(),
                backend: loaded.map(|loaded| loaded.backend),
                opener: None,
            },
            model: self.describe().name,
            signed: None,
        }
    }
}

impl Inner {
    /// What is read ahead from now on ends as soon as anything is asked.
    fn begin_warming(&self, cancel: &CancellationToken) -> CancellationToken {
        let warming = cancel.child_token();
        std::mem::replace(&mut self.lock().warming, warming.clone()).cancel();
        warming
    }

    /// Reading ahead goes before nothing.
    fn give_way(&self) {
        self.lock().warming.cancel();
    }

    async fn lease(&self, cancel: &CancellationToken) -> Result<tokio::sync::SemaphorePermit<'_>, SampleFault> {
        tokio::select! {
            () = cancel.cancelled() => Err(SampleFault::Unknown("cancelled while waiting for the model".to_owned())),
            lease = self.turn.acquire() => lease.map_err(|_| SampleFault::Unknown("the model is closed".to_owned())),
        }
    }

    async fn sample(
        &self,
        asked: impl FnOnce(Sampling) -> Sample,
        most: u32,
        seed: u64,
        variation: u32,
        cancel: &CancellationToken,
        send: &mpsc::UnboundedSender<(Channel, String)>,
    ) -> Result<WireSampled, SampleFault> {
        if cancel.is_cancelled() {
            return Ok(cancelled_before());
        }
        let _lease = tokio::select! {
            () = cancel.cancelled() => return Ok(cancelled_before()),
            lease = self.turn.acquire() => lease.map_err(|_| SampleFault::Unknown("the model is closed".to_owned()))?,
        };
        let mut session = tokio::select! {
            () = cancel.cancelled() => return Ok(cancelled_before()),
            session = self.ready(cancel) => session?,
        };
        let asked = asked(self.sampling(most, seed, variation));
        let mut hear = |message: Message| pass_on(message, send);
        let answer = session.ask_sample(&asked, cancel, &mut hear).await;
        match self.settle(answer, session)? {
            Answer::Done(message) => read(&message).map_err(|fault| SampleFault::Crashed(fault.to_string())),
            Answer::Failed(failure) => Err(fault_of(failure)),
        }
    }

    /// Until it is asked, a cancel ends it.
    async fn plain<Q, A>(
        &self,
        kind: Kind,
        body: &Q,
        phase: &'static str,
        cancel: &CancellationToken,
    ) -> Result<A, SampleFault>
    where
        Q: serde::Serialize + Sync,
        A: serde::de::DeserializeOwned,
    {
        self.give_way();
        let _lease = self.lease(cancel).await?;
        let mut session = self.ready(&CancellationToken::new()).await?;
        let answer = session.ask_plain(kind, body, phase).await;
        self.settle(answer, session)?.map_err(fault_of)
    }

    /// A session with the model loaded: the parked one, or a new one if the last worker's death allows it by now.
    async fn ready(&self, cancel: &CancellationToken) -> Result<Session, SampleFault> {
        if let Some(session) = self.lock().session.take() {
            return Ok(session);
        }
        let leave = self.lock().health.leave(Instant::now());
        match leave {
            Leave::Now => {}
            Leave::After(wait) => {
                tokio::select! {
                    () = cancel.cancelled() => {}
                    () = tokio::time::sleep(wait) => {}
                }
            }
            Leave::Rests(left) => {
                let text = format!("the model crashed 5 times in 5 minutes and rests for {} s", left.as_secs());
                return Err(SampleFault::Crashed(text));
            }
        }
        let started = Session::start(&self.options.worker, self.options.silence).await;
        let mut session = started.map_err(|loss| self.lost(&loss))?;
        let load = Load {
            path: self.options.file.to_string_lossy().into_owned(),
            window: self.options.window,
            threads: self.options.threads.max(1),
            dialect: None,
        };
        match session.load(&load).await.map_err(|loss| self.lost(&loss))? {
            Ok(loaded) => {
                self.lock().loaded = Some(loaded);
                Ok(session)
            }
            Err(failure) => Err(fault_of(failure)),
        }
    }

    /// Parks a session that lives, drops one that does not.
    fn settle<A>(&self, answer: Result<A, Loss>, session: Session) -> Result<A, SampleFault> {
        match answer {
            Ok(answer) => {
                self.lock().health.worked();
                self.park(session);
                Ok(answer)
            }
            Err(loss) => Err(self.lost(&loss)),
        }
    }

    fn park(&self, session: Session) {
        self.lock().session = Some(session);
    }

    fn lost(&self, loss: &Loss) -> SampleFault {
        self.lock().health.crashed(Instant::now());
        SampleFault::Crashed(loss.to_string())
    }

    fn sampling(&self, max_tokens: u32, seed: u64, variation: u32) -> Sampling {
        let own = self.options.sampling;
        let stated = self.lock().loaded.as_ref().map(|loaded| loaded.sampling).unwrap_or_default();
        let temperature = own.temperature.or(stated.temperature).unwrap_or(0.7);
        Sampling {
            // Another try with the same values would give much the same; more heat does not.
            temperature: if variation == 0 { temperature } else { (temperature + 0.3 * variation as f32).max(0.7) },
            top_p: own.top_p.or(stated.top_p).unwrap_or(0.95),
            top_k: own.top_k.or(stated.top_k).unwrap_or(40),
            min_p: own.min_p.or(stated.min_p).unwrap_or(0.05),
            repeat_penalty: own.repeat_penalty.unwrap_or(1.0),
            seed,
            max_tokens,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Parked> {
        // Each field is whole by itself; a panic between two leaves nothing half written.
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One seed for one place in a conversation, another for another try.
fn seed(seen: u64, variation: u32) -> u64 {
    seen.wrapping_mul(0x9E37_79B9).wrapping_add(u64::from(variation))
}

fn choice(prompt: &Prompt, first_call: &Choice) -> Choice {
    let answers_a_person = matches!(prompt.items.last().map(AsRef::as_ref), Some(Item::Person { .. }));
    let tools = &prompt.prefix.tools;
    let can_be_made = match first_call {
        Choice::Free | Choice::Forbidden => false,
        Choice::Forced => !tools.is_empty(),
        Choice::ForcedTool(name) => tools.iter().any(|tool| tool.name.as_str() == name),
    };
    match prompt.calls {
        CallPolicy::Forbidden => Choice::Forbidden,
        CallPolicy::Forced => Choice::Forced,
        CallPolicy::Free if answers_a_person && can_be_made => first_call.clone(),
        CallPolicy::Free => Choice::Free,
    }
}

fn cancelled_before() -> WireSampled {
    WireSampled {
        stop: Stop::Cancelled,
        text: String::new(),
        reasoning: String::new(),
        calls: Vec::new(),
        foreign: None,
        usage: crate::protocol::message::Usage::default(),
        times: crate::protocol::message::Times::default(),
    }
}

fn pass_on(message: Message, send: &mpsc::UnboundedSender<(Channel, String)>) -> Result<(), Fault> {
    let channel = match message.kind {
        Kind::Text => Channel::Text,
        Kind::Reasoning => Channel::Reasoning,
        Kind::Arguments => Channel::Arguments,
        Kind::Call => return Ok(()),
        kind @ (Kind::Load
        | Kind::Count
        | Kind::Sample
        | Kind::Cancel
        | Kind::Probe
        | Kind::Hello
        | Kind::Progress
        | Kind::Beat
        | Kind::Done
        | Kind::Failed
        | Kind::Cancelled) => return Err(Fault::OutOfOrder(kind)),
    };
    // Nobody listening any more is no fault: the cancel is on its way.
    let _ = send.send((channel, text(message)?));
    Ok(())
}

fn wire_prompt(prompt: &Prompt) -> WirePrompt {
    WirePrompt {
        system: prompt.prefix.system.clone(),
        summary: prompt.summary().unwrap_or_default().to_owned(),
        tools: prompt
            .prefix
            .tools
            .iter()
            .map(|tool| Tool {
                name: tool.name.as_str().to_owned(),
                description: tool.description.clone(),
                schema: tool.schema.json().clone(),
            })
            .collect(),
        turns: prompt.turns().iter().map(|item| wire_turn(item)).collect(),
    }
}

fn wire_turn(item: &Item) -> Turn {
    match item {
        // It comes first and is no turn; see `Prompt::turns`.
        Item::Summary { text } | Item::Person { text, aside: None } => Turn::Person { text: text.clone() },
        Item::Person { text, aside: Some(aside) } => Turn::Person { text: format!("{text}\n\n{aside}") },
        Item::Model { text, calls, .. } => Turn::Model {
            text: text.clone(),
            calls: calls
                .iter()
                .map(|call| Call {
                    id: call.id.as_str().to_owned(),
                    name: call.tool.as_str().to_owned(),
                    arguments: call.arguments.clone(),
                })
                .collect(),
        },
        Item::Result { call, tool, text } => {
            Turn::Result { call: call.as_str().to_owned(), tool: tool.as_str().to_owned(), text: text.clone() }
        }
    }
}

/// A call's id is made of the place in the conversation that its prompt ended at: one reply stands behind each.
fn tool_call(call: ParsedCall, seen: u64, index: usize) -> ToolCall {
    let wire_id = Some(call.id).filter(|id| !id.is_empty());
    ToolCall {
        id: CallId::new(format!("call_{seen}_{index}")),
        tool: ToolName::new(call.name),
        arguments: call.arguments,
        fault: call.fault.map(frame_fault),
        wire_id,
        recovered: call.recovered,
    }
}

fn frame_fault(fault: dialect::Fault) -> FrameFault {
    match fault {
        dialect::Fault::Incomplete(missing) => FrameFault::Incomplete(missing.to_string()),
        dialect::Fault::TooLarge => FrameFault::TooLarge,
        dialect::Fault::NoCall => FrameFault::NoCall,
    }
}

fn stop_reason(stop: Stop) -> StopReason {
    match stop {
        Stop::Natural => StopReason::Natural,
        Stop::Calls => StopReason::Calls,
        Stop::Length => StopReason::Length,
        Stop::Marker => StopReason::StopMarker,
        Stop::ContextFull => StopReason::ContextFull,
        Stop::Cancelled => StopReason::Cancelled,
        Stop::Cut => StopReason::Cut,
    }
}

fn fault_of(failure: Failure) -> SampleFault {
    match failure {
        Failure::BadModel { reason } => SampleFault::Gone(reason),
        Failure::TooLong { needed, window } => SampleFault::TooLong { needed, window },
        Failure::BadRequest { reason } => SampleFault::BadRequest(reason),
        Failure::Engine { reason } => SampleFault::Unknown(reason),
    }
}
