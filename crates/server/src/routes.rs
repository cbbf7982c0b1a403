//! Every route there is, as one table. The router is built from it and from nothing else, so what has no row does not
//! exist: 401 for those who are signed out, 404 for those who are signed in.

mod agents;
mod answers;
mod choice;
mod commands;
mod conversations;
mod cursor;
mod events;
mod export;
mod files;
mod health;
mod inbox;
mod lines;
mod messages;
mod once;
mod rounds;
mod search;
mod session;
mod setup;
mod usage;

pub use setup::Answers;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, delete, get, patch, post, put};

use crate::guard::rate::Class;
use crate::guard::{self, site};
use crate::problem::{Code, Problem, not_signed_in};
use crate::state::App;
use crate::{assets, headers};

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Public,
    /// Whoever is signed in.
    SignedIn,
    /// Whoever is signed in and has unlocked their vault in this session.
    Unlocked,
    /// Whoever's role holds this capability.
    Capability(&'static str),
    /// Administrators.
    Admin,
}

/// What a request must bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Who may call.
    pub access: Access,
    /// Whether an `Idempotency-Key` is needed.
    pub key: bool,
    /// The most bytes of a body.
    pub body: usize,
    /// How often a person may call.
    pub rate: Class,
    /// Whether the connection becomes a stream: the origin is checked although nothing changes.
    pub upgrade: bool,
}

/// One row.
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with `{names}` for its variable parts.
    pub path: &'static str,
    /// What a request must bring.
    pub rules: Rules,
    handler: MethodRouter<Arc<App>>,
}

/// The longest JSON body (UI-8).
const BODY: usize = 1024 * 1024;

impl Route {
    fn new(method: Method, path: &'static str, access: Access, handler: MethodRouter<Arc<App>>) -> Self {
        let rate = if method == Method::GET { Class::Read } else { Class::Write };
        Self { method, path, rules: Rules { access, key: false, body: BODY, rate, upgrade: false }, handler }
    }

    /// Who may call.
    pub fn access(&self) -> Access {
        self.rules.access
    }

    fn key(mut self) -> Self {
        self.rules.key = true;
        self
    }

    fn body(mut self, bytes: usize) -> Self {
        self.rules.body = bytes;
        self
    }

    fn rate(mut self, class: Class) -> Self {
        self.rules.rate = class;
        self
    }

    fn upgrade(mut self) -> Self {
        self.rules.upgrade = true;
        self
    }
}

/// The table.
pub fn routes() -> Vec<Route> {
    use Access::{Public, SignedIn, Unlocked};
    const SMALL: usize = 16 * 1024;
    let row = Route::new;
    vec![
        row(Method::GET, "/healthz", Public, get(health::alive)),
        row(Method::GET, "/readyz", Public, get(health::ready)),
        row(Method::GET, "/api/v1/setup", Public, get(setup::status)),
        row(Method::POST, "/api/v1/setup", Public, post(setup::set_up)).body(SMALL),
        row(Method::POST, "/api/v1/sessions", Public, post(session::sign_in)).body(SMALL),
        row(Method::GET, "/api/v1/session", SignedIn, get(session::show)),
        row(Method::POST, "/api/v1/session/unlock", SignedIn, post(session::unlock)).body(SMALL),
        row(Method::POST, "/api/v1/session/lock", SignedIn, post(session::lock)).body(SMALL),
        row(Method::DELETE, "/api/v1/session", SignedIn, delete(session::sign_out)).body(SMALL),
        row(Method::GET, "/api/v1/conversations", Unlocked, get(conversations::list)),
        row(Method::POST, "/api/v1/conversations", Unlocked, post(conversations::create)).key().body(SMALL),
        row(Method::GET, "/api/v1/conversations/{id}", Unlocked, get(conversations::show)),
        row(Method::PATCH, "/api/v1/conversations/{id}", Unlocked, patch(conversations::change)).body(SMALL),
        row(Method::GET, "/api/v1/conversations/{id}/entries", Unlocked, get(conversations::entries)),
        row(Method::GET, "/api/v1/conversations/{id}/export", Unlocked, get(export::show)),
        row(Method::POST, "/api/v1/conversations/{id}/messages", Unlocked, post(messages::say)).key(),
        row(Method::DELETE, "/api/v1/conversations/{id}/messages/{message}", Unlocked, delete(messages::withdraw)),
        row(Method::POST, "/api/v1/conversations/{id}/stop", Unlocked, post(messages::stop)).key().body(SMALL),
        row(Method::GET, "/api/v1/conversations/{id}/lines", Unlocked, get(lines::list)),
        row(Method::POST, "/api/v1/conversations/{id}/lines", Unlocked, post(lines::branch)).key().body(SMALL),
        row(Method::GET, "/api/v1/conversations/{id}/lines/preview", Unlocked, get(lines::preview)),
        row(Method::POST, "/api/v1/conversations/{id}/line", Unlocked, post(lines::switch)).key().body(SMALL),
        row(Method::GET, "/api/v1/conversations/{id}/usage", Unlocked, get(usage::show)),
        row(Method::POST, "/api/v1/conversations/{id}/usage", Unlocked, post(usage::preview)),
        row(Method::GET, "/api/v1/conversations/{id}/rounds", Unlocked, get(rounds::show)),
        row(Method::GET, "/api/v1/conversations/{id}/choice", Unlocked, get(choice::show)),
        row(Method::PATCH, "/api/v1/conversations/{id}/choice", Unlocked, patch(choice::change)).body(SMALL),
        row(Method::GET, "/api/v1/choice", Unlocked, get(choice::show_usual)),
        row(Method::PATCH, "/api/v1/choice", Unlocked, patch(choice::change_usual)).body(SMALL),
        row(Method::GET, "/api/v1/models", SignedIn, get(choice::models)),
        row(Method::GET, "/api/v1/agents", Unlocked, get(agents::list)),
        row(Method::GET, "/api/v1/agents/{scope}/{name}", Unlocked, get(agents::show)),
        row(Method::PUT, "/api/v1/agents/{scope}/{name}", Unlocked, put(agents::write)),
        row(Method::DELETE, "/api/v1/agents/{scope}/{name}", Unlocked, delete(agents::remove)).body(SMALL),
        row(Method::GET, "/api/v1/commands", Unlocked, get(agents::list_commands)),
        row(Method::GET, "/api/v1/commands/{scope}/{name}", Unlocked, get(agents::show_command)),
        row(Method::PUT, "/api/v1/commands/{scope}/{name}", Unlocked, put(agents::write_command)),
        row(Method::DELETE, "/api/v1/commands/{scope}/{name}", Unlocked, delete(agents::remove_command)).body(SMALL),
        row(Method::GET, "/api/v1/search", Unlocked, get(search::show)).rate(Class::Search),
        row(Method::GET, "/api/v1/inbox", Unlocked, get(inbox::list)),
        row(Method::POST, "/api/v1/inbox/{id}/answer", Unlocked, post(answers::answer)).key(),
        row(Method::GET, "/api/v1/files", Unlocked, get(files::list)),
        row(Method::GET, "/api/v1/files/content", Unlocked, get(files::content)),
        row(Method::GET, "/api/v1/events", Unlocked, get(events::open)).upgrade(),
    ]
}

/// The router over the table, with everything that all answers pass.
pub fn router(app: Arc<App>) -> Router {
    let mut router = Router::new();
    for route in routes() {
        let guarded = route.handler.route_layer(from_fn_with_state((app.clone(), route.rules), guard::check));
        router = router.route(route.path, guarded.layer(DefaultBodyLimit::max(route.rules.body)));
    }
    router
        .fallback(without_row)
        .method_not_allowed_fallback(without_row)
        .layer(from_fn_with_state(app.clone(), site::check_host))
        .layer(from_fn_with_state(app.clone(), headers::dress))
        .with_state(app)
}

/// What has no row: the pages, or nothing. Who is signed out learns nothing of which addresses exist.
async fn without_row(State(app): State<Arc<App>>, request: Request) -> Response {
    let path = request.uri().path();
    if path != "/api" && !path.starts_with("/api/") {
        return outside_api(&request);
    }
    let peer = guard::peer(&request);
    match guard::signed_in(&app, request.headers(), peer).await {
        Ok(Some(_)) => Problem::not_found().into_response(),
        Ok(None) => not_signed_in().into_response(),
        Err(problem) => problem.into_response(),
    }
}

fn outside_api(request: &Request) -> Response {
    let answer = assets::serve(request.method(), request.uri(), request.headers());
    match answer.status() {
        StatusCode::METHOD_NOT_ALLOWED => {
            Problem::new(Code::MethodNotAllowed, "This address does not know that method.").into_response()
        }
        StatusCode::NOT_FOUND => Problem::not_found().into_response(),
        _ => answer,
    }
}
