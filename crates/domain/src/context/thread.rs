//! A run of items with their places, and the two folds that can be made of it. It holds what a model reads; the entries
//! keep the originals.

use std::sync::Arc;

use super::{Item, Part, Place, view};
use crate::compact::{Cut, Demotion};
use crate::id::TurnId;

/// Items and where each stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Thread {
    items: Vec<Arc<Item>>,
    places: Vec<Place>,
}

impl Thread {
    /// The items, oldest first.
    pub fn items(&self) -> &[Arc<Item>] {
        &self.items
    }

    /// Their places, in the same order.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Whether a turn has items here.
    pub fn holds(&self, turn: &TurnId) -> bool {
        self.start_of(turn).is_some()
    }

    pub(crate) fn push(&mut self, place: Place, item: Item) {
        self.items.push(Arc::new(item));
        self.places.push(place);
    }

    /// A reply that went on with the one before it is one with it, since its model wrote both as one. It stands where it
    /// ends, so that no cut parts it from the results of its calls.
    pub(crate) fn go_on(&mut self, place: Place, reply: Item) {
        if let Some(Item::Model { text, calls, signed }) = self.items.last().map(AsRef::as_ref)
            && calls.is_empty()
            && let Item::Model { text: more, calls: made, .. } = &reply
        {
            let one = Item::Model { text: format!("{text}{more}"), calls: made.clone(), signed: signed.clone() };
            self.items.pop();
            self.places.pop();
            return self.push(place, one);
        }
        self.push(place, reply);
    }

    pub(crate) fn append(&mut self, mut later: Self) {
        self.items.append(&mut later.items);
        self.places.append(&mut later.places);
    }

    /// Both runs, one after the other.
    pub(crate) fn followed_by(&self, later: &Self) -> Self {
        let mut both = self.clone();
        both.items.extend(later.items.iter().cloned());
        both.places.extend(later.places.iter().cloned());
        both
    }

    /// Shortens the results and messages that a demotion names. Others, and what is short already, stay.
    pub(crate) fn demote(&mut self, demotion: &Demotion) {
        for (item, place) in self.items.iter_mut().zip(&mut self.places) {
            if place.short || !demotion.names(&place.part) {
                continue;
            }
            place.short = true;
            if let Some(short) = shortened(item, &place.part, demotion.message_tokens) {
                *item = Arc::new(short);
            }
        }
    }

    /// Takes away what stands before the cut, and says what that was. Messages of the turn that is cut stay.
    pub(crate) fn cut(&mut self, cut: &Cut) -> Self {
        let Some(start) = self.start_of(&cut.turn) else { return Self::default() };
        let (mut gone, mut kept) = (Self::default(), Self::default());
        let items = std::mem::take(&mut self.items).into_iter().zip(std::mem::take(&mut self.places));
        for (index, (item, place)) in items.enumerate() {
            let goes = index < start || cut.takes(&place);
            let side = if goes { &mut gone } else { &mut kept };
            side.items.push(item);
            side.places.push(place);
        }
        *self = kept;
        gone
    }

    /// The first item of a turn. A summary belongs to none.
    fn start_of(&self, turn: &TurnId) -> Option<usize> {
        self.places.iter().position(|place| place.turn == *turn && place.part != Part::Summary)
    }

    /// Puts the summary before everything else.
    pub(crate) fn begin_with(&mut self, summary: String) {
        self.items.insert(0, Arc::new(Item::Summary { text: summary }));
        self.places.insert(0, Place::new(TurnId::new(""), 0, Part::Summary));
    }
}

/// The short form of an item; `None` if it would not be shorter.
fn shortened(item: &Item, part: &Part, message_tokens: u32) -> Option<Item> {
    match (item, part) {
        (Item::Result { call, tool, text }, _) => {
            let line = view::line(text, call.as_str());
            (line.len() < text.len()).then(|| Item::Result { call: call.clone(), tool: tool.clone(), text: line })
        }
        (Item::Person { text, aside }, Part::Message(message)) => {
            let text = view::excerpt(text, message_tokens, message.as_str())?;
            Some(Item::Person { text, aside: aside.clone() })
        }
        (Item::Person { .. } | Item::Model { .. } | Item::Summary { .. }, _) => None,
    }
}

#[cfg(test)]
mod tests;
