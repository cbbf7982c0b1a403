//! Signing in and out, locking and unlocking.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use domain::account::TypedPassword;
use domain::digest::Digest;
use store::{Person, PersonId, SessionToken, SignIn, SignInError, SignedIn, Unlock, VaultFault};

use super::once::finished;
use crate::extract::{Authenticated, Body, Peer};
use crate::problem::{Code, Problem};
use crate::room::Room;
use crate::state::{App, NoRoom};
use crate::stream::Ending;
use crate::wire::form::{SignInForm, UnlockForm};
use crate::wire::session::SessionView;

/// The name by which the streams of a session are known; it does not give the token away.
pub(super) fn name(token: &SessionToken) -> String {
    Digest::of_bytes(token.expose().as_bytes()).hex()
}

/// Signs in and opens the vault.
pub(super) async fn sign_in(
    State(app): State<Arc<App>>,
    Peer(peer): Peer,
    headers: HeaderMap,
    Body { value: form, .. }: Body<SignInForm>,
) -> Result<Response, Problem> {
    let cookie = |text: Option<&str>| text.map(str::to_owned);
    let (device, before) = (cookie(app.cookies.device(&headers, peer)), cookie(app.cookies.session(&headers, peer)));
    let replaces = before.as_deref().and_then(SessionToken::parse);
    let former = replaces.as_ref().map(name);
    let form = SignIn {
        handle: form.handle,
        password: TypedPassword::new(form.password),
        address: peer.ip(),
        device: device.as_deref().and_then(store::DeviceToken::parse),
        device_name: device_name(&headers),
        lasting: form.keep,
        replaces,
    };
    let lasting = form.lasting;
    let work = {
        let app = app.clone();
        async move {
            let signed = app.instance.sign_in(form, app.now()).await?;
            end_former(&app, signed.replaced, former.as_deref());
            Ok(signed)
        }
    };
    let signed = tokio::spawn(work).await.map_err(Problem::internal)?;
    let SignedIn { token, device, person, vault, .. } =
        signed.map_err(|error| sign_in_problem(error, Code::SignInWrong))?;
    let open = match vault {
        Ok(vault) => is_open(app.room(&person, vault).await)?,
        Err(fault) => {
            tracing::warn!(%fault, "a vault stays shut");
            false
        }
    };
    let mut cookies = vec![(header::SET_COOKIE, app.cookies.set_session(&token.expose(), lasting))];
    cookies.extend(device.map(|device| (header::SET_COOKIE, app.cookies.set_device(&device.expose()))));
    Ok((StatusCode::CREATED, AppendHeaders(cookies), Json(view(&app, &person, open, &token))).into_response())
}

/// The streams of the session that this browser held end at once, whoever's it was (PEOPLE-12).
fn end_former(app: &App, person: Option<PersonId>, session: Option<&str>) {
    let room = person.and_then(|person| app.open_room(person));
    if let (Some(room), Some(session)) = (room, session) {
        room.hub.end_session(session);
    }
}

/// Somebody may lock the vault in the middle of a sign-in, which is none the less one.
fn is_open(room: Result<Arc<Room>, NoRoom>) -> Result<bool, NoRoom> {
    match room {
        Ok(_) => Ok(true),
        Err(NoRoom::Closed) => Ok(false),
        Err(fault @ NoRoom::Folders(_)) => Err(fault),
    }
}

fn device_name(headers: &HeaderMap) -> String {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or("unknown");
    agent.chars().take(120).collect()
}

fn view(app: &App, person: &Person, open: bool, token: &SessionToken) -> SessionView {
    SessionView::new(person, open, token.csrf(), app.wiring.models.views(&app.wiring.rests.at(app.now())))
}

/// Who is signed in.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Authenticated { session, token }: Authenticated,
) -> Json<SessionView> {
    let open = app.instance.vault(&session).is_some();
    Json(view(&app, &session.person, open, &token))
}

/// Opens the vault with its password; the session gets a new token.
pub(super) async fn unlock(
    State(app): State<Arc<App>>,
    Peer(peer): Peer,
    Authenticated { session, token: before }: Authenticated,
    Body { value: form, .. }: Body<UnlockForm>,
) -> Result<Response, Problem> {
    let lasting = session.is_lasting();
    let form =
        Unlock { password: TypedPassword::new(form.password), address: peer.ip(), accept_older: form.accept_older };
    let person = session.person.clone();
    let work = {
        let app = app.clone();
        async move { app.instance.unlock(&session, form, app.now()).await }
    };
    let unlocked = tokio::spawn(work).await.map_err(Problem::internal)?;
    let unlocked = unlocked.map_err(|error| sign_in_problem(error, Code::PasswordWrong))?;
    let room = app.room(&person, unlocked.vault).await?;
    room.hub.end_session(&name(&before));
    let cookie = AppendHeaders([(header::SET_COOKIE, app.cookies.set_session(&unlocked.token.expose(), lasting))]);
    Ok((cookie, Json(view(&app, &person, true, &unlocked.token))).into_response())
}

/// Closes the vault for everybody; what runs goes on at the next unlock.
pub(super) async fn lock(
    State(app): State<Arc<App>>,
    Authenticated { session, .. }: Authenticated,
) -> Result<StatusCode, Problem> {
    let work = async move {
        app.lock(session.person.id, Ending::Locked).await;
        Ok(StatusCode::NO_CONTENT)
    };
    // A lock that breaks off must not look like one that is done.
    finished(work).await
}

/// Ends the session and its streams.
pub(super) async fn sign_out(
    State(app): State<Arc<App>>,
    Authenticated { session, token }: Authenticated,
) -> Result<Response, Problem> {
    let room = app.open_room(session.person.id);
    app.instance.sign_out(session).await?;
    if let Some(room) = room {
        room.hub.end_session(&name(&token));
    }
    let cookie = AppendHeaders([(header::SET_COOKIE, app.cookies.clear_session())]);
    Ok((StatusCode::NO_CONTENT, cookie).into_response())
}

fn sign_in_problem(error: SignInError, wrong: Code) -> Problem {
    match error {
        SignInError::Wrong if wrong == Code::PasswordWrong => {
            Problem::new(wrong, "The password is wrong. Check it and try again.")
        }
        SignInError::Wrong => Problem::new(wrong, error),
        SignInError::Throttled { retry_after } => {
            let seconds = retry_after.as_secs().max(1);
            let says = format!("Too many tries. Wait {} and try again.", in_words(seconds));
            Problem::new(Code::Throttled, says).retry_after(seconds)
        }
        SignInError::Busy => Problem::new(Code::Busy, error).retry_after(2),
        SignInError::Vault(fault @ VaultFault::Older) => Problem::new(Code::VaultFault, fault).older(),
        SignInError::Vault(fault) => Problem::new(Code::VaultFault, fault),
        SignInError::Store(error) => Problem::from(error),
    }
}

fn in_words(seconds: u64) -> String {
    match seconds {
        0..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    }
}
