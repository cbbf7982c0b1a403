//! What a worker counted, as counts of the parts of a prompt. A worker whose parts do not add up to the whole, or are not
//! those of the prompt, is believed in the whole alone.

use domain::context::{Item, Prompt};
use domain::plan::Counts;

use crate::protocol::message::Counted;
use crate::segments::Parts;

/// The counts of a prompt.
pub(super) fn of(prompt: &Prompt, counted: Counted) -> Counts {
    let Counted { total, parts, cached } = counted;
    let turns = prompt.turns().len();
    let believed = parts.filter(|parts| parts.total() == total && parts.turns.len() == turns);
    let counts = believed.map_or_else(|| Counts::shared_out(prompt, total), |parts| by_parts(prompt, parts));
    Counts { cached: Some(cached.min(total)), ..counts }
}

fn by_parts(prompt: &Prompt, parts: Parts) -> Counts {
    let Parts { system, tools, summary, turns, mut around } = parts;
    let mut items = Vec::with_capacity(prompt.items.len());
    match prompt.items.first().map(AsRef::as_ref) {
        Some(Item::Summary { .. }) => items.push(summary),
        Some(Item::Person { .. } | Item::Model { .. } | Item::Result { .. }) | None => around += summary,
    }
    items.extend(turns);
    Counts { system, tools, items, around, ..Counts::default() }
}
