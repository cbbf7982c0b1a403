//! The list of conversations, and one conversation with its entries.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use domain::digest::Digest;
use domain::id::{ConversationId, EntryNumber};
use domain::title::Title;
use harness::ports::{Journal as _, JournalError};
use serde::Deserialize;
use store::{Changed, ConversationChange, ConversationState, ConversationSummary};

use super::once::{Done, finished, once};
use super::{choice, cursor};
use crate::etag;
use crate::extract::{Body, Key, Unlocked};
use crate::problem::{Code, Problem, vault_locked};
use crate::room::Room;
use crate::state::App;
use crate::wire::answer::EntryPage;
use crate::wire::conversation::{ConversationPage, ConversationView};
use crate::wire::entry::EntryView;
use crate::wire::form::{ChangeForm, CreateForm};

#[derive(Deserialize)]
pub(super) struct ListQuery {
    cursor: Option<String>,
    limit: Option<usize>,
    #[serde(default)]
    archived: bool,
}

#[derive(Deserialize)]
pub(super) struct EntriesQuery {
    #[serde(default)]
    since: u64,
}

/// Why the journal did not answer, for the person.
pub(super) fn journal_problem(error: JournalError) -> Problem {
    match error {
        JournalError::Absent(_) => Problem::not_found(),
        JournalError::Moved { .. } => Problem::internal("the journal moved on in the middle of a request"),
        JournalError::Closed => vault_locked(),
        // The store's words name no content.
        JournalError::Storage(words) => Problem::internal(words),
    }
}

/// The summary of a conversation of this vault.
pub(super) async fn find(room: &Room, id: &str) -> Result<ConversationSummary, Problem> {
    room.vault.conversation(ConversationId::new(id)).await?.ok_or_else(Problem::not_found)
}

/// A page of the list, newest first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Query(query): Query<ListQuery>,
) -> Result<Json<ConversationPage>, Problem> {
    let owner = format!("{} {}", room.person, query.archived);
    let from = cursor::read(&app, &owner, query.cursor.as_deref())?;
    let limit = query.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(Problem::field("/limit", "A page has 1 to 200 lines."));
    }
    let state = if query.archived { ConversationState::Archived } else { ConversationState::Open };
    let mut page = room.vault.conversations(state, from, limit + 1).await?;
    let more = page.len() > limit;
    page.truncate(limit);
    let next_cursor = page.last().filter(|_| more).map(|last| cursor::after(&app, &owner, last));
    let live: HashSet<_> = room.vault.unfinished().await.map_err(journal_problem)?.into_iter().collect();
    let mut items = Vec::with_capacity(page.len());
    for summary in &page {
        items.push(if live.contains(&summary.id) {
            with_turn(&room, summary).await?
        } else {
            ConversationView::quiet(summary)
        });
    }
    Ok(Json(ConversationPage { items, next_cursor }))
}

async fn with_turn(room: &Room, summary: &ConversationSummary) -> Result<ConversationView, Problem> {
    let conversation = room.fold(&summary.id).await.map_err(journal_problem)?;
    let setting = room.ports().settings.current(&summary.id, conversation.live()).await.map_err(Problem::internal)?;
    Ok(ConversationView::with_turn(summary, &conversation, &setting))
}

/// Makes a conversation.
pub(super) async fn create(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Key(key): Key,
    Body { value: form, digest }: Body<CreateForm>,
) -> Result<Response, Problem> {
    let title = title(&form.title)?;
    let work = {
        let (app, room) = (app.clone(), room.clone());
        // The id follows from the key, so that a start in between makes no second one.
        let id = Digest::of_bytes(format!("conversation\n{}\n{key}", room.person).as_bytes()).hex();
        let id = ConversationId::new(&id[..26]);
        async move {
            let summary = room.vault.create_conversation(id, title, app.now()).await?;
            if let Some(form) = form.choice {
                choice::choose(&app, &room, Some(&summary.id), form).await?;
            }
            room.hub.hint("conversations", Some(summary.id.to_string()));
            Ok(Done::new(StatusCode::CREATED, &ConversationView::quiet(&summary)))
        }
    };
    once(&app, &room, key, "create conversation".to_owned(), digest, work).await
}

fn title(text: &str) -> Result<String, Problem> {
    Title::parse(text).map(Title::into_string).map_err(|fault| Problem::field("/title", fault))
}

/// One conversation.
pub(super) async fn show(
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let summary = find(&room, &id).await?;
    tagged(&room, &summary, &headers).await
}

async fn tagged(room: &Room, summary: &ConversationSummary, headers: &HeaderMap) -> Result<Response, Problem> {
    let tag = tag(summary);
    let named = [(header::ETAG, etag::value(&tag))];
    if etag::is_known(headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, named).into_response());
    }
    let view = with_turn(room, summary).await?;
    Ok((named, Json(view)).into_response())
}

/// Changes whenever anything of the conversation does.
fn tag(summary: &ConversationSummary) -> String {
    let state = summary.state.as_str();
    let text = format!("{}\n{}\n{state}\n{}\n{}", summary.id, summary.title, summary.head, summary.changed_at.0);
    etag::of(text.as_bytes())
}

/// Renames a conversation, or puts it away.
pub(super) async fn change(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body { value: form, .. }: Body<ChangeForm>,
) -> Result<Response, Problem> {
    let title = form.title.as_deref().map(title).transpose()?;
    let summary = find(&room, &id).await?;
    let seen = check_match(&headers, &tag(&summary))?;
    let state = form.archived.map(|away| if away { ConversationState::Archived } else { ConversationState::Open });
    let change = ConversationChange { title, state };
    let changed = {
        let room = room.clone();
        finished(async move { apply(&app, &room, summary.id, change, seen).await }).await?
    };
    tagged(&room, &changed, &HeaderMap::new()).await
}

async fn apply(
    app: &App,
    room: &Room,
    id: ConversationId,
    change: ConversationChange,
    seen: String,
) -> Result<ConversationSummary, Problem> {
    let fits = move |there: &ConversationSummary| tag(there) == seen;
    match room.vault.change_conversation(id, change, app.now(), fits).await? {
        Changed::Done(summary) => {
            room.hub.hint("conversations", Some(summary.id.to_string()));
            Ok(summary)
        }
        Changed::Stale(there) => Err(stale(tag(&there))),
        Changed::Absent => Err(Problem::not_found()),
    }
}

/// The tag that was seen. Looked at once more with the write: many may have seen the same.
fn check_match(headers: &HeaderMap, tag: &str) -> Result<String, Problem> {
    match headers.get(header::IF_MATCH) {
        None => Err(Problem::new(Code::PreconditionRequired, "Send If-Match with the tag of what you change.")),
        Some(given) if given.as_bytes() == tag.as_bytes() => Ok(tag.to_owned()),
        Some(_) => Err(stale(tag.to_owned())),
    }
}

fn stale(tag: String) -> Problem {
    Problem::new(Code::Stale, "It has changed since you read it. Read it again.").etag(tag)
}

/// Entries after a number, in order, and the number of the last one in the answer.
pub(super) async fn entries(
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Query(query): Query<EntriesQuery>,
) -> Result<Json<EntryPage>, Problem> {
    let id = find(&room, &id).await?.id;
    let entries = room.vault.load(&id, EntryNumber(query.since)).await.map_err(journal_problem)?;
    let head = entries.last().map_or(query.since, |entry| entry.number.0);
    let entries = entries.iter().map(|entry| EntryView::new(&id, None, entry)).collect();
    Ok(Json(EntryPage { entries, head }))
}
