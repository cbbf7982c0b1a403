//! What every answer passes: its id, the security headers (PEOPLE-17), and problems written down.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::files;
use crate::problem::{Code, Problem};
use crate::state::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// No other host, no inline script or style, no frames; scripts may write into the page only through trusted types.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; \
    img-src 'self' blob:; media-src 'self' blob:; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; \
    base-uri 'none'; object-src 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types lit-html";

const ALWAYS: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), payment=(), usb=()"),
];

/// The outermost layer.
pub async fn dress(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let id = request_id(&app, request.headers());
    let is_api = request.uri().path().starts_with("/api");
    let answer = next.run(request).await;
    let mut answer = written_down(told_why(&app, answer), &id, is_api);
    let headers = answer.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    answer
}

/// A server that fails on a full disk says so: nothing else would help the person.
fn told_why(app: &App, answer: Response) -> Response {
    let failed = answer.extensions().get::<Problem>().is_some_and(|problem| problem.code() == Code::Internal);
    if failed && files::is_full(&app.config.data) {
        let says = "The disk of the server is full. Nothing was changed; make room on it and try again.";
        return Problem::new(Code::NoSpace, says).into_response();
    }
    answer
}

/// A caller may name its request, so that it finds it again; anything unusual gets a name of ours.
fn request_id(app: &App, headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let fits =
        |text: &&str| (8..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    given.filter(fits).map_or_else(|| app.wiring.clock.new_id(), str::to_owned)
}

fn written_down(answer: Response, id: &str, is_api: bool) -> Response {
    if let Some(problem) = answer.extensions().get::<Problem>() {
        let mut rendered = problem.render(id);
        // A refusal may still take a cookie away.
        if let Some(cookie) = answer.headers().get(header::SET_COOKIE) {
            rendered.headers_mut().insert(header::SET_COOKIE, cookie.clone());
        }
        return rendered;
    }
    let plain_error = answer.status().is_client_error() || answer.status().is_server_error();
    if is_api && plain_error && !answer.headers().contains_key(header::CONTENT_TYPE)
        || is_plain_text_error(&answer, is_api)
    {
        return stand_in(answer.status()).render(id);
    }
    answer
}

/// The framework words some refusals itself, in plain text.
fn is_plain_text_error(answer: &Response, is_api: bool) -> bool {
    let text =
        answer.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"));
    is_api && text && (answer.status().is_client_error() || answer.status().is_server_error())
}

fn stand_in(status: axum::http::StatusCode) -> Problem {
    match status.as_u16() {
        413 => Problem::new(Code::TooLarge, "The request is larger than this route takes. Send less at once."),
        405 => Problem::new(Code::MethodNotAllowed, "This address does not know that method."),
        404 => Problem::not_found(),
        400..=499 => Problem::new(Code::Invalid, "The request is not understood. Check it against the documentation."),
        _ => Problem::new(Code::Internal, "The server could not do that. Try again."),
    }
}
