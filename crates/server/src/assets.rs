//! The web files inside the program. Not here: any file of the data folder.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};

use crate::etag;

/// Name and bytes of each built file, from `build.rs`.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// What is shown when the program was built without the web files.
const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Riad</title>\
    <h1>The web files were not built</h1><p>This program was built without its pages. Run <code>./scripts/up</code>, \
    which builds them, or use <code>riad chat</code> in a terminal.</p></html>";

/// Whether the pages are inside.
pub fn are_built() -> bool {
    !FILES.is_empty()
}

/// A file, or the application's page for every address without a dot: the page finds its way itself.
pub fn serve(method: &Method, uri: &Uri, headers: &HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = uri.path().trim_start_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    match find(path) {
        Some(bytes) => file(path, bytes, headers),
        None if last.contains('.') => StatusCode::NOT_FOUND.into_response(),
        None => page(headers),
    }
}

fn page(headers: &HeaderMap) -> Response {
    match find("index.html") {
        Some(bytes) => file("index.html", bytes, headers),
        None => ([(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")], NOT_BUILT)
            .into_response(),
    }
}

fn find(path: &str) -> Option<&'static [u8]> {
    let index = FILES.binary_search_by(|(name, _)| (*name).cmp(path)).ok()?;
    Some(FILES[index].1)
}

fn file(path: &str, bytes: &'static [u8], headers: &HeaderMap) -> Response {
    let tag = etag::of(bytes);
    let known = etag::is_known(headers, &tag);
    let squeezed = accepts_brotli(headers).then(|| find(&format!("{path}.br"))).flatten();
    let mut response = match (known, squeezed) {
        (true, _) => StatusCode::NOT_MODIFIED.into_response(),
        (false, Some(squeezed)) => ([(header::CONTENT_ENCODING, "br")], squeezed).into_response(),
        (false, None) => bytes.into_response(),
    };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(path)));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept(path)));
    out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    out.insert(header::ETAG, etag::value(&tag));
    response
}

fn accepts_brotli(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|coding| coding.split(';').next().unwrap_or_default().trim() == "br")
}

/// Files under `assets/` carry a hash in their name and never change.
fn kept(path: &str) -> &'static str {
    if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
