//! The person's files, read only. Opened beneath the home folder by the tools' own resolver, never by joining paths.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::Query;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use domain::facts::Root;
use domain::place::Place;
use serde::Deserialize;
use tools::files::beneath::{Beneath, Fault, Found, Spot};

use crate::etag;
use crate::extract::Unlocked;
use crate::problem::{Code, Problem};
use crate::room::Room;
use crate::wire::file::{FileEntry, Listing};

/// Bytes of a file that are shown at once (16 MiB).
const MOST_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Deserialize)]
pub(super) struct PathQuery {
    #[serde(default = "home")]
    path: String,
}

fn home() -> String {
    "~/".to_owned()
}

/// A folder's entries.
pub(super) async fn list(Unlocked(room): Unlocked, Query(query): Query<PathQuery>) -> Result<Json<Listing>, Problem> {
    let path = query.path.clone();
    let entries = on_disk(&room, &query.path, |home, spot| {
        let (items, _) = home.list(spot)?;
        Ok(items.into_iter().map(FileEntry::from).collect())
    })
    .await?;
    Ok(Json(Listing { path, entries }))
}

/// A file's bytes: text to be read here, everything else to be saved.
pub(super) async fn content(
    Unlocked(room): Unlocked,
    Query(query): Query<PathQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let bytes = on_disk(&room, &query.path, |home, spot| home.read(spot, MOST_BYTES)).await?;
    let tag = etag::of(&bytes);
    let known = etag::is_known(&headers, &tag);
    let (kind, place) = match std::str::from_utf8(&bytes) {
        Ok(_) => ("text/plain; charset=utf-8", "inline"),
        Err(_) => ("application/octet-stream", "attachment"),
    };
    let mut response = if known { StatusCode::NOT_MODIFIED.into_response() } else { Body::from(bytes).into_response() };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    out.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(place));
    out.insert(header::ETAG, etag::value(&tag));
    Ok(response)
}

/// Looks at a place of the home on a thread that may wait for the disk.
async fn on_disk<T: Send + 'static>(
    room: &Room,
    path: &str,
    work: impl FnOnce(&Beneath, &Spot) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Problem> {
    let place = Place::read(path).map_err(|fault| Problem::field("/path", fault))?;
    if place.root != Root::Home {
        return Err(Problem::field("/path", "Only the home, written ~/…, is shown here."));
    }
    let home = Arc::clone(room.places.home());
    let looked = tokio::task::spawn_blocking(move || {
        let spot = home.find(&place.parts)?;
        match spot.found {
            Found::Absent { .. } => Err(Fault::Absent),
            Found::File(_) | Found::Folder(_) => work(&home, &spot),
        }
    });
    looked.await.map_err(Problem::internal)?.map_err(file_problem)
}

fn file_problem(fault: Fault) -> Problem {
    if matches!(fault, Fault::Absent) { Problem::not_found() } else { Problem::new(Code::Invalid, fault) }
}
