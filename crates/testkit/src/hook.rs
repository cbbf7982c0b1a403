//! A hook that does as the test says and keeps what it was shown.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::call::ValidCall;
use domain::id::CallId;
use harness::ports::{Hook, HookOutcome};
use serde_json::Value;

/// What the hook does to the calls of one tool, or of every tool.
#[derive(Debug, Clone, PartialEq)]
pub enum Does {
    /// Nothing.
    Continue,
    /// Other arguments.
    Rewrite(Value),
    /// A no.
    Block(String),
    /// An error.
    Fail,
    /// A panic.
    Panic,
    /// It never answers.
    Hang,
}

/// A hook under the control of a test.
#[derive(Debug)]
pub struct RecordingHook {
    name: String,
    does: Mutex<(Option<String>, Does)>,
    seen: Mutex<Vec<(CallId, Value)>>,
}

impl RecordingHook {
    /// A hook of that name that lets everything pass.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), does: Mutex::new((None, Does::Continue)), seen: Mutex::default() }
    }

    /// What it does from now on to calls of `tool`, or to all calls.
    pub fn set(&self, tool: Option<&str>, does: Does) {
        *lock(&self.does) = (tool.map(str::to_owned), does);
    }

    /// The calls it was shown, with their arguments.
    pub fn seen(&self) -> Vec<(CallId, Value)> {
        lock(&self.seen).clone()
    }
}

#[async_trait]
impl Hook for RecordingHook {
    fn name(&self) -> &str {
        &self.name
    }

    async fn before_call(&self, call: &ValidCall) -> Result<HookOutcome, String> {
        lock(&self.seen).push((call.id().clone(), call.arguments().clone()));
        let (tool, does) = lock(&self.does).clone();
        if tool.is_some_and(|tool| tool != call.spec().name.as_str()) {
            return Ok(HookOutcome::Continue);
        }
        match does {
            Does::Continue => Ok(HookOutcome::Continue),
            Does::Rewrite(arguments) => Ok(HookOutcome::Rewrite(arguments)),
            Does::Block(reason) => Ok(HookOutcome::Block(reason)),
            Does::Fail => Err("it was told to fail".to_owned()),
            Does::Panic => panic!("the hook was told to panic"),
            Does::Hang => std::future::pending().await,
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
