//! Full-text search over what was said and answered in one vault. The index is brought up to the journal's end before
//! each search. Not here: search over notes (`notes`), and who may ask (`server`).

mod words;

use domain::id::ConversationId;
use domain::time::Timestamp;
use rusqlite::{Connection, Row, params};

use crate::error::StoreError;
use crate::vault::Vault;
use crate::vault::conversations::ConversationState;
use words::{Words, indexed};

/// Entries that are taken into the index in one transaction, so that a turn never waits long for the writer.
const BATCH: usize = 500;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Words as they were typed. All must be there; each may go on where it ends.
    pub words: String,
    /// In this conversation alone.
    pub conversation: Option<ConversationId>,
    /// Only hits before this one, for the next page: its `seq`.
    pub before: Option<u64>,
    /// The most hits.
    pub limit: usize,
}

/// A place where all the words are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The entry, counted over all conversations.
    pub seq: u64,
    /// Its conversation.
    pub conversation: ConversationId,
    /// The title of that.
    pub title: String,
    /// Where that is listed.
    pub state: ConversationState,
    /// The number of the entry in it.
    pub number: u64,
    /// Who spoke.
    pub speaker: Speaker,
    /// When.
    pub at: Timestamp,
    /// At most 300 characters around the first of the words.
    pub excerpt: Vec<Piece>,
}

/// Who spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    Person,
    /// A model.
    Model,
}

/// A stretch of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text.
    pub text: String,
    /// Whether it is one of the words.
    pub hit: bool,
}

impl Vault {
    /// Hits, newest first. Nothing if no letter is looked for.
    pub async fn search(&self, search: Search) -> Result<Vec<Hit>, StoreError> {
        let words = Words::of(&search.words);
        let Some(query) = words.query() else { return Ok(Vec::new()) };
        while self.take_in_entries().await? {}
        self.read(move |db| hits(db, &query, &words, &search)).await
    }

    /// Takes the next entries into the index; whether more may be left.
    async fn take_in_entries(&self) -> Result<bool, StoreError> {
        let (known, head) = self.read(|db| ends(db)).await?;
        if known >= head {
            return Ok(false);
        }
        self.write(|db| take_in(db)).await
    }
}

/// The ends of the index and of the journal.
fn ends(db: &Connection) -> Result<(u64, u64), StoreError> {
    let mut statement =
        db.prepare_cached("SELECT entry_search_end.seq, identity.head FROM entry_search_end, identity")?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// What a person or a model said in an entry of the outer frame; null for any other entry.
const SPOKEN: &str = "CASE WHEN entries.frame = 'outer' THEN
    coalesce(entries.body ->> '$.said.text', entries.body ->> '$.replied.sampled.text') END";

fn take_in(db: &Connection) -> Result<bool, StoreError> {
    let (known, _) = ends(db)?;
    let mut statement =
        db.prepare_cached(&format!("SELECT seq, {SPOKEN} FROM entries WHERE seq > ?1 ORDER BY seq LIMIT ?2"))?;
    let rows = statement.query_map(params![known, BATCH], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(u64, Option<String>)> = rows.collect::<Result<_, _>>()?;
    let mut insert = db.prepare_cached("INSERT INTO entry_search (rowid, text) VALUES (?1, ?2)")?;
    for (seq, text) in &rows {
        if let Some(text) = text.as_deref().filter(|text| !text.trim().is_empty()) {
            insert.execute(params![seq, indexed(text)])?;
        }
    }
    let Some((last, _)) = rows.last() else { return Ok(false) };
    db.execute("UPDATE entry_search_end SET seq = ?1", [last])?;
    Ok(rows.len() == BATCH)
}

fn hits(db: &Connection, query: &str, words: &Words, search: &Search) -> Result<Vec<Hit>, StoreError> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT entries.seq, entries.conversation, conversations.title, conversations.state, entries.number,
                entries.body ->> '$.said.text' IS NOT NULL, entries.at, {SPOKEN}
         FROM entry_search
         JOIN entries ON entries.seq = entry_search.rowid
         JOIN conversations ON conversations.id = entries.conversation
         WHERE entry_search MATCH ?1 AND entry_search.rowid < ?2 AND (?3 IS NULL OR entries.conversation = ?3)
         ORDER BY entry_search.rowid DESC LIMIT ?4"
    ))?;
    let before = search.before.unwrap_or(i64::MAX.unsigned_abs());
    let within = search.conversation.as_ref().map(ConversationId::as_str);
    let rows = statement.query_map(params![query, before, within, search.limit], |row| hit(row, words))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn hit(row: &Row<'_>, words: &Words) -> Result<Hit, rusqlite::Error> {
    let (state, text): (String, String) = (row.get(3)?, row.get(7)?);
    Ok(Hit {
        seq: row.get(0)?,
        conversation: ConversationId::new(row.get::<_, String>(1)?),
        title: row.get(2)?,
        state: ConversationState::read(&state),
        number: row.get(4)?,
        speaker: if row.get(5)? { Speaker::Person } else { Speaker::Model },
        at: Timestamp(row.get(6)?),
        excerpt: words.excerpt(&text),
    })
}
