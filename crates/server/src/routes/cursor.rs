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
    parse(app, owner, cursor)
        .ok_or_else(|| Problem::field("/cursor", "This cursor is not one of this list. Begin at the top."))
}

fn parse(app: &App, owner: &str, cursor: &str) -> Option<ListFrom> {
    let (place, signature) = cursor.rsplit_once('.')?;
    if sign(app, owner, place) != signature {
        return None;
    }
    let (changed_at, id) = place.split_once('.')?;
    Some(ListFrom::After { changed_at: Timestamp(changed_at.parse().ok()?), id: ConversationId::new(id) })
}

fn sign(app: &App, owner: &str, place: &str) -> String {
    let mut text = app.cursor_key.to_vec();
    text.extend(Digest::of_bytes(format!("{owner}\n{place}").as_bytes()).hex().bytes());
    // The message has one length, so that nothing can be put behind it.
    Digest::of_bytes(&text).hex()[..32].to_owned()
}
