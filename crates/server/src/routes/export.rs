//! One conversation as a file to keep.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use domain::conversation::Conversation;
use domain::entry::Entry;
use domain::id::{ConversationId, EntryNumber};
use domain::line::LineId;
use harness::ports::Journal as _;
use serde::Deserialize;

use super::conversations::{find, journal_problem};
use crate::export::{Form, Source, Wanted};
use crate::extract::Unlocked;
use crate::problem::Problem;
use crate::state::App;

#[derive(Deserialize)]
pub(super) struct ExportQuery {
    #[serde(default)]
    form: Form,
    #[serde(default)]
    reasoning: bool,
    #[serde(default)]
    results: bool,
    /// The line that is written on, if none is named.
    line: Option<u64>,
}

/// The conversation in one form, to be saved.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Query(query): Query<ExportQuery>,
) -> Result<Response, Problem> {
    let ExportQuery { form, reasoning, results, line } = query;
    let summary = find(&room, &id).await?;
    let entries = room.vault.load(&summary.id, EntryNumber::default()).await.map_err(journal_problem)?;
    let entries = of_line(&summary.id, entries, line.map(|line| LineId(EntryNumber(line))))?;
    let title = if summary.title.is_empty() { "Conversation" } else { &summary.title };
    let source = Source { title, conversation: &summary.id, entries: &entries, now: app.now() };
    let mut response = form.write(&source, Wanted { reasoning, results }).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form.media_type()));
    headers.insert(header::CONTENT_DISPOSITION, disposition(title, form));
    Ok(response)
}

/// The entries of one line, in order.
fn of_line(id: &ConversationId, mut entries: Vec<Entry>, line: Option<LineId>) -> Result<Vec<Entry>, Problem> {
    let conversation = Conversation::fold(id.clone(), &entries);
    let line = line.unwrap_or_else(|| conversation.lines().active());
    if conversation.lines().line(line).is_none() {
        return Err(Problem::field("/line", "There is no such line in this conversation. Look at its lines."));
    }
    let path = conversation.lines().path(line);
    entries.retain(|entry| path.iter().any(|span| span.first <= entry.number && entry.number <= span.last));
    Ok(entries)
}

/// A file name made of the letters and digits of the title: nothing in it can end the header or leave a folder.
fn disposition(title: &str, form: Form) -> HeaderValue {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name: String = words.collect::<Vec<_>>().join("-").chars().take(60).collect();
    if name.is_empty() {
        "conversation".clone_into(&mut name);
    }
    let text = format!("attachment; filename=\"{name}.{}\"", form.extension());
    HeaderValue::from_str(&text).expect("letters, digits and hyphens are legal in a header")
}
