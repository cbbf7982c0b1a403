//! The list of conversations: title, state and times. Their entries are in `journal`.

use domain::id::ConversationId;
use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use crate::error::StoreError;
use crate::vault::Vault;
use crate::vault::idempotency::{self, Finish};

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
    /// The word that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Archived => "archived",
        }
    }
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
        finish: Option<Finish<ConversationSummary>>,
    ) -> Result<ConversationSummary, StoreError> {
        self.write(move |db| {
            db.execute(
                "INSERT INTO conversations (id, title, state, created_at, changed_at) VALUES (?1, ?2, 'open', ?3, ?3)
                 ON CONFLICT (id) DO NOTHING",
                params![id.as_str(), title, now.0],
            )?;
            let summary = by_id(db, &id)?.ok_or(StoreError::Corrupt("conversation"))?;
            idempotency::finish_with(db, finish, &summary)?;
            Ok(summary)
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

    /// Renames a conversation; false if there is none.
    pub async fn rename_conversation(
        &self,
        id: ConversationId,
        title: String,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(move |db| {
            db.execute(
                "UPDATE conversations SET title = ?2, changed_at = max(changed_at, ?3) WHERE id = ?1",
                params![id.as_str(), title, now.0],
            )
        })
        .await
    }

    /// Puts a conversation away or takes it back; false if there is none.
    pub async fn set_conversation_state(
        &self,
        id: ConversationId,
        state: ConversationState,
    ) -> Result<bool, StoreError> {
        self.change(move |db| {
            db.execute("UPDATE conversations SET state = ?2 WHERE id = ?1", params![id.as_str(), state.as_str()])
        })
        .await
    }

    async fn change(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<usize> + Send + 'static,
    ) -> Result<bool, StoreError> {
        self.write(move |db| Ok(work(db)? > 0)).await
    }
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
        state: if state == "archived" { ConversationState::Archived } else { ConversationState::Open },
        head: row.get(3)?,
        created_at: Timestamp(row.get(4)?),
        changed_at: Timestamp(row.get(5)?),
    })
}
