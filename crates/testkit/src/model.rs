//! A model that follows a script: each sample takes the next line.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::call::{FrameFault, ToolCall};
use domain::context::Prompt;
use domain::id::CallId;
use domain::model::{ModelDescription, SampleFault, Sampled, StopReason, Tier, Usage};
use domain::tool::ToolName;
use harness::ports::{Channel, DeltaSink, Model};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::setting::description;

/// What one sample gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A reply.
    Says(Box<Sampled>),
    /// The beginning of a reply; then nothing more comes until the sample is cancelled.
    Streams(String),
    /// The beginning of a reply, and then a fault.
    Breaks(String, SampleFault),
    /// No reply.
    Faults(SampleFault),
    /// The adapter panics.
    Panics,
    /// It never answers, and does not hear a cancel.
    Hangs,
}

impl Line {
    /// A reply of text.
    pub fn text(text: &str) -> Self {
        Self::says(text, Vec::new(), StopReason::Natural)
    }

    /// A reply that holds neither text nor a call.
    pub fn mute() -> Self {
        Self::text("")
    }

    /// A reply with calls, each a name and its arguments as they were written.
    pub fn calls(text: &str, calls: &[(&str, &str)]) -> Self {
        Self::says(text, calls.iter().map(|(tool, arguments)| call(tool, arguments)).collect(), StopReason::Calls)
    }

    /// A reply that was cut in the middle of its last call.
    pub fn cut(text: &str, tool: &str, arguments: &str) -> Self {
        let fault = Some(FrameFault::Incomplete("the stream ended inside the arguments".to_owned()));
        Self::says(text, vec![ToolCall { fault, ..call(tool, arguments) }], StopReason::Cut)
    }

    /// A reply that ended for that reason.
    pub fn stopped(text: &str, stop: StopReason) -> Self {
        Self::says(text, Vec::new(), stop)
    }

    /// The same line with other figures, if it is a reply.
    pub fn measured(mut self, change: impl FnOnce(&mut Usage)) -> Self {
        if let Self::Says(sampled) = &mut self {
            change(&mut sampled.usage);
        }
        self
    }

    fn says(text: &str, calls: Vec<ToolCall>, stop: StopReason) -> Self {
        let (text, model) = (text.to_owned(), description().name);
        Self::Says(Box::new(Sampled {
            text,
            reasoning: String::new(),
            calls,
            stop,
            usage: Usage::default(),
            model,
            signed: None,
        }))
    }
}

/// A call without an id: the script gives it one.
fn call(tool: &str, arguments: &str) -> ToolCall {
    let (tool, arguments) = (ToolName::new(tool), arguments.to_owned());
    ToolCall { id: CallId::new(""), tool, arguments, fault: None, wire_id: None, recovered: false }
}

/// A model that follows a script.
#[derive(Debug)]
pub struct ScriptedModel {
    script: Mutex<Script>,
    arrived: Notify,
    wanting: watch::Sender<bool>,
    waits: bool,
    description: Mutex<ModelDescription>,
    /// What it says when it is asked for a summary.
    summary: Mutex<Line>,
    /// Whether it cannot count a prompt.
    uncounted: AtomicBool,
}

#[derive(Debug, Default)]
struct Script {
    lines: Vec<Line>,
    next: usize,
    calls: usize,
    prompts: Vec<Prompt>,
    summaries: Vec<Prompt>,
}

impl ScriptedModel {
    /// A model that says these lines; when it has none left, a sample is a fault that says so.
    pub fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        let model = Self::with(false);
        lines.into_iter().for_each(|line| model.push(line));
        model
    }

    /// A model whose samples wait for the next line to be pushed.
    pub fn waiting() -> Self {
        Self::with(true)
    }

    fn with(waits: bool) -> Self {
        Self {
            script: Mutex::default(),
            arrived: Notify::new(),
            wanting: watch::Sender::new(false),
            waits,
            description: Mutex::new(description()),
            uncounted: AtomicBool::new(false),
            summary: Mutex::new(Line::Faults(SampleFault::Unknown("the script has no summary".to_owned()))),
        }
    }

    /// Adds a line. Calls without an id become `c1`, `c2`, ... in the order of the script.
    pub fn push(&self, mut line: Line) {
        let mut script = self.lock();
        if let Line::Says(sampled) = &mut line {
            for call in &mut sampled.calls {
                script.calls += 1;
                if call.id.as_str().is_empty() {
                    call.id = CallId::new(format!("c{}", script.calls));
                }
            }
        }
        script.lines.push(line);
        drop(script);
        self.arrived.notify_one();
    }

    /// From now on it says this whenever it is asked for a summary; no line of the script is taken for that.
    pub fn summarise_as(&self, line: Line) {
        *self.summary.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }

    /// From now on it cannot count a prompt, as most remote models cannot.
    pub fn stop_counting(&self) {
        self.uncounted.store(true, Ordering::Relaxed);
    }

    /// The prompts by which it was asked for summaries, oldest first.
    pub fn summary_prompts(&self) -> Vec<Prompt> {
        self.lock().summaries.clone()
    }

    /// Changes what is known of it.
    pub fn describe_as(&self, change: impl FnOnce(&mut ModelDescription)) {
        change(&mut self.description.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The prompts it was given, oldest first.
    pub fn prompts(&self) -> Vec<Prompt> {
        self.lock().prompts.clone()
    }

    /// How many lines have been said.
    pub fn said(&self) -> usize {
        self.lock().next
    }

    /// Goes back to the line of that number, counted from 0: what a process that died had heard is said again.
    pub fn rewind(&self, line: usize) {
        let mut script = self.lock();
        script.next = line.min(script.lines.len());
        self.wanting.send_replace(false);
    }

    /// Forgets a beginning that was streamed last and never became a reply.
    pub fn forget_stream(&self) {
        let mut script = self.lock();
        if matches!(script.lines.last(), Some(Line::Streams(_))) && script.next < script.lines.len() {
            script.lines.pop();
        }
    }

    /// Waits until a sample waits for a line.
    pub async fn wanted(&self) {
        let mut wanting = self.wanting.subscribe();
        // The sender lives as long as `self`, so this cannot fail.
        let _ = wanting.wait_for(|wanting| *wanting).await;
    }

    /// Whether a sample waits for a line.
    pub fn is_wanted(&self) -> bool {
        *self.wanting.borrow()
    }

    fn lock(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Line> {
        let mut script = self.lock();
        let line = script.lines.get(script.next).cloned();
        script.next += usize::from(line.is_some());
        line
    }

    /// The next line; `None` when the sample was cancelled first.
    async fn line(&self, cancel: &CancellationToken) -> Option<Line> {
        loop {
            if cancel.is_cancelled() {
                self.wanting.send_replace(false);
                return None;
            }
            if let Some(line) = self.take() {
                self.wanting.send_replace(false);
                return Some(line);
            }
            if !self.waits {
                return Some(Line::Faults(SampleFault::Unknown("the script has no further line".to_owned())));
            }
            self.wanting.send_replace(true);
            tokio::select! {
                () = self.arrived.notified() => {}
                () = cancel.cancelled() => {}
            }
        }
    }
}

#[async_trait]
impl Model for ScriptedModel {
    fn describe(&self) -> ModelDescription {
        self.description.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn count(&self, prompt: &Prompt) -> Result<Option<u32>, SampleFault> {
        Ok((!self.uncounted.load(Ordering::Relaxed)).then(|| tokens(prompt)))
    }

    async fn sample(
        &self,
        prompt: &Prompt,
        deltas: &dyn DeltaSink,
        cancel: &CancellationToken,
    ) -> Result<Sampled, SampleFault> {
        let line = if is_summary(prompt) {
            self.lock().summaries.push(prompt.clone());
            Some(self.summary.lock().unwrap_or_else(PoisonError::into_inner).clone())
        } else {
            self.lock().prompts.push(prompt.clone());
            self.line(cancel).await
        };
        match line {
            None => Ok(cancelled(String::new())),
            Some(Line::Says(sampled)) => {
                send(deltas, Channel::Reasoning, &sampled.reasoning);
                send(deltas, Channel::Text, &sampled.text);
                sampled.calls.iter().for_each(|call| send(deltas, Channel::Arguments, &call.arguments));
                Ok(*sampled)
            }
            Some(Line::Streams(text)) => {
                send(deltas, Channel::Text, &text);
                // The line is not over: a test sees that more is waited for.
                self.wanting.send_replace(true);
                cancel.cancelled().await;
                self.wanting.send_replace(false);
                Ok(cancelled(text))
            }
            Some(Line::Breaks(text, fault)) => {
                send(deltas, Channel::Text, &text);
                Err(fault)
            }
            Some(Line::Faults(fault)) => Err(fault),
            Some(Line::Hangs) => std::future::pending().await,
            Some(Line::Panics) => panic!("the model was told to panic"),
        }
    }
}

/// Another model that says the lines of a script: which model is asked for a line is for the loop to choose.
#[derive(Debug)]
pub struct StandIn {
    description: ModelDescription,
    script: Arc<ScriptedModel>,
}

impl StandIn {
    /// A model of that name and tier over a script.
    pub fn new(name: &str, tier: Tier, script: Arc<ScriptedModel>) -> Self {
        Self { description: ModelDescription { name: name.to_owned(), tier, ..script.describe() }, script }
    }
}

#[async_trait]
impl Model for StandIn {
    fn describe(&self) -> ModelDescription {
        self.description.clone()
    }

    async fn count(&self, prompt: &Prompt) -> Result<Option<u32>, SampleFault> {
        self.script.count(prompt).await
    }

    async fn sample(
        &self,
        prompt: &Prompt,
        deltas: &dyn DeltaSink,
        cancel: &CancellationToken,
    ) -> Result<Sampled, SampleFault> {
        self.script.sample(prompt, deltas, cancel).await
    }
}

fn cancelled(text: String) -> Sampled {
    let (calls, stop, model) = (Vec::new(), StopReason::Cancelled, description().name);
    Sampled { text, reasoning: String::new(), calls, stop, usage: Usage::default(), model, signed: None }
}

/// Sends a text in pieces of up to 7 characters.
fn send(deltas: &dyn DeltaSink, channel: Channel, text: &str) {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(7).for_each(|piece| deltas.delta(channel, &piece.iter().collect::<String>()));
}

/// A summariser is told of its work by its system text and has no tools.
fn is_summary(prompt: &Prompt) -> bool {
    prompt.prefix.tools.is_empty() && prompt.prefix.system.starts_with("You keep the record")
}

/// One token for each 4 bytes of the items as JSON.
fn tokens(prompt: &Prompt) -> u32 {
    let bytes: usize = prompt.items.iter().map(|item| serde_json::to_string(item).map_or(0, |text| text.len())).sum();
    u32::try_from(bytes / 4 + 1).unwrap_or(u32::MAX)
}
