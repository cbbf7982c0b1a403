//! The journal port over the vault: compare and append in one durable transaction, load in order. The tables refuse
//! any change of an entry. Not here: what entries mean (`domain`).

use std::sync::Arc;

use async_trait::async_trait;
use domain::conversation::Conversation;
use domain::entry::{Body, Draft, Entry};
use domain::id::{ApprovalId, ConversationId, EntryNumber, FrameId, MessageId, TurnId};
use domain::time::Timestamp;
use harness::ports::{Journal, JournalError};
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use crate::error::StoreError;
use crate::vault::Vault;

/// An entry with its place in the vault: what the event stream carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequenced {
    /// Counted over all conversations from 1, without gap or reuse.
    pub seq: u64,
    /// Where it belongs.
    pub conversation: ConversationId,
    /// The entry.
    pub entry: Entry,
}

#[async_trait]
impl Journal for Vault {
    async fn load(&self, conversation: &ConversationId, since: EntryNumber) -> Result<Vec<Entry>, JournalError> {
        let conversation = conversation.clone();
        let loaded = self.read(move |db| {
            let entries = load(db, &conversation, since)?;
            if entries.is_empty() && ends(db, &conversation)?.is_none() {
                return Err(Fault::Journal(JournalError::Absent(conversation)));
            }
            Ok(entries)
        });
        Ok(loaded.await?)
    }

    async fn append(
        &self,
        conversation: &ConversationId,
        expected: EntryNumber,
        drafts: Vec<Draft>,
    ) -> Result<Vec<Entry>, JournalError> {
        let conversation = conversation.clone();
        let (entries, head) = self.write(move |db| append(db, &conversation, expected, drafts)).await?;
        self.announce(head);
        Ok(entries)
    }

    async fn unfinished(&self) -> Result<Vec<ConversationId>, JournalError> {
        let Looked { live, over } = self.read(look).await?;
        // Without the mark they are looked at again, which costs time alone.
        if !over.is_empty()
            && let Err(fault) = self.write(move |db| unmark(db, &over)).await
        {
            tracing::warn!(%fault, "conversations without a turn stay marked");
        }
        Ok(live)
    }

    async fn asked_in(&self, approval: &ApprovalId) -> Result<Option<ConversationId>, JournalError> {
        let approval = approval.clone();
        self.read(move |db| asked_in(db, &approval)).await.map_err(JournalError::from)
    }
}

impl Vault {
    /// The journal port of this vault.
    pub fn journal(&self) -> Arc<dyn Journal> {
        Arc::new(self.clone())
    }

    /// Entries of all conversations after `seq`, in order, at most `limit`.
    pub async fn entries_since(&self, seq: u64, limit: usize) -> Result<Vec<Sequenced>, StoreError> {
        let entries = self.read(move |db| entries_since(db, seq, limit)).await?;
        // Read before their append has come to announce them: who was told of an entry finds it below the head.
        entries.last().into_iter().for_each(|last| self.announce(last.seq));
        Ok(entries)
    }

    /// Everything up to here is durable. A later append may have been faster to say so; the head only grows.
    fn announce(&self, head: u64) {
        self.0.head.send_if_modified(|known| head > std::mem::replace(known, head.max(*known)));
    }

    /// The entry that holds a message with this id, so that sending twice records once.
    pub async fn entry_of_message(
        &self,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<Option<EntryNumber>, StoreError> {
        self.read(move |db| {
            let mut statement =
                db.prepare_cached("SELECT number FROM entries WHERE conversation = ?1 AND message = ?2")?;
            let number = statement.query_row([conversation.as_str(), message.as_str()], |row| row.get(0)).optional()?;
            Ok(number.map(EntryNumber))
        })
        .await
    }
}

enum Fault {
    Store(StoreError),
    Journal(JournalError),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Fault> for JournalError {
    fn from(error: Fault) -> Self {
        match error {
            Fault::Store(error) => error.into(),
            Fault::Journal(error) => error,
        }
    }
}

impl From<StoreError> for JournalError {
    fn from(error: StoreError) -> Self {
        if matches!(error, StoreError::Closed) {
            return Self::Closed;
        }
        tracing::error!(?error, "the journal failed");
        Self::Storage(error.to_string())
    }
}

/// Where the journal stands: the conversation's head and marks, and the vault's head.
struct Ends {
    head: u64,
    said: u64,
    seen: u64,
    seq: u64,
}

impl Ends {
    /// An entry was written at the head. What delegates reply in their frames has seen no message.
    fn take_in(&mut self, entry: &Entry) {
        if entry.body.said().is_some() {
            self.said = self.head;
        }
        if let Some(reply) = entry.body.replied().filter(|_| entry.frame.is_outer()) {
            self.seen = reply.seen.0;
        }
    }
}

fn append(
    db: &Connection,
    conversation: &ConversationId,
    expected: EntryNumber,
    drafts: Vec<Draft>,
) -> Result<(Vec<Entry>, u64), Fault> {
    let absent = || Fault::Journal(JournalError::Absent(conversation.clone()));
    let mut ends = ends(db, conversation)?.ok_or_else(absent)?;
    if ends.head != expected.0 {
        return Err(Fault::Journal(JournalError::Moved { head: EntryNumber(ends.head) }));
    }
    let mut entries = Vec::with_capacity(drafts.len());
    for draft in drafts {
        ends.head += 1;
        ends.seq += 1;
        let entry = draft.at_number(EntryNumber(ends.head));
        insert(db, conversation, ends.seq, &entry)?;
        ends.take_in(&entry);
        entries.push(entry);
    }
    if let Some(last) = entries.last() {
        mark(db, conversation, &ends, last)?;
    }
    Ok((entries, ends.seq))
}

fn ends(db: &Connection, conversation: &ConversationId) -> Result<Option<Ends>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT conversations.head, last_said, last_seen, identity.head FROM conversations, identity WHERE id = ?1",
    )?;
    let ends = statement.query_row([conversation.as_str()], |row| {
        Ok(Ends { head: row.get(0)?, said: row.get(1)?, seen: row.get(2)?, seq: row.get(3)? })
    });
    Ok(ends.optional()?)
}

fn insert(db: &Connection, conversation: &ConversationId, seq: u64, entry: &Entry) -> Result<(), StoreError> {
    let message = entry.body.said().map(|message| message.id.as_str());
    let approval = entry.body.asked().map(|approval| approval.id.as_str());
    let mut statement = db.prepare_cached(
        "INSERT INTO entries (conversation, number, seq, version, at, turn, frame, message, approval, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    statement.execute(params![
        conversation.as_str(),
        entry.number.0,
        seq,
        entry.version,
        entry.at.0,
        entry.turn.as_str(),
        entry.frame.as_str(),
        message,
        approval,
        entry.body.encode(),
    ])?;
    Ok(())
}

/// A turn is certainly over if its end was written last and a reply had seen every message. The end of a delegate is none
/// of the turn, and delegates in the background outlive it.
fn mark(db: &Connection, conversation: &ConversationId, ends: &Ends, last: &Entry) -> Result<(), StoreError> {
    let over = matches!(last.body, Body::Ended { .. }) && last.frame.is_outer() && ends.said <= ends.seen;
    let over = over && !has_background(db, conversation)?;
    let mut statement =
        db.prepare_cached("UPDATE conversations SET last_said = ?2, last_seen = ?3, unfinished = ?4 WHERE id = ?1")?;
    statement.execute(params![conversation.as_str(), ends.said, ends.seen, !over])?;
    Ok(())
}

/// Whether a delegate was ever left in the background here; whether one still is, the fold says.
fn has_background(db: &Connection, conversation: &ConversationId) -> Result<bool, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM entries WHERE conversation = ?1 AND frame <> 'outer'
         AND instr(body, '\"mode\":\"background\"') > 0)",
    )?;
    Ok(statement.query_row([conversation.as_str()], |row| row.get(0))?)
}

const COLUMNS: &str = "number, version, at, turn, frame, body";

/// Numbers are stored with 63 bits; behind a larger one there is nothing.
fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn load(db: &Connection, conversation: &ConversationId, since: EntryNumber) -> Result<Vec<Entry>, StoreError> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM entries WHERE conversation = ?1 AND number > ?2 ORDER BY number"
    ))?;
    let mut rows = statement.query(params![conversation.as_str(), stored(since.0)])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(entry(row)?);
    }
    Ok(entries)
}

fn entries_since(db: &Connection, seq: u64, limit: usize) -> Result<Vec<Sequenced>, StoreError> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS}, seq, conversation FROM entries WHERE seq > ?1 ORDER BY seq LIMIT ?2"
    ))?;
    let mut rows = statement.query(params![stored(seq), limit])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let conversation = ConversationId::new(row.get::<_, String>(7)?);
        entries.push(Sequenced { seq: row.get(6)?, conversation, entry: entry(row)? });
    }
    Ok(entries)
}

fn entry(row: &Row<'_>) -> Result<Entry, StoreError> {
    let number = EntryNumber(row.get(0)?);
    let version = row.get(1)?;
    let body: String = row.get(5)?;
    Ok(Entry {
        number,
        version,
        at: Timestamp(row.get(2)?),
        turn: TurnId::new(row.get::<_, String>(3)?),
        frame: FrameId::new(row.get::<_, String>(4)?),
        body: Body::decode(number, version, &body).map_err(|_| StoreError::Corrupt("entry"))?,
    })
}

/// What became of the conversations that may have an unfinished turn.
#[derive(Debug, Default)]
struct Looked {
    live: Vec<ConversationId>,
    /// Those that have none, with their last entry.
    over: Vec<(ConversationId, EntryNumber)>,
}

/// Only conversations that may have an unfinished turn are folded; the fold decides.
fn look(db: &Transaction<'_>) -> Result<Looked, StoreError> {
    let mut looked = Looked::default();
    for id in marked(db)? {
        let entries = load(db, &id, EntryNumber(0))?;
        let conversation = Conversation::fold(id.clone(), &entries);
        if conversation.is_unfinished() {
            looked.live.push(id);
        } else {
            looked.over.push((id, conversation.head()));
        }
    }
    Ok(looked)
}

fn marked(db: &Connection) -> Result<Vec<ConversationId>, StoreError> {
    let mut statement = db.prepare_cached("SELECT id FROM conversations WHERE unfinished = 1 ORDER BY id")?;
    let ids = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(ids.into_iter().map(ConversationId::new).collect())
}

/// Takes the mark off conversations that have no further entry than when they were looked at.
fn unmark(db: &Transaction<'_>, over: &[(ConversationId, EntryNumber)]) -> Result<(), StoreError> {
    let mut statement = db.prepare_cached("UPDATE conversations SET unfinished = 0 WHERE id = ?1 AND head = ?2")?;
    for (id, head) in over {
        statement.execute(params![id.as_str(), head.0])?;
    }
    Ok(())
}

fn asked_in(db: &Connection, approval: &ApprovalId) -> Result<Option<ConversationId>, StoreError> {
    let mut statement = db.prepare_cached("SELECT conversation FROM entries WHERE approval = ?1 LIMIT 1")?;
    let id = statement.query_row([approval.as_str()], |row| row.get::<_, String>(0)).optional()?;
    Ok(id.map(ConversationId::new))
}

#[cfg(test)]
mod tests;
