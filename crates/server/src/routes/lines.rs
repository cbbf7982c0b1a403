//! Lines of a conversation: looked at, started by a branch, switched. A message written anew starts one too; that is
//! in `messages`. Decided in `domain` and `harness::act`; translated here.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::conversation::Conversation;
use domain::id::{EntryNumber, MessageId};
use domain::line::LineId;
use harness::act::{self, ActError};
use serde::Deserialize;

use super::conversations::{find, journal_problem};
use super::messages::act_problem;
use super::once::{Act, Done, once_in};
use crate::extract::{Body, Key, Unlocked};
use crate::problem::Problem;
use crate::room::Room;
use crate::state::App;
use crate::wire::form::{BranchForm, SwitchForm};
use crate::wire::line::{LinePreview, LineTaken, LinesView};

#[derive(Deserialize)]
pub(super) struct PreviewQuery {
    instead_of: Option<String>,
    after: Option<u64>,
}

async fn folded(room: &Room, id: &str) -> Result<Conversation, Problem> {
    let id = find(room, id).await?.id;
    room.fold(&id).await.map_err(journal_problem)
}

/// All lines.
pub(super) async fn list(Unlocked(room): Unlocked, Path(id): Path<String>) -> Result<Json<LinesView>, Problem> {
    Ok(Json(folded(&room, &id).await?.lines().into()))
}

/// What a new line would leave behind: shown to the person before it starts.
pub(super) async fn preview(
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Query(query): Query<PreviewQuery>,
) -> Result<Json<LinePreview>, Problem> {
    let conversation = folded(&room, &id).await?;
    if conversation.live().is_some() {
        return Err(act_problem(ActError::TurnRuns));
    }
    let after = place(&conversation, query)?.ok_or_else(|| act_problem(ActError::UnknownPlace))?;
    Ok(Json(LinePreview::new(after, &conversation.effects_behind(after))))
}

/// Where the line would start; `None` if there is no such place on the line that is written on.
fn place(conversation: &Conversation, query: PreviewQuery) -> Result<Option<EntryNumber>, Problem> {
    match (query.instead_of, query.after.map(EntryNumber)) {
        (Some(message), None) => Ok(conversation.before(&MessageId::new(message))),
        (None, Some(at)) => {
            let lines = conversation.lines();
            Ok(lines.holds(lines.active(), at).then(|| conversation.border(at)))
        }
        (Some(_), Some(_)) | (None, None) => Err(Problem::field("/after", "Send either `instead_of` or `after`.")),
    }
}

/// Starts a line behind an entry.
pub(super) async fn branch(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Key(key): Key,
    Body { value: form, digest: request }: Body<BranchForm>,
) -> Result<Response, Problem> {
    let act = Act { name: "branch", conversation: id, key, request };
    once_in(&app, &room, act, |room, id| async move {
        let line = act::branch(room.desk(), &id, EntryNumber(form.after)).await.map_err(act_problem)?;
        Ok(Done::new(StatusCode::CREATED, &LineTaken { line: line.0.0 }))
    })
    .await
}

/// Goes on with another line.
pub(super) async fn switch(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Key(key): Key,
    Body { value: form, digest: request }: Body<SwitchForm>,
) -> Result<Response, Problem> {
    let act = Act { name: "switch", conversation: id, key, request };
    once_in(&app, &room, act, |room, id| async move {
        let line = LineId(EntryNumber(form.line));
        act::switch(room.desk(), &id, line).await.map_err(act_problem)?;
        Ok(Done::new(StatusCode::OK, &LineTaken { line: form.line }))
    })
    .await
}
