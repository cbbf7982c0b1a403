//! Which names this server answers to and from which pages requests may come (PEOPLE-14 to 16).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::problem::{Code, Problem};
use crate::state::App;

/// Refuses requests for another host: a foreign name that points here must reach nothing.
pub async fn check_host(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let named = request.headers().get(header::HOST).and_then(|value| value.to_str().ok());
    let named = named.or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    if named.is_some_and(|named| hosts(app.address.port()).any(|host| host.eq_ignore_ascii_case(named))) {
        return next.run(request).await;
    }
    let says = format!("This server does not answer to that name. Open http://{}.", app.address);
    Problem::new(Code::WrongHost, says).into_response()
}

/// Refuses requests of other sites' pages, and those that do not say where they come from.
pub fn check_origin(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let origin = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok());
    let host = origin.and_then(|origin| origin.strip_prefix("http://"));
    if host.is_some_and(|host| hosts(app.address.port()).any(|known| known == host)) {
        return Ok(());
    }
    Err(Problem::new(Code::ForeignOrigin, "The request does not come from a page of this server. Open it directly."))
}

/// The names of a plain loopback listener, each with its port. Browsers leave out port 80, which is the one of `http`.
fn hosts(port: u16) -> impl Iterator<Item = String> {
    let bare = NAMES.iter().filter(move |_| port == 80).map(|name| (*name).to_owned());
    NAMES.iter().map(move |name| format!("{name}:{port}")).chain(bare)
}

const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

#[cfg(test)]
mod tests {
    use super::hosts;

    #[test]
    fn port_80_is_left_out_by_browsers_and_no_other_port_is() {
        for name in ["127.0.0.1", "localhost", "[::1]"] {
            assert!(hosts(80).any(|host| host == name) && hosts(80).any(|host| host == format!("{name}:80")));
            assert!(!hosts(7423).any(|host| host == name) && hosts(7423).any(|host| host == format!("{name}:7423")));
        }
        assert!(!hosts(80).any(|host| host == "evil.example"));
    }
}
