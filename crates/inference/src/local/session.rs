//! One worker and the conversation with it: hello, load, one request at a time, cancels, deadlines. Every way in which a
//! worker can fail ends here as one typed loss. It does not know prompts or the harness.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::time::{Instant as Deadline, timeout_at};
use tokio_util::sync::CancellationToken;

use super::supervisor::Process;
use crate::protocol::message::{Beat, Failure, Hello, Load, Loaded, json, read};
use crate::protocol::{Decoder, Fault, Kind, Message, PROTOCOL, encode};

const HELLO: Duration = Duration::from_secs(5);
/// A load may be silent for this many times longer than a request (ENGINE-16: 60 s).
const LOAD_PATIENCE: u32 = 2;
/// How long a worker may take to honour a cancel before it is ended.
const CANCEL_GRACE: Duration = Duration::from_secs(5);
const END_WAIT: Duration = Duration::from_secs(2);

/// The worker is gone, or must go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Loss {
    /// The executable did not start.
    #[error("the worker did not start: {0}")]
    NotStarted(String),
    /// It is of another build.
    #[error("the worker speaks protocol {theirs}, not {PROTOCOL}; build it again with ./scripts/up")]
    OtherBuild {
        /// What it said.
        theirs: u32,
    },
    /// It ended.
    #[error("the worker died while {phase}: {how}")]
    Died {
        /// What it was doing.
        phase: &'static str,
        /// Signal or exit code.
        how: String,
    },
    /// It said nothing for too long.
    #[error("the worker hung while {phase} and was ended")]
    Hung {
        /// What it was doing.
        phase: &'static str,
    },
    /// It broke the protocol.
    #[error("the worker broke the protocol while {phase}: {fault}")]
    Broke {
        /// What it was doing.
        phase: &'static str,
        /// How.
        fault: Fault,
    },
}

/// How a request ended.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Done, or cancelled: the body says which.
    Done(Message),
    /// It failed and the worker lives on.
    Failed(Failure),
}

/// A worker that said hello.
#[derive(Debug)]
pub(crate) struct Session {
    process: Process,
    stream: UnixStream,
    decoder: Decoder,
    next_request: u64,
    silence: Duration,
}

impl Session {
    /// Starts a worker and waits for its hello. `silence`: how long it may be silent, or beat without progress, while a
    /// request runs (OPS-28).
    pub(crate) async fn start(program: &Path, silence: Duration) -> Result<Session, Loss> {
        let program = program.to_path_buf();
        let started = tokio::task::spawn_blocking(move || Process::start(&program)).await;
        let not_started = |error: String| Loss::NotStarted(error);
        let (process, stream) =
            started.map_err(|error| not_started(error.to_string()))?.map_err(|error| not_started(error.to_string()))?;
        stream.set_nonblocking(true).map_err(|error| not_started(error.to_string()))?;
        let stream = UnixStream::from_std(stream).map_err(|error| not_started(error.to_string()))?;
        let mut session = Session { process, stream, decoder: Decoder::new(), next_request: 1, silence };
        session.hear_hello().await?;
        Ok(session)
    }

    async fn hear_hello(&mut self) -> Result<(), Loss> {
        let phase = "starting";
        let message = self.receive(Deadline::now() + HELLO, phase).await?;
        if message.kind != Kind::Hello {
            return Err(Loss::Broke { phase, fault: Fault::OutOfOrder(message.kind) });
        }
        let hello: Hello = read(&message).map_err(|fault| Loss::Broke { phase, fault })?;
        if hello.protocol != PROTOCOL {
            return Err(Loss::OtherBuild { theirs: hello.protocol });
        }
        Ok(())
    }

    /// Opens the model.
    pub(crate) async fn load(&mut self, load: &Load) -> Result<Result<Loaded, Failure>, Loss> {
        let phase = "loading";
        let never = CancellationToken::new();
        match self.ask(Kind::Load, load, phase, self.silence * LOAD_PATIENCE, &never, &mut |_| Ok(())).await? {
            Answer::Done(message) => read(&message).map(Ok).map_err(|fault| Loss::Broke { phase, fault }),
            Answer::Failed(failure) => Ok(Err(failure)),
        }
    }

    /// Asks for something with a plain answer.
    pub(crate) async fn ask_plain<Q: Serialize, A: DeserializeOwned>(
        &mut self,
        kind: Kind,
        body: &Q,
        phase: &'static str,
    ) -> Result<Result<A, Failure>, Loss> {
        let never = CancellationToken::new();
        match self.ask(kind, body, phase, self.silence, &never, &mut |_| Ok(())).await? {
            Answer::Done(message) => read(&message).map(Ok).map_err(|fault| Loss::Broke { phase, fault }),
            Answer::Failed(failure) => Ok(Err(failure)),
        }
    }

    /// Asks for a sample; each message of it goes to `hear`.
    pub(crate) async fn ask_sample<Q: Serialize>(
        &mut self,
        body: &Q,
        cancel: &CancellationToken,
        hear: &mut (dyn FnMut(Message) -> Result<(), Fault> + Send),
    ) -> Result<Answer, Loss> {
        self.ask(Kind::Sample, body, "sampling", self.silence, cancel, hear).await
    }

    async fn ask<Q: Serialize>(
        &mut self,
        kind: Kind,
        body: &Q,
        phase: &'static str,
        silence: Duration,
        cancel: &CancellationToken,
        hear: &mut (dyn FnMut(Message) -> Result<(), Fault> + Send),
    ) -> Result<Answer, Loss> {
        let request = self.next_request;
        self.next_request += 1;
        self.send(&json(kind, request, body), phase).await?;
        let mut pulse = Pulse::new(silence);
        let mut cancelled_at = None;
        loop {
            let deadline =
                cancelled_at.map_or(pulse.deadline(), |at: Deadline| (at + CANCEL_GRACE).min(pulse.deadline()));
            let message = tokio::select! {
                biased;
                () = cancel.cancelled(), if cancelled_at.is_none() => None,
                message = self.receive(deadline, phase) => Some(message?),
            };
            let Some(message) = message else {
                cancelled_at = Some(Deadline::now());
                self.send(&Message { kind: Kind::Cancel, request, body: Vec::new() }, phase).await?;
                continue;
            };
            let broke = |fault| Loss::Broke { phase, fault };
            if message.request != request {
                return Err(broke(Fault::OutOfOrder(message.kind)));
            }
            match message.kind {
                Kind::Done | Kind::Cancelled => return Ok(Answer::Done(message)),
                Kind::Failed => return read(&message).map(Answer::Failed).map_err(broke),
                Kind::Beat => pulse.beat(read(&message).map_err(broke)?),
                kind @ (Kind::Load | Kind::Count | Kind::Sample | Kind::Cancel | Kind::Probe | Kind::Hello) => {
                    return Err(broke(Fault::OutOfOrder(kind)));
                }
                Kind::Progress | Kind::Text | Kind::Reasoning | Kind::Call | Kind::Arguments => {
                    pulse.progress();
                    hear(message).map_err(broke)?;
                }
            }
        }
    }

    async fn send(&mut self, message: &Message, phase: &'static str) -> Result<(), Loss> {
        let bytes = encode(message).map_err(|fault| Loss::Broke { phase, fault })?;
        let sent = timeout_at(Deadline::now() + self.silence, self.stream.write_all(&bytes)).await;
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.died(phase).await),
            Err(_) => Err(Loss::Hung { phase }),
        }
    }

    /// The next message. Safe to drop between two bytes: what was read stays in the decoder.
    async fn receive(&mut self, deadline: Deadline, phase: &'static str) -> Result<Message, Loss> {
        loop {
            if let Some(message) = self.decoder.next_message().map_err(|fault| Loss::Broke { phase, fault })? {
                return Ok(message);
            }
            let mut buffer = vec![0; 64 << 10];
            match timeout_at(deadline, self.stream.read(&mut buffer)).await {
                Err(_) => return Err(Loss::Hung { phase }),
                Ok(Ok(0) | Err(_)) => return Err(self.died(phase).await),
                Ok(Ok(length)) => self.decoder.push(&buffer[..length]),
            }
        }
    }

    async fn died(&self, phase: &'static str) -> Loss {
        // A closed channel is the end of a worker, whether or not its process has noticed.
        let how = match tokio::time::timeout(END_WAIT, self.process.ended()).await {
            Ok(how) => how,
            Err(_) => "it closed its channel".to_owned(),
        };
        tracing::warn!(%how, phase, last_line = %self.process.last_line(), "a worker died");
        Loss::Died { phase, how }
    }
}

/// What counts as life: messages, and beats whose counters move.
struct Pulse {
    silence: Duration,
    last: Instant,
    counters: Option<Beat>,
}

impl Pulse {
    fn new(silence: Duration) -> Pulse {
        Pulse { silence, last: Instant::now(), counters: None }
    }

    fn progress(&mut self) {
        self.last = Instant::now();
    }

    fn beat(&mut self, beat: Beat) {
        if self.counters != Some(beat) {
            self.counters = Some(beat);
            self.progress();
        }
    }

    fn deadline(&self) -> Deadline {
        Deadline::from_std(self.last + self.silence)
    }
}
