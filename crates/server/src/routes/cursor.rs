//! Opaque places in a list. They are signed, so that an altered or foreign one is refused (UI-7).

use domain::digest::Digest;
use domain::id::ConversationId;
use domain::time::Timestamp;
use store::{ConversationSummary, ListFrom};

use crate::problem::Problem;
use crate::state::App;

/// The cursor behind this line of one person's list.
pub(super) fn after(app: &App, owner: &str, last: &ConversationSummary) -> String {
    let place = format!("{}.{}", last.changed_at.0, last.id);
    let signature = sign(app, owner, &place);
    format!("{place}.{signature}")
}

/// Where a cursor points.
pub(super) fn read(app: &App, owner: &str, cursor: Option<&str>) -> Result<ListFrom, Problem> {
    let Some(cursor) = cursor else { return Ok(ListFrom::Top) };
    parse(app, owner, cursor).ok_or_else(foreign)
}

fn parse(app: &App, owner: &str, cursor: &str) -> Option<ListFrom> {
    let (changed_at, id) = signed(app, owner, cursor)?.split_once('.')?;
    Some(ListFrom::After { changed_at: Timestamp(changed_at.parse().ok()?), id: ConversationId::new(id) })
}

/// The cursor behind this `seq` of one person's list.
pub(super) fn after_seq(app: &App, owner: &str, seq: u64) -> String {
    let place = seq.to_string();
    let signature = sign(app, owner, &place);
    format!("{place}.{signature}")
}

/// The `seq` behind which a page goes on; none at the top.
pub(super) fn read_seq(app: &App, owner: &str, cursor: Option<&str>) -> Result<Option<u64>, Problem> {
    let Some(cursor) = cursor else { return Ok(None) };
    signed(app, owner, cursor).and_then(|place| place.parse().ok()).map(Some).ok_or_else(foreign)
}

/// The place in a cursor, if it is one that was given out for this list.
fn signed<'a>(app: &App, owner: &str, cursor: &'a str) -> Option<&'a str> {
    let (place, signature) = cursor.rsplit_once('.')?;
    (sign(app, owner, place) == signature).then_some(place)
}

fn foreign() -> Problem {
    Problem::field("/cursor", "This cursor is not one of this list. Begin at the top.")
}

fn sign(app: &App, owner: &str, place: &str) -> String {
    let mut text = app.cursor_key.to_vec();
    text.extend(Digest::of_bytes(format!("{owner}\n{place}").as_bytes()).hex().bytes());
    // The message has one length, so that nothing can be put behind it.
    Digest::of_bytes(&text).hex()[..32].to_owned()
}
