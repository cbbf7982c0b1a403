//! A journal in memory that keeps the port's promises, and whose process can die or whose disk can fail at any append.
//!
//! Every entry is encoded and decoded on its way in, so every test also shows that what is written can be read.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::conversation::Conversation;
use domain::entry::{Body, Draft, Entry};
use domain::id::{ApprovalId, ConversationId, EntryNumber, FrameId, TurnId};
use domain::time::Timestamp;
use harness::ports::{Journal, JournalError};
use tokio_util::sync::CancellationToken;

/// The disk of a vault, in memory.
#[derive(Debug, Default)]
pub struct MemoryJournal {
    disk: Mutex<Disk>,
}

#[derive(Debug, Default)]
struct Disk {
    conversations: BTreeMap<ConversationId, Vec<Entry>>,
    appends: usize,
    traps: Vec<Trap>,
    failures: usize,
    dead: CancellationToken,
}

/// Whether the process dies before an append is durable, or right after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Nothing of the append is there.
    Before,
    /// All of it is there, and nobody heard.
    After,
}

/// The append at which the process dies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trap {
    /// Which append.
    pub at: TrapAt,
    /// On which side of it.
    pub moment: Moment,
}

/// Which append a trap waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrapAt {
    /// The append of that number, counted from 1 over the life of the journal.
    Append(usize),
    /// The next append that holds a fact of that kind, as [`kind`] names it.
    Kind(String),
}

impl MemoryJournal {
    /// A journal with one empty conversation.
    pub fn with(conversation: &ConversationId) -> Self {
        let journal = Self::default();
        journal.create(conversation);
        journal
    }

    /// Adds an empty conversation.
    pub fn create(&self, conversation: &ConversationId) {
        self.lock().conversations.entry(conversation.clone()).or_default();
    }

    /// Lets the process die at an append: from then on nothing that waits for this journal ever goes on.
    pub fn arm(&self, trap: Trap) {
        self.lock().traps.push(trap);
    }

    /// Takes away a trap; false if it is not there any more.
    pub fn take_away(&self, trap: &Trap) -> bool {
        let traps = &mut self.lock().traps;
        let before = traps.len();
        traps.retain(|own| own != trap);
        traps.len() < before
    }

    /// Lets the next appends fail.
    pub fn fail(&self, appends: usize) {
        self.lock().failures = appends;
    }

    /// Cancelled once the process has died.
    pub fn dead(&self) -> CancellationToken {
        self.lock().dead.clone()
    }

    /// A new process opens the same disk.
    pub fn reopen(&self) {
        self.lock().dead = CancellationToken::new();
    }

    /// How many appends have succeeded.
    pub fn appends(&self) -> usize {
        self.lock().appends
    }

    /// Writes a stored text as a newer version of this program would.
    pub fn plant(&self, conversation: &ConversationId, version: u32, text: &str) {
        let mut disk = self.lock();
        let stored = disk.conversations.entry(conversation.clone()).or_default();
        let draft = |body| Draft { at: Timestamp(0), turn: TurnId::new("newer"), frame: FrameId::outer(), body };
        let number = EntryNumber(stored.len() as u64 + 1);
        let body = Body::decode(number, version, text).expect("the text is JSON");
        stored.push(Entry { version, ..draft(body).at_number(number) });
    }

    /// All entries of a conversation, as they read back.
    pub fn entries(&self, conversation: &ConversationId) -> Vec<Entry> {
        self.lock().conversations.get(conversation).cloned().unwrap_or_default()
    }

    /// The entries of a conversation after the first `seen`, looked at where they lie.
    pub fn look_at<T>(&self, conversation: &ConversationId, seen: usize, look: impl FnOnce(&[Entry]) -> T) -> T {
        let disk = self.lock();
        let entries = disk.conversations.get(conversation).map_or(&[][..], Vec::as_slice);
        look(entries.get(seen..).unwrap_or_default())
    }

    fn lock(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Never returns once the process has died.
    async fn alive(&self) {
        let dead = self.lock().dead.is_cancelled();
        if dead {
            std::future::pending::<()>().await;
        }
    }
}

impl Disk {
    fn append(
        &mut self,
        conversation: &ConversationId,
        expected: EntryNumber,
        drafts: &[Draft],
    ) -> Result<Vec<Entry>, JournalError> {
        let springs = self.traps.iter().position(|trap| trap.springs(self.appends + 1, drafts));
        let dies = springs.map(|at| self.traps.remove(at).moment);
        if dies == Some(Moment::Before) {
            self.dead.cancel();
            return Ok(Vec::new());
        }
        if self.failures > 0 {
            self.failures -= 1;
            return Err(JournalError::Storage("the disk of this test is full".to_owned()));
        }
        let absent = || JournalError::Absent(conversation.clone());
        let stored = self.conversations.get_mut(conversation).ok_or_else(absent)?;
        let head = EntryNumber(stored.len() as u64);
        if head != expected {
            return Err(JournalError::Moved { head });
        }
        let before = stored.len();
        stored.extend((head.0 + 1..).zip(drafts).map(|(number, draft)| written(EntryNumber(number), draft)));
        self.appends += 1;
        if dies == Some(Moment::After) {
            self.dead.cancel();
        }
        Ok(stored[before..].to_vec())
    }
}

impl Trap {
    fn springs(&self, append: usize, drafts: &[Draft]) -> bool {
        match &self.at {
            TrapAt::Append(number) => *number == append,
            TrapAt::Kind(wanted) => drafts.iter().any(|draft| draft.body.kind() == wanted),
        }
    }
}

/// The entry as it reads back.
fn written(number: EntryNumber, draft: &Draft) -> Entry {
    let entry = draft.clone().at_number(number);
    let body = Body::decode(number, entry.version, &entry.body.encode()).expect("what was encoded decodes");
    Entry { body, ..entry }
}

#[async_trait]
impl Journal for MemoryJournal {
    async fn load(&self, conversation: &ConversationId, since: EntryNumber) -> Result<Vec<Entry>, JournalError> {
        self.alive().await;
        let disk = self.lock();
        let entries = disk.conversations.get(conversation);
        let entries = entries.ok_or_else(|| JournalError::Absent(conversation.clone()))?;
        let start = usize::try_from(since.0).unwrap_or(usize::MAX).min(entries.len());
        Ok(entries[start..].to_vec())
    }

    async fn append(
        &self,
        conversation: &ConversationId,
        expected: EntryNumber,
        drafts: Vec<Draft>,
    ) -> Result<Vec<Entry>, JournalError> {
        self.alive().await;
        let appended = self.lock().append(conversation, expected, &drafts);
        self.alive().await;
        appended
    }

    async fn unfinished(&self) -> Result<Vec<ConversationId>, JournalError> {
        self.alive().await;
        let ids: Vec<_> = self.lock().conversations.keys().cloned().collect();
        let unfinished = |id: &ConversationId| Conversation::fold(id.clone(), &self.entries(id)).is_unfinished();
        Ok(ids.into_iter().filter(unfinished).collect())
    }

    async fn asked_in(&self, approval: &ApprovalId) -> Result<Option<ConversationId>, JournalError> {
        self.alive().await;
        let ids: Vec<_> = self.lock().conversations.keys().cloned().collect();
        let asked = |entry: &Entry| matches!(&entry.body, Body::Asked(asked) if asked.id == *approval);
        Ok(ids.into_iter().find(|id| self.entries(id).iter().any(asked)))
    }
}
