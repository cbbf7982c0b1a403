//! The way into the event stream. Session, vault and origin were checked before: no anonymous socket is ever held.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::Response;

use super::session::name;
use crate::extract::{Authenticated, Unlocked};
use crate::state::App;
use crate::stream;

/// Upgrades to the stream.
pub(super) async fn open(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Authenticated { token, .. }: Authenticated,
    upgrade: WebSocketUpgrade,
) -> Response {
    let session = name(&token);
    let upgrade = upgrade.protocols(["riad.v1"]).max_message_size(64 * 1024).max_frame_size(64 * 1024);
    upgrade.on_upgrade(move |socket| stream::follow(app, room, token, session, socket))
}
