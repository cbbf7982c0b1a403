//! A local model behind the `Model` port. It turns prompts into requests, worker messages into deltas and replies, and
//! losses into faults. It never samples twice by itself: a crash is a `Crashed`, and whoever asked asks again, so that
//! what was shown can be withdrawn first.

mod answered;
mod asked;
mod counts;
mod warm;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use domain::context::Prompt;
use domain::model::{ModelDescription, SampleFault, Sampled, Tier};
use domain::plan::Counts;
use harness::ports::{Channel, DeltaSink, Model};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::file::{Looked, OpenError, look};
use super::health::{Health, Leave};
use super::options::LocalOptions;
use super::session::{Answer, Loss, Session};
use crate::dialect;
use crate::protocol::message::{
    Count, Counted, Load, Loaded, Probe, Probed, Sample, Sampled as WireSampled, Sampling, SamplingHints, read,
};
use crate::protocol::{Kind, Message};
use answered::{Circumstances, cancelled_before, fault_of, pass_on, reply};
use asked::{choice, seed, wire_prompt};

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
        Ok(reply(sampled, self.circumstances(seen, started)))
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

    fn circumstances(&self, seen: u64, started: Instant) -> Circumstances {
        Circumstances {
            seen,
            total_ms: u64::try_from(started.elapsed().as_millis()).ok(),
            backend: self.inner.lock().loaded.as_ref().map(|loaded| loaded.backend.clone()),
            model: self.describe().name,
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
        let asked = asked(self.options.sampling.over(self.stated(), seed, variation, most));
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

    /// What the metadata of the loaded model states.
    fn stated(&self) -> SamplingHints {
        self.lock().loaded.as_ref().map(|loaded| loaded.sampling).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Parked> {
        // Each field is whole by itself; a panic between two leaves nothing half written.
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
