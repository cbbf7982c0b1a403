//! A small world with tools that act on it: files, letters, a bell. It outlives the process under test, so what was
//! done to it can be counted after a crash.

mod tools;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::call::ClearedCall;
use domain::delegate::is_delegate;
use domain::digest::Digest;
use domain::facts::Content;
use domain::id::CallId;
use domain::scratchpad::is_scratchpad;
use domain::tool::ToolSet;
use harness::ports::Tool;
use tokio::sync::watch;

/// What tools act on.
#[derive(Debug, Default)]
pub struct World {
    inner: Mutex<Inner>,
    running: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Inner {
    files: BTreeMap<String, String>,
    done: Vec<Done>,
    runs: Vec<RunSeen>,
    reading: usize,
    most_reading: usize,
}

/// Something that was done to the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The tool.
    pub tool: String,
    /// The call.
    pub call: CallId,
    /// The key that the target was given.
    pub key: String,
    /// What.
    pub what: String,
}

/// A run that a tool was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSeen {
    /// The tool.
    pub tool: String,
    /// The call.
    pub call: CallId,
    /// What it was cleared for.
    pub digest: Digest,
    /// What the same call would be cleared for as the world is now.
    pub now: Option<Digest>,
    /// Whether the run did something.
    pub acted: bool,
}

impl World {
    /// A world in which `a.txt` holds `old` and `b.txt` holds `other`.
    pub fn new() -> Arc<Self> {
        let world = Self::default();
        world.put("a.txt", "old");
        world.put("b.txt", "other");
        Arc::new(world)
    }

    /// The tools that act on this world.
    pub fn tools(self: &Arc<Self>) -> Arc<[Arc<dyn Tool>]> {
        tools::all(self)
    }

    /// What those tools say of themselves, without those for delegates and for the scratchpad.
    pub fn tool_set(self: &Arc<Self>) -> ToolSet {
        self.whole_tool_set()
            .iter()
            .filter(|spec| !is_delegate(&spec.name) && !is_scratchpad(&spec.name))
            .cloned()
            .collect()
    }

    /// The same with them.
    pub fn whole_tool_set(self: &Arc<Self>) -> ToolSet {
        ToolSet::new(self.tools().iter().map(|tool| tool.spec().clone()))
    }

    /// Lets a file hold a text.
    pub fn put(&self, path: &str, text: &str) {
        self.lock().files.insert(path.to_owned(), text.to_owned());
    }

    /// Takes a file away.
    pub fn remove(&self, path: &str) {
        self.lock().files.remove(path);
    }

    /// What a file holds.
    pub fn file(&self, path: &str) -> Option<String> {
        self.lock().files.get(path).cloned()
    }

    /// All files.
    pub fn files(&self) -> BTreeMap<String, String> {
        self.lock().files.clone()
    }

    /// All that was done, oldest first.
    pub fn done(&self) -> Vec<Done> {
        self.lock().done.clone()
    }

    /// All runs that tools were asked for, oldest first.
    pub fn runs(&self) -> Vec<RunSeen> {
        self.lock().runs.clone()
    }

    /// The most reads that ever went on at once.
    pub fn most_reading(&self) -> usize {
        self.lock().most_reading
    }

    /// Counts the tools that have said that they run and will go on for long.
    pub fn running(&self) -> watch::Receiver<u64> {
        self.running.subscribe()
    }

    fn content(&self, path: &str) -> Content {
        match self.file(path) {
            Some(text) => Content::Hash(Digest::of_bytes(text.as_bytes())),
            None => Content::Absent,
        }
    }

    fn note_running(&self) {
        self.running.send_modify(|count| *count += 1);
    }

    fn has_landed(&self, tool: &str, key: &str) -> bool {
        self.lock().done.iter().any(|done| done.tool == tool && done.key == key)
    }

    fn note_done(&self, call: &ClearedCall, what: String) {
        let (tool, key) = (call.call().spec().name.to_string(), call.key().to_owned());
        self.lock().done.push(Done { tool, call: call.call().id().clone(), key, what });
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts one read as long as it lives.
struct Reading<'a>(&'a World);

impl<'a> Reading<'a> {
    fn begin(world: &'a World) -> Self {
        let mut inner = world.lock();
        inner.reading += 1;
        inner.most_reading = inner.most_reading.max(inner.reading);
        drop(inner);
        Self(world)
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.lock().reading -= 1;
    }
}
