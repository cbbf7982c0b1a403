//! Which models answer: of those there are, by what is wished of them and by how far the conversation may travel. It opens
//! none and asks none.

use super::{ModelWish, Strength};
use crate::model::Tier;
use crate::setting::MOST_FALLBACKS;

/// A model that could answer, as far as a choice needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The name by which it is chosen.
    pub name: String,
    /// How far what is said to it travels.
    pub tier: Tier,
    /// How capable it is said to be.
    pub strength: Option<Strength>,
}

/// Places in the list of offers: who answers, and who stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineUp {
    /// Who answers.
    pub first: usize,
    /// Who stands in, in order.
    pub fallbacks: Vec<usize>,
}

/// Chooses among offers, of which the first is the usual one. A pinned model is taken also if the conversation may not
/// travel to it, so that its person is told instead of being answered by another one unasked; one that is not there any
/// more is not waited for.
pub fn line_up(offers: &[Offer], wish: Option<&ModelWish>, tier: Tier) -> LineUp {
    let place = |name: &str| offers.iter().position(|offer| offer.name == name);
    let pinned = wish.and_then(|wish| wish.pin.as_ref()).and_then(|pin| place(&pin.name));
    let strong = wish.and_then(|wish| wish.strength).and_then(|least| strong_enough(offers, least, tier));
    let near = || offers.iter().position(|offer| offer.tier <= tier);
    let first = pinned.or(strong).or_else(near).unwrap_or(0);
    let named = wish.into_iter().flat_map(|wish| &wish.fallbacks).filter_map(|named| place(&named.name));
    let mut fallbacks: Vec<usize> = Vec::new();
    for place in named.filter(|place| *place != first) {
        if !fallbacks.contains(&place) && fallbacks.len() < MOST_FALLBACKS {
            fallbacks.push(place);
        }
    }
    LineUp { first, fallbacks }
}

/// The first one that is near enough and at least so capable. What is not known to be capable is not.
fn strong_enough(offers: &[Offer], least: Strength, tier: Tier) -> Option<usize> {
    offers.iter().position(|offer| offer.tier <= tier && offer.strength.is_some_and(|strength| strength >= least))
}

#[cfg(test)]
mod tests;
