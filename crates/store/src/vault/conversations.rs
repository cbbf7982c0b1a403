//! The list of conversations: title, state and times. Their entries are in `journal`.

use domain::id::ConversationId;
use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::error::StoreError;
use crate::vault::Vault;

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationSummary {
    /// Its id.
    pub id: ConversationId,
    /// Its title; empty until somebody names it.
    pub title: String,
    /// Where it is listed.
    pub state: ConversationState,
    /// The number of its last entry.
    pub head: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed: the newest entry, or a rename.
    pub changed_at: Timestamp,
}

/// Where a conversation is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationState {
    /// In the list.
    Open,
    /// Put away.
    Archived,
}

impl ConversationState {
    /// The state of a stored word; the table holds no other.
    pub(crate) fn read(word: &str) -> Self {
        if word == Self::Archived.as_str() { Self::Archived } else { Self::Open }
    }

    /// The word that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Archived => "archived",
        }
    }
}

/// What is to change of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversationChange {
    /// Its title.
    pub title: Option<String>,
    /// Where it is listed.
    pub state: Option<ConversationState>,
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It is made; this is there now.
    Done(ConversationSummary),
    /// Something else is there than was seen; nothing changed.
    Stale(ConversationSummary),
    /// There is no such conversation.
    Absent,
}

/// Where a page begins: after the line with these values, or at the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListFrom {
    /// At the newest.
    #[default]
    Top,
    /// After this line.
    After {
        /// Its `changed_at`.
        changed_at: Timestamp,
        /// Its id.
        id: ConversationId,
    },
}

const COLUMNS: &str = "id, title, state, head, created_at, changed_at";

impl Vault {
    /// Makes a conversation. The same id again changes nothing and gives the one there is.
    pub async fn create_conversation(
        &self,
        id: ConversationId,
        title: String,
        now: Timestamp,
    ) -> Result<ConversationSummary, StoreError> {
        self.write(move |db| {
            db.execute(
                "INSERT INTO conversations (id, title, state, created_at, changed_at) VALUES (?1, ?2, 'open', ?3, ?3)
                 ON CONFLICT (id) DO NOTHING",
                params![id.as_str(), title, now.0],
            )?;
            by_id(db, &id)?.ok_or(StoreError::Corrupt("conversation"))
        })
        .await
    }

    /// One line of the list.
    pub async fn conversation(&self, id: ConversationId) -> Result<Option<ConversationSummary>, StoreError> {
        self.read(move |db| by_id(db, &id)).await
    }

    /// A page of the list, newest change first.
    pub async fn conversations(
        &self,
        state: ConversationState,
        from: ListFrom,
        limit: usize,
    ) -> Result<Vec<ConversationSummary>, StoreError> {
        self.read(move |db| list(db, state, &from, limit)).await
    }

    /// Changes a conversation if it is still as it was seen: looked at and written in one transaction, so that of many
    /// changes to what one of them saw, one is made. `fits` judges what is there.
    pub async fn change_conversation(
        &self,
        id: ConversationId,
        change: ConversationChange,
        now: Timestamp,
        fits: impl FnOnce(&ConversationSummary) -> bool + Send + 'static,
    ) -> Result<Changed, StoreError> {
        self.write(move |db| {
            let Some(before) = by_id(db, &id)? else { return Ok(Changed::Absent) };
            if !fits(&before) {
                return Ok(Changed::Stale(before));
            }
            apply(db, &id, change, now)?;
            let after = by_id(db, &id)?.ok_or(StoreError::Corrupt("conversation"))?;
            Ok(Changed::Done(after))
        })
        .await
    }
}

/// A new title is a change also within one millisecond.
fn apply(db: &Connection, id: &ConversationId, change: ConversationChange, now: Timestamp) -> Result<(), StoreError> {
    if let Some(title) = change.title {
        db.execute(
            "UPDATE conversations SET title = ?2, changed_at = max(changed_at + 1, ?3) WHERE id = ?1",
            params![id.as_str(), title, now.0],
        )?;
    }
    if let Some(state) = change.state {
        db.execute("UPDATE conversations SET state = ?2 WHERE id = ?1", params![id.as_str(), state.as_str()])?;
    }
    Ok(())
}

fn by_id(db: &Connection, id: &ConversationId) -> Result<Option<ConversationSummary>, StoreError> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM conversations WHERE id = ?1"))?;
    Ok(statement.query_row([id.as_str()], summary).optional()?)
}

fn list(
    db: &Connection,
    state: ConversationState,
    from: &ListFrom,
    limit: usize,
) -> Result<Vec<ConversationSummary>, StoreError> {
    let (changed_at, id) = match from {
        ListFrom::Top => (i64::MAX, ""),
        ListFrom::After { changed_at, id } => (changed_at.0, id.as_str()),
    };
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM conversations
         WHERE state = ?1 AND (changed_at < ?2 OR (changed_at = ?2 AND id > ?3))
         ORDER BY changed_at DESC, id LIMIT ?4"
    ))?;
    let rows = statement.query_map(params![state.as_str(), changed_at, id, limit], summary)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn summary(row: &Row<'_>) -> rusqlite::Result<ConversationSummary> {
    let state: String = row.get(2)?;
    Ok(ConversationSummary {
        id: ConversationId::new(row.get::<_, String>(0)?),
        title: row.get(1)?,
        state: ConversationState::read(&state),
        head: row.get(3)?,
        created_at: Timestamp(row.get(4)?),
        changed_at: Timestamp(row.get(5)?),
    })
}
