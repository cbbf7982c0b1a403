//! The first account. The rules are the store's and the domain's; this collects and translates.

use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::account::{DisplayName, Handle, Locale, Password, TypedPassword, Zone};
use store::{Preset, SetupError, SetupInput, SetupTokenFault, VaultKind};

use crate::extract::{Body, Peer};
use crate::problem::{Code, Field, Problem};
use crate::state::App;
use crate::wire::answer::{SetupDone, SetupNeeded};
use crate::wire::form::SetupForm;
use crate::wire::session::PersonView;

impl SetupForm {
    fn answers(self) -> Answers {
        let Self { preset, handle, name, locale, zone, vault, password, .. } = self;
        Answers { preset, handle, name, locale, zone, vault, password }
    }
}

/// What somebody answers at setup, not yet judged.
pub struct Answers {
    /// `home`, `team` or `care`.
    pub preset: String,
    /// For signing in.
    pub handle: String,
    /// For others to see.
    pub name: String,
    /// BCP 47.
    pub locale: String,
    /// IANA.
    pub zone: String,
    /// `private` or `open`.
    pub vault: String,
    /// As typed.
    pub password: String,
}

impl Answers {
    /// Judges all answers, and names every bad one.
    pub fn judge(self) -> Result<SetupInput, Vec<Field>> {
        let mut bad = Vec::new();
        let mut note = |pointer: &str, detail: String| bad.push(Field { pointer: pointer.to_owned(), detail });
        let preset = Preset::parse(&self.preset);
        let vault = VaultKind::parse(&self.vault);
        let handle = Handle::parse(&self.handle).map_err(|fault| note("/handle", fault.to_string())).ok();
        let name = DisplayName::parse(&self.name).map_err(|fault| note("/name", fault.to_string())).ok();
        let locale = Locale::parse(&self.locale).map_err(|fault| note("/locale", fault.to_string())).ok();
        let zone = Zone::parse(&self.zone).map_err(|fault| note("/zone", fault.to_string())).ok();
        if preset.is_none() {
            note("/preset", "A preset is home, team or care.".to_owned());
        }
        if vault.is_none() {
            note("/vault", "A vault is private or open.".to_owned());
        }
        // Whether the password holds the handle can be asked only of a handle.
        let typed = TypedPassword::new(self.password);
        let password = handle.as_ref().and_then(|handle| {
            Password::judge(typed, handle).map_err(|fault| note("/password", fault.to_string())).ok()
        });
        match (preset, handle, name, locale, zone, vault, password) {
            (Some(preset), Some(handle), Some(name), Some(locale), Some(zone), Some(vault), Some(password)) => {
                Ok(SetupInput { preset, handle, name, locale, zone, vault, password })
            }
            _ => Err(bad),
        }
    }
}

/// Whether somebody is needed.
pub(super) async fn status(State(app): State<Arc<App>>) -> Result<Json<SetupNeeded>, Problem> {
    Ok(Json(SetupNeeded { needed: app.instance.needs_setup().await? }))
}

/// Makes the first account.
pub(super) async fn set_up(
    State(app): State<Arc<App>>,
    Peer(peer): Peer,
    Body { value: form, .. }: Body<SetupForm>,
) -> Result<(StatusCode, Json<SetupDone>), Problem> {
    if !app.instance.needs_setup().await? {
        return Err(Problem::not_found());
    }
    if let Err(problem) = check_token(&app, &form.token) {
        // The token goes with the setup, which another request may have finished in between.
        return Err(if app.instance.needs_setup().await? { problem } else { setup_problem(SetupError::Done) });
    }
    let input = form.answers().judge().map_err(bad_fields)?;
    let work = {
        let app = app.clone();
        async move { app.instance.set_up(input, peer.ip(), app.now()).await }
    };
    // A client that hangs up does not leave a setup half done.
    let person = tokio::spawn(work).await.map_err(Problem::internal)?.map_err(setup_problem)?;
    app.setup.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok((StatusCode::CREATED, Json(SetupDone { person: PersonView::from(&person) })))
}

fn check_token(app: &App, token: &str) -> Result<(), Problem> {
    let setup = app.setup.lock().unwrap_or_else(PoisonError::into_inner);
    let checked = setup.as_ref().map_or(Err(SetupTokenFault::Void), |known| known.check(token, app.now()));
    checked.map_err(|fault| match fault {
        SetupTokenFault::Wrong => Problem::new(Code::SetupTokenWrong, fault),
        SetupTokenFault::Void => Problem::new(Code::SetupTokenVoid, fault),
    })
}

fn bad_fields(fields: Vec<Field>) -> Problem {
    let says = fields.first().map_or_else(String::new, |field| field.detail.clone());
    Problem::new(Code::Invalid, says).fields(fields)
}

fn setup_problem(error: SetupError) -> Problem {
    match error {
        SetupError::Done => Problem::new(Code::AlreadySetUp, error),
        SetupError::Busy => Problem::new(Code::Busy, error).retry_after(2),
        SetupError::Store(error) => Problem::from(error),
    }
}
