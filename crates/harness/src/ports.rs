//! The ports: what the loop needs from the world. Each has a real and a fake implementation and a contract test.

use std::sync::Arc;

use async_trait::async_trait;
use domain::call::{ClearedCall, ValidCall};
use domain::context::Prompt;
use domain::digest::Digest;
use domain::entry::{Draft, Entry};
use domain::facts::Appraisal;
use domain::id::{ApprovalId, CallId, ConversationId, EntryNumber, ReplyId};
use domain::model::{ModelDescription, SampleFault, Sampled};
use domain::plan::Counts;
use domain::result::Status;
use domain::setting::Setting;
use domain::time::Timestamp;
use domain::tool::ToolSpec;
use domain::turn::Turn;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::rests::Rests;

/// The journal of one person's vault.
///
/// 1. Entries are numbered from 1 without gap, per conversation.
/// 2. `append` adds all drafts or none, and only if the head is still `expected`; otherwise it is [`JournalError::Moved`].
/// 3. When `append` returns, its entries survive the loss of the process and of power.
/// 4. Nothing here changes or deletes an entry.
/// 5. `load` returns all entries after `since`, in order.
/// 6. Once the vault is locked, everything answers [`JournalError::Closed`]; what was recorded before stands.
#[async_trait]
pub trait Journal: Send + Sync {
    /// All entries of a conversation after `since`.
    async fn load(&self, conversation: &ConversationId, since: EntryNumber) -> Result<Vec<Entry>, JournalError>;

    /// Appends drafts behind the entry `expected`, and returns them as entries.
    async fn append(
        &self,
        conversation: &ConversationId,
        expected: EntryNumber,
        drafts: Vec<Draft>,
    ) -> Result<Vec<Entry>, JournalError>;

    /// The conversations with a turn that has not ended: where a start has to go on, and all that waits for the person.
    async fn unfinished(&self) -> Result<Vec<ConversationId>, JournalError>;

    /// The conversation in which a question was asked.
    async fn asked_in(&self, approval: &ApprovalId) -> Result<Option<ConversationId>, JournalError>;
}

/// Why the journal did not do it.
#[derive(Debug, Clone, Error)]
pub enum JournalError {
    /// Somebody else appended in between; the decision has to be made anew.
    #[error("the conversation has moved on to entry {}", head.0)]
    Moved {
        /// The last entry there is.
        head: EntryNumber,
    },
    /// There is no such conversation.
    #[error("there is no conversation {0}")]
    Absent(ConversationId),
    /// The vault was locked.
    #[error("the vault is locked")]
    Closed,
    /// The store failed.
    #[error("the journal could not be written or read: {0}")]
    Storage(String),
}

/// A model.
///
/// 1. `sample` sends deltas while it goes and returns the whole reply; what was sent adds up to it.
/// 2. A cancel ends it within 500 ms with what was said so far and [`domain::model::StopReason::Cancelled`].
/// 3. A call in a reply is complete, or carries its fault; nothing is closed on the model's behalf.
/// 4. Unknown numbers are `None`, never 0.
#[async_trait]
pub trait Model: Send + Sync {
    /// What is known of it, without a request.
    fn describe(&self) -> ModelDescription;

    /// Tokens of a prompt, if the model can count them exactly.
    async fn count(&self, prompt: &Prompt) -> Result<Option<u32>, SampleFault>;

    /// Tokens of each part of a prompt, which add up to its exact count. Without more knowledge the parts have their
    /// shares of the sum.
    async fn counts(&self, prompt: &Prompt) -> Result<Option<Counts>, SampleFault> {
        Ok(self.count(prompt).await?.map(|total| Counts::shared_out(prompt, total)))
    }

    /// One reply.
    async fn sample(
        &self,
        prompt: &Prompt,
        deltas: &dyn DeltaSink,
        cancel: &CancellationToken,
    ) -> Result<Sampled, SampleFault>;
}

/// Which part of a reply a delta belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The answer.
    Text,
    /// The reasoning.
    Reasoning,
    /// The arguments of a call that is being written.
    Arguments,
    /// The output of a call that runs.
    Output,
}

/// Takes deltas; never waits.
pub trait DeltaSink: Send + Sync {
    /// The next piece of a channel.
    fn delta(&self, channel: Channel, text: &str);
}

/// A tool.
///
/// 1. `appraise` changes nothing in the world.
/// 2. `run` does exactly what the facts of the cleared call say, or fails.
/// 3. `run` ends soon after a cancel, and says what is known of its effect.
/// 4. With the same key a `Keyed` tool does its work once; a `Probe` tool answers `landed` from the target.
///
/// What runs was cleared:
/// ```
/// use domain::call::ClearedCall;
/// use harness::ports::{Ran, Scope, Tool};
///
/// async fn run(tool: &dyn Tool, call: &ClearedCall, scope: &Scope) -> Ran {
///     tool.run(call, scope).await
/// }
/// ```
/// A call that merely fits its schema does not compile:
/// ```compile_fail,E0308
/// use domain::call::ValidCall;
/// use harness::ports::{Ran, Scope, Tool};
///
/// async fn run(tool: &dyn Tool, call: &ValidCall, scope: &Scope) -> Ran {
///     tool.run(call, scope).await
/// }
/// ```
#[async_trait]
pub trait Tool: Send + Sync {
    /// What it says of itself.
    fn spec(&self) -> &ToolSpec;

    /// What the call would do. An error is read by the model, and the call does not run.
    async fn appraise(&self, call: &ValidCall, scope: &Scope) -> Result<Appraisal, String>;

    /// Whether an earlier, cut run of this call has landed; only asked of tools that replay by probing.
    async fn landed(&self, call: &ClearedCall, scope: &Scope) -> Option<Ran> {
        let _ = (call, scope);
        None
    }

    /// Runs the call.
    async fn run(&self, call: &ClearedCall, scope: &Scope) -> Ran;
}

/// Where a call runs.
#[derive(Clone)]
pub struct Scope {
    /// The conversation.
    pub conversation: ConversationId,
    /// The call.
    pub call: CallId,
    /// Cancelled by a stop, a lock or the deadline.
    pub cancel: CancellationToken,
    /// Takes live output.
    pub output: Arc<dyn DeltaSink>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Done, Failed or Cancelled.
    pub status: Status,
    /// What the model reads.
    pub text: String,
    /// Names that the target gave to what was made.
    pub made: Vec<String>,
}

impl Ran {
    /// It did what it says.
    pub fn done(text: impl Into<String>) -> Self {
        Self { status: Status::Done, text: text.into(), made: Vec::new() }
    }

    /// It failed; says what failed, whether anything changed, and what to do.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { status: Status::Failed, text: text.into(), made: Vec::new() }
    }

    /// It was stopped; says what is known of its effect.
    pub fn cancelled(text: impl Into<String>) -> Self {
        Self { status: Status::Cancelled, text: text.into(), made: Vec::new() }
    }
}

/// What holds now: profile, tools, rules, limits, model.
///
/// 1. It is read before every effect and gives what is in force at that moment.
/// 2. An error means nothing runs: the turn fails closed.
#[async_trait]
pub trait Settings: Send + Sync {
    /// The setting of a conversation, and of the turn in it that has not ended: a turn keeps the profile that its message
    /// was said to.
    async fn current(&self, conversation: &ConversationId, turn: Option<&Turn>) -> Result<Setting, String>;
}

/// Foreign code at a fixed point before the gate. It can narrow, never widen.
///
/// 1. It gets copies and acts only through what it returns.
/// 2. An error, a panic or a hang is a no.
#[async_trait]
pub trait Hook: Send + Sync {
    /// Its name, for the record.
    fn name(&self) -> &str;

    /// Looks at a call before the gate.
    async fn before_call(&self, call: &ValidCall) -> Result<HookOutcome, String>;
}

/// What a hook may say. There is no "permit".
#[derive(Debug, Clone, PartialEq)]
pub enum HookOutcome {
    /// Go on.
    Continue,
    /// Go on with these arguments; they are checked again.
    Rewrite(serde_json::Value),
    /// The call does not run; says why.
    Block(String),
}

/// Hears what happens. It is never waited for.
pub trait Observer: Send + Sync {
    /// Takes an event.
    fn notify(&self, conversation: &ConversationId, event: Event<'_>);
}

/// What observers hear. Only `Recorded` is a fact.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// These entries are durable.
    Recorded(&'a [Entry]),
    /// A piece of a reply that is being written, or of a run's output.
    Delta {
        /// The reply or call it belongs to.
        source: DeltaSource<'a>,
        /// Its channel.
        channel: Channel,
        /// Bytes of this channel before it.
        offset: u64,
        /// The piece.
        text: &'a str,
    },
    /// What was shown of this reply does not stand.
    DraftWithdrawn {
        /// The reply.
        reply: &'a ReplyId,
        /// Why, for the person.
        reason: &'a str,
    },
}

/// What a delta belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaSource<'a> {
    /// A reply.
    Reply(&'a ReplyId),
    /// A run.
    Call(&'a CallId),
}

/// Time and names.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;

    /// A name that was never used: 26 characters, sorted by time.
    fn new_id(&self) -> String;
}

/// Private notes: Markdown texts under `user-memory/`, sealed in one vault.
///
/// 1. Every write keeps the version before it.
/// 2. A write with another `expected` hash than the note has changes nothing.
#[async_trait]
pub trait Notes: Send + Sync {
    /// The paths there are, with sizes in bytes, in order.
    async fn list(&self) -> Result<Vec<(String, u64)>, NoteError>;

    /// A note's text.
    async fn read(&self, path: &str) -> Result<Option<String>, NoteError>;

    /// Writes a note. `expected` is the hash of the text it replaces, `None` for a new note.
    async fn write(&self, path: &str, expected: Option<Digest>, text: &str, origin: &CallId) -> Result<(), NoteError>;

    /// Notes whose text holds all words, with a line of context each, at most `limit`.
    async fn search(&self, words: &str, limit: usize) -> Result<Vec<(String, String)>, NoteError>;
}

/// Why a note was not read or written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoteError {
    /// The note is another one by now.
    #[error("the note has changed since it was read; read it again")]
    Stale,
    /// A limit is reached.
    #[error("{0}")]
    Limit(String),
    /// The store failed.
    #[error("the notes could not be read or written: {0}")]
    Storage(String),
}

/// All that one person's turns run on, built from their unlocked vault.
#[derive(Clone)]
pub struct Ports {
    /// Where entries go.
    pub journal: Arc<dyn Journal>,
    /// Who may answer: the first is the one that usually does, the others stand in for it.
    pub models: Arc<[Arc<dyn Model>]>,
    /// Which models have failed of late; shared by all conversations of an instance.
    pub rests: Arc<Rests>,
    /// What holds.
    pub settings: Arc<dyn Settings>,
    /// Who may narrow, in order.
    pub hooks: Arc<[Arc<dyn Hook>]>,
    /// What can be done.
    pub tools: Arc<[Arc<dyn Tool>]>,
    /// Who listens.
    pub observer: Arc<dyn Observer>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

impl Ports {
    /// The model of that name.
    pub fn model(&self, name: &str) -> Option<&Arc<dyn Model>> {
        self.models.iter().find(|model| model.describe().name == name)
    }

    /// The tool of that name.
    pub fn tool(&self, name: &domain::tool::ToolName) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == *name)
    }
}
