//! Search over what was said and answered.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use domain::id::ConversationId;
use serde::Deserialize;
use store::Search;

use super::conversations::find;
use super::cursor;
use crate::extract::Unlocked;
use crate::problem::Problem;
use crate::state::App;
use crate::wire::search::HitPage;

/// The longest text that is looked for, in characters.
const LONGEST: usize = 200;

#[derive(Deserialize)]
pub(super) struct SearchQuery {
    q: String,
    conversation: Option<String>,
    cursor: Option<String>,
    limit: Option<usize>,
}

/// A page of hits, newest first.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Query(query): Query<SearchQuery>,
) -> Result<Json<HitPage>, Problem> {
    if query.q.trim().is_empty() {
        return Err(Problem::field("/q", "Name at least one word to look for."));
    }
    if query.q.chars().count() > LONGEST {
        return Err(Problem::field("/q", "Look for at most 200 characters."));
    }
    let limit = query.limit.unwrap_or(20);
    if !(1..=100).contains(&limit) {
        return Err(Problem::field("/limit", "A page has 1 to 100 hits."));
    }
    let conversation = match &query.conversation {
        Some(id) => Some(find(&room, id).await?.id),
        None => None,
    };
    let within = conversation.as_ref().map_or("", ConversationId::as_str);
    let owner = format!("{} search {within} {}", room.person, query.q);
    let before = cursor::read_seq(&app, &owner, query.cursor.as_deref())?;
    let search = Search { words: query.q, conversation, before, limit: limit + 1 };
    let mut hits = room.vault.search(search).await?;
    let more = hits.len() > limit;
    hits.truncate(limit);
    let next_cursor = hits.last().filter(|_| more).map(|last| cursor::after_seq(&app, &owner, last.seq));
    Ok(Json(HitPage { items: hits.into_iter().map(Into::into).collect(), next_cursor }))
}
