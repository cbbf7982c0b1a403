//! The way into the event stream. Session, vault and origin were checked before: no anonymous socket is ever held.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};

use super::session::name;
use crate::extract::{Authenticated, Unlocked};
use crate::problem::{Code, Problem};
use crate::state::App;
use crate::stream;

/// What is spoken on the stream.
const PROTOCOL: &str = "riad.v1";
/// A frame up to here is read whole before it is refused, so that its sender learns why.
const LONGEST_READ: usize = 64 * 1024;

/// Upgrades to the stream.
pub(super) async fn open(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Authenticated { token, .. }: Authenticated,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !speaks(&headers) {
        let says = format!("This stream speaks {PROTOCOL}. Name it in Sec-WebSocket-Protocol.");
        return Problem::new(Code::WrongProtocol, says).into_response();
    }
    let session = name(&token);
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(LONGEST_READ).max_frame_size(LONGEST_READ);
    upgrade.on_upgrade(move |socket| stream::follow(app, room, token, session, socket))
}

fn speaks(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|name| name.trim() == PROTOCOL)
}
