//! The models of a turn and of its delegates. What each says follows from its task alone, so that it is the same after a
//! crash; how long it takes does not.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::call::ToolCall;
use domain::context::{CallPolicy, Item, Prompt};
use domain::id::CallId;
use domain::model::{ModelDescription, SampleFault, Sampled, StopReason, Usage};
use domain::result::Status;
use domain::tool::ToolName;
use harness::ports::{DeltaSink, Model};
use testkit::random::Random;
use testkit::setting::description;
use tokio_util::sync::CancellationToken;

/// Delegates of one round.
pub(crate) const DELEGATES: usize = 64;

pub(crate) struct Workers {
    seed: u64,
    pace: Mutex<Random>,
    at_once: AtomicUsize,
    most: AtomicUsize,
}

/// What a delegate does with its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Answers,
    /// It gives a part to another delegate first.
    Delegates,
    Nothing,
    Fails,
}

struct Plan {
    does: Does,
    steps: usize,
}

impl Workers {
    pub(crate) fn new(seed: u64) -> Self {
        let (pace, at_once, most) = (Mutex::new(Random::new(seed ^ 77)), AtomicUsize::new(0), AtomicUsize::new(0));
        Self { seed, pace, at_once, most }
    }

    /// The most delegates of the turn that were at work at once.
    pub(crate) fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    fn plan(&self, number: usize) -> Plan {
        let mut random = Random::new(self.seed * 1_000 + number as u64);
        let does = *random.pick(&[
            Does::Answers,
            Does::Answers,
            Does::Answers,
            Does::Answers,
            Does::Delegates,
            Does::Nothing,
            Does::Fails,
        ]);
        Plan { does, steps: random.below(3) }
    }

    /// Whether a result is the one of this delegate. One that was cut three times at one place may have failed for that.
    pub(crate) fn expects(&self, number: usize, status: Status, text: &str) -> Result<(), String> {
        if status == Status::Failed && text.contains("cut off three times") {
            return Ok(());
        }
        let fits = match self.plan(number).does {
            Does::Answers | Does::Delegates => status == Status::Done && text.starts_with(&format!("done t{number}")),
            Does::Nothing => status == Status::Failed && text.contains("(silence)"),
            Does::Fails => status == Status::Failed && text.contains("(crash)"),
        };
        if fits { Ok(()) } else { Err(format!("t{number} came back as {status:?} {text:?}")) }
    }

    fn reply(&self, prompt: &Prompt) -> Result<(String, Vec<ToolCall>), SampleFault> {
        let task = prompt.items.iter().find_map(|item| match &**item {
            Item::Person { text, .. } => Some(text.clone()),
            _ => None,
        });
        let task = task.unwrap_or_default();
        let results = prompt.items.iter().filter(|item| matches!(***item, Item::Result { .. })).count();
        let forbidden = prompt.calls == CallPolicy::Forbidden;
        match task.strip_prefix('t').and_then(|rest| rest.split('.').next()).and_then(|number| number.parse().ok()) {
            None if results == 0 && !forbidden => Ok((String::new(), (0..DELEGATES).map(delegate).collect())),
            None => Ok(("All are back.".to_owned(), Vec::new())),
            Some(number) => self.work(number, &task, results, forbidden),
        }
    }

    fn work(
        &self,
        number: usize,
        task: &str,
        results: usize,
        forbidden: bool,
    ) -> Result<(String, Vec<ToolCall>), SampleFault> {
        let plan = self.plan(number);
        let below = task.contains('.');
        match plan.does {
            Does::Nothing if !below => Ok((String::new(), Vec::new())),
            Does::Fails if !below && results >= plan.steps => Err(SampleFault::Unauthorised),
            _ if forbidden => Ok((format!("done {task}, as far as it goes"), Vec::new())),
            Does::Delegates if !below && results == 0 => {
                let id = format!("{task}.call");
                Ok((
                    String::new(),
                    vec![call(&id, "delegate", &format!(r#"{{"profile":"scout","task":"{task}.part"}}"#))],
                ))
            }
            _ if results < plan.steps => {
                let id = format!("{task}-{results}");
                let append = || call(&id, "append", &format!(r#"{{"path":"{task}.txt","text":"{results}"}}"#));
                let read = || call(&id, "read", r#"{"path":"a.txt"}"#);
                Ok((String::new(), vec![if below || number.is_multiple_of(3) { read() } else { append() }]))
            }
            _ => Ok((format!("done {task}"), Vec::new())),
        }
    }
}

fn delegate(number: usize) -> ToolCall {
    call(&format!("d{number}"), "delegate", &format!(r#"{{"profile":"helper","task":"t{number}"}}"#))
}

pub(super) fn call(id: &str, tool: &str, arguments: &str) -> ToolCall {
    let (id, tool, arguments) = (CallId::new(id), ToolName::new(tool), arguments.to_owned());
    ToolCall { id, tool, arguments, fault: None, wire_id: None, recovered: false }
}

/// Counts one delegate as long as it is asked.
struct AtWork<'a>(&'a Workers);

impl<'a> AtWork<'a> {
    fn begin(workers: &'a Workers) -> Self {
        let now = workers.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        workers.most.fetch_max(now, Ordering::SeqCst);
        Self(workers)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.at_once.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Model for Workers {
    fn describe(&self) -> ModelDescription {
        ModelDescription { window: 1_000_000, ..description() }
    }

    async fn count(&self, prompt: &Prompt) -> Result<Option<u32>, SampleFault> {
        Ok(Some(u32::try_from(prompt.items.len()).unwrap_or(u32::MAX)))
    }

    async fn sample(
        &self,
        prompt: &Prompt,
        _: &dyn DeltaSink,
        cancel: &CancellationToken,
    ) -> Result<Sampled, SampleFault> {
        let (millis, tokens) = {
            let mut pace = self.pace.lock().expect("nobody panics with it");
            (pace.below(200) as u64, pace.below(600))
        };
        let _at_work = AtWork::begin(self);
        let cancelled = tokio::time::timeout(Duration::from_millis(millis), cancel.cancelled()).await.is_ok();
        let (text, calls) = self.reply(prompt)?;
        let decoded = u32::try_from(tokens).unwrap_or(0).clamp(1, prompt.max_tokens);
        let stop = match (cancelled, calls.is_empty()) {
            (true, _) => StopReason::Cancelled,
            (false, true) => StopReason::Natural,
            (false, false) => StopReason::Calls,
        };
        let (reasoning, model) = (String::new(), description().name);
        let usage = Usage { decoded: Some(decoded), ..Usage::default() };
        Ok(Sampled { text, reasoning, calls, stop, usage, model, signed: None })
    }
}
