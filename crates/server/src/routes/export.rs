//! One conversation as a file to keep.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use domain::id::EntryNumber;
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
}

/// The conversation in one form, to be saved.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Query(query): Query<ExportQuery>,
) -> Result<Response, Problem> {
    let ExportQuery { form, reasoning, results } = query;
    let summary = find(&room, &id).await?;
    let entries = room.vault.load(&summary.id, EntryNumber::default()).await.map_err(journal_problem)?;
    let title = if summary.title.is_empty() { "Conversation" } else { &summary.title };
    let source = Source { title, conversation: &summary.id, entries: &entries, now: app.now() };
    let mut response = form.write(&source, Wanted { reasoning, results }).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form.media_type()));
    headers.insert(header::CONTENT_DISPOSITION, disposition(title, form));
    Ok(response)
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
