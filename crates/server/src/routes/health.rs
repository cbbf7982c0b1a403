//! Whether the server lives and is ready. Tells no version and needs no session (OPS-33).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::extract::Peer;
use crate::state::App;

/// The runtime answers.
pub(super) async fn alive() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// Everything that can start has started; who asks from this machine hears what is off.
pub(super) async fn ready(State(app): State<Arc<App>>, Peer(peer): Peer) -> (StatusCode, Json<Value>) {
    let stages = app.stages();
    let goes_on = stages.ready && !app.closing.is_cancelled();
    let (status, word) =
        if goes_on { (StatusCode::OK, "ready") } else { (StatusCode::SERVICE_UNAVAILABLE, "not_ready") };
    let degraded = if peer.ip().is_loopback() { stages.degraded } else { Vec::new() };
    (status, Json(json!({ "status": word, "degraded": degraded })))
}
