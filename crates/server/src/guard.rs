//! What a request must bring before its handler sees it: host, origin, session, CSRF token, body form, key, right.
//! It follows the route's row and nothing else; what it found is handed on as typed values (`extract`).

pub mod rate;
pub mod site;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use store::{Session, SessionToken};

use crate::extract::{Admin, Authenticated, Peer, Unlocked};
use crate::problem::{Code, Problem, not_signed_in, vault_locked};
use crate::routes::{Access, Rules};
use crate::state::App;

/// Checks one request against its row.
pub async fn check(State((app, rules)): State<(Arc<App>, Rules)>, mut request: Request, next: Next) -> Response {
    match admit(&app, rules, &mut request).await {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

async fn admit(app: &Arc<App>, rules: Rules, request: &mut Request) -> Result<(), Problem> {
    let peer = peer(request);
    request.extensions_mut().insert(Peer(peer));
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    if changes || rules.upgrade {
        site::check_origin(app, request.headers())?;
    }
    if changes {
        check_body(rules, request.headers())?;
    }
    if rules.access == Access::Public {
        return Ok(());
    }
    let (token, session) = signed_in(app, request.headers(), peer).await?.ok_or_else(not_signed_in)?;
    if changes {
        check_csrf(&token, request.headers())?;
    }
    app.rates.take(session.person.id, rules.rate, app.now())?;
    if rules.key {
        check_key(request.headers())?;
    }
    hand_on(app, rules.access, token, session, request).await
}

/// Puts the right that the row names into the request.
async fn hand_on(
    app: &Arc<App>,
    access: Access,
    token: SessionToken,
    session: Session,
    request: &mut Request,
) -> Result<(), Problem> {
    match access {
        Access::Public | Access::SignedIn => {}
        Access::Unlocked => {
            let vault = app.instance.vault(&session).ok_or_else(vault_locked)?;
            let room = app.room(&session.person, vault).await?;
            room.uses(app.now());
            request.extensions_mut().insert(Unlocked(room));
        }
        Access::Capability(name) => {
            let held = app.instance.capabilities(session.person.id).await?;
            if !held.iter().any(|capability| capability == name) {
                return Err(not_allowed());
            }
        }
        Access::Admin if !session.person.is_admin() => return Err(not_allowed()),
        Access::Admin => {
            request.extensions_mut().insert(Admin(session.person.clone()));
        }
    }
    request.extensions_mut().insert(Authenticated { session, token: Arc::new(token) });
    Ok(())
}

fn not_allowed() -> Problem {
    Problem::new(Code::NotAllowed, "Your role does not allow this. Ask an administrator.")
}

/// The session of a request, if its cookie holds.
pub async fn signed_in(
    app: &App,
    headers: &HeaderMap,
    peer: SocketAddr,
) -> Result<Option<(SessionToken, Session)>, Problem> {
    let Some(token) = app.cookies.session(headers, peer).and_then(SessionToken::parse) else { return Ok(None) };
    let session = app.instance.session(&token, app.now()).await?;
    Ok(session.map(|session| (token, session)))
}

/// The address at the other end. A server that was started without it treats everybody as a stranger.
pub fn peer(request: &Request) -> SocketAddr {
    let found = request.extensions().get::<ConnectInfo<SocketAddr>>();
    found.map_or(SocketAddr::from(([0, 0, 0, 0], 0)), |info| info.0)
}

fn check_csrf(token: &SessionToken, headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers.get("x-riad-csrf").and_then(|value| value.to_str().ok());
    if given.is_some_and(|given| token.csrf_matches(given)) {
        return Ok(());
    }
    Err(Problem::new(
        Code::CsrfWrong,
        "The request does not carry this session's token. Reload the page and try again.",
    ))
}

/// A body declares JSON and its length is within the row's cap.
fn check_body(rules: Rules, headers: &HeaderMap) -> Result<(), Problem> {
    let declared = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if declared.split(';').next().unwrap_or_default().trim() != "application/json" {
        return Err(Problem::new(Code::NotJson, "Send the body as application/json."));
    }
    if length.is_some_and(|length| length > rules.body) {
        return Err(Problem::new(
            Code::TooLarge,
            format!("At most {} bytes fit in this request. Send less.", rules.body),
        ));
    }
    Ok(())
}

fn check_key(headers: &HeaderMap) -> Result<(), Problem> {
    let key = headers.get("idempotency-key").map(axum::http::HeaderValue::as_bytes).unwrap_or_default();
    if (8..=64).contains(&key.len()) && key.iter().all(u8::is_ascii_graphic) {
        return Ok(());
    }
    Err(Problem::new(Code::KeyMissing, "Send an Idempotency-Key of 8 to 64 visible ASCII characters."))
}
