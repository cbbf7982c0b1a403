//! A request with a key has its effect once: the same again gets the first answer (UI-6). And an act, once begun, is
//! finished also when its client hangs up.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body as AxumBody;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use domain::digest::Digest;
use domain::id::ConversationId;
use serde::Serialize;
use store::{Begun, Ticket};

use super::conversations::find;
use crate::problem::{Code, Problem};
use crate::room::Room;
use crate::state::App;

/// What an act answers.
pub(super) struct Done {
    status: StatusCode,
    body: Vec<u8>,
}

impl Done {
    /// An answer with a JSON body.
    pub(super) fn new(status: StatusCode, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("wire types are plain data with text keys");
        Self { status, body }
    }

    /// The answer, marked if it is one that was given before.
    pub(super) fn response(self, replayed: bool) -> Response {
        let mut response = Response::new(AxumBody::from(self.body));
        *response.status_mut() = self.status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if replayed {
            response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
        }
        response
    }
}

/// How long a request waits for the same one that came before it.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// Does `work` unless the key was used: then the first answer is given again, or the request is refused.
pub(super) async fn once<F>(
    app: &Arc<App>,
    room: &Arc<Room>,
    key: String,
    route: String,
    request: Digest,
    work: F,
) -> Result<Response, Problem>
where
    F: Future<Output = Result<Done, Problem>> + Send + 'static,
{
    let Some(ticket) = begin(app, room, key, route, request).await? else {
        return Err(
            Problem::new(Code::StillWorking, "The same request is being worked on. Wait a moment.").retry_after(1)
        );
    };
    match ticket {
        Taken::Replay(done) => Ok(done.response(true)),
        Taken::New(ticket) => {
            let room = room.clone();
            finished(async move { settle(&room, ticket, work.await).await }).await
        }
    }
}

/// A keyed request for an act in one conversation.
pub(super) struct Act {
    /// What is done. With the conversation it is what the key stands for: the same key elsewhere is another request.
    pub(super) name: &'static str,
    /// The id of the conversation, as it was asked for.
    pub(super) conversation: String,
    /// The key.
    pub(super) key: String,
    /// The digest of the request.
    pub(super) request: Digest,
}

/// Does `work` in the conversation, once.
pub(super) async fn once_in<F>(
    app: &Arc<App>,
    room: &Arc<Room>,
    act: Act,
    work: impl FnOnce(Arc<Room>, ConversationId) -> F,
) -> Result<Response, Problem>
where
    F: Future<Output = Result<Done, Problem>> + Send + 'static,
{
    let Act { name, conversation, key, request } = act;
    let id = find(room, &conversation).await?.id;
    let route = format!("{name} {id}");
    once(app, room, key, route, request, work(room.clone(), id)).await
}

enum Taken {
    New(Ticket),
    Replay(Done),
}

async fn begin(app: &App, room: &Room, key: String, route: String, request: Digest) -> Result<Option<Taken>, Problem> {
    let began = app.now();
    loop {
        match room.vault.begin(key.clone(), route.clone(), request.bytes(), app.now()).await? {
            Begun::New(ticket) => return Ok(Some(Taken::New(ticket))),
            Begun::Replay { status, body } => {
                let status = StatusCode::from_u16(status).map_err(Problem::internal)?;
                return Ok(Some(Taken::Replay(Done { status, body })));
            }
            Begun::KeyReused => return Err(key_reused()),
            Begun::Working if app.now().since(began) > PATIENCE.as_millis() as u64 => return Ok(None),
            Begun::Working => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// The key was used for something else.
pub(super) fn key_reused() -> Problem {
    Problem::new(Code::KeyReused, "This key was used for another request. Make a new key for a new request.")
}

/// A refusal changed nothing, so the key is free again.
async fn settle(room: &Room, ticket: Ticket, result: Result<Done, Problem>) -> Result<Response, Problem> {
    match result {
        Ok(done) => {
            room.vault.finish(ticket, done.status.as_u16(), done.body.clone()).await?;
            Ok(done.response(false))
        }
        Err(problem) => {
            room.vault.abandon(ticket).await?;
            Err(problem)
        }
    }
}

/// Runs work to its end, whether or not anybody still waits for it.
pub(super) async fn finished<T: Send + 'static>(
    work: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<T, Problem> {
    tokio::spawn(work).await.map_err(Problem::internal)?
}
