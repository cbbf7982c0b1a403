//! Who answers by what is wished, and that a wish for strength never goes further than the conversation may.

use proptest::prelude::*;

use super::super::{Layers, Named, Wishes, resolve};
use super::*;

fn offer(name: &str, tier: Tier, strength: Option<Strength>) -> Offer {
    Offer { name: name.to_owned(), tier, strength }
}

fn offers() -> Vec<Offer> {
    vec![
        offer("near", Tier::Device, None),
        offer("cellar", Tier::Trusted, Some(Strength::Medium)),
        offer("far", Tier::Any, Some(Strength::Strong)),
    ]
}

fn names(wish: &ModelWish, tier: Tier) -> Vec<String> {
    let offers = offers();
    let LineUp { first, fallbacks } = line_up(&offers, Some(wish), tier);
    std::iter::once(first).chain(fallbacks).map(|place| offers[place].name.clone()).collect()
}

fn fallbacks(names: &[&str]) -> ModelWish {
    let named = |name: &&str| Named { name: (*name).to_owned(), line: 1, column: 1 };
    ModelWish { fallbacks: names.iter().map(named).collect(), ..ModelWish::default() }
}

#[test]
fn a_pinned_model_answers_and_one_that_is_gone_gives_way_to_the_usual_one() {
    assert_eq!(
        names(&ModelWish::pinned("far"), Tier::Device),
        ["far"],
        "its person is told, and not answered by another"
    );
    assert_eq!(names(&ModelWish::pinned("sold"), Tier::Any), ["near"]);
    let wish = ModelWish {
        fallbacks: fallbacks(&["far", "near", "far", "gone", "cellar"]).fallbacks,
        ..ModelWish::pinned("cellar")
    };
    assert_eq!(names(&wish, Tier::Any), ["cellar", "far", "near"]);
}

#[test]
fn strength_is_looked_for_only_as_far_as_the_conversation_may_travel() {
    let wish = |strength| ModelWish { strength: Some(strength), ..ModelWish::default() };
    assert_eq!(names(&wish(Strength::Light), Tier::Any), ["cellar"]);
    assert_eq!(names(&wish(Strength::Strong), Tier::Any), ["far"]);
    assert_eq!(names(&wish(Strength::Strong), Tier::Trusted), ["near"]);
}

#[test]
fn where_the_usual_model_is_too_far_the_first_one_that_is_near_enough_answers() {
    let offers = [offer("far", Tier::Any, None), offer("near", Tier::Device, None)];
    assert_eq!(line_up(&offers, None, Tier::Device), LineUp { first: 1, fallbacks: Vec::new() });
    assert_eq!(line_up(&offers[..1], None, Tier::Device), LineUp { first: 0, fallbacks: Vec::new() });
    assert_eq!(line_up(&offers, None, Tier::Any), LineUp { first: 0, fallbacks: Vec::new() });
}

#[test]
fn a_model_for_one_message_leaves_those_that_stand_in() {
    let wishes = |model: ModelWish| Wishes { model: Some(model), ..Wishes::default() };
    let layers = Layers {
        message: wishes(ModelWish::pinned("far")),
        conversation: wishes(ModelWish::pinned("cellar")),
        instance: wishes(fallbacks(&["near"])),
        ..Layers::default()
    };
    let wish = resolve(&layers).model.unwrap();
    assert_eq!(names(&wish, Tier::Any), ["far", "near"]);
    let layers =
        Layers { profile: wishes(fallbacks(&["far"])), instance: wishes(ModelWish::pinned("cellar")), ..layers };
    let layers = Layers { message: Wishes::default(), conversation: Wishes::default(), ..layers };
    assert_eq!(names(&resolve(&layers).model.unwrap(), Tier::Any), ["cellar", "far"]);
}

proptest! {
    #[test]
    fn whoever_pins_nothing_is_not_answered_from_further_than_allowed(
        tiers in proptest::collection::vec(0_u8..3, 1..6), strength in 0_u8..3, most in 0_u8..3,
    ) {
        let tier = |n| [Tier::Device, Tier::Trusted, Tier::Any][usize::from(n)];
        let offers: Vec<_> = tiers.iter().map(|n| offer("x", tier(*n), Some(Strength::Strong))).collect();
        let strength = [None, Some(Strength::Light), Some(Strength::Strong)][usize::from(strength)];
        let wish = ModelWish { strength, ..ModelWish::default() };
        let first = line_up(&offers, Some(&wish), tier(most)).first;
        let any_near = offers.iter().any(|offer| offer.tier <= tier(most));
        prop_assert!(!any_near || offers[first].tier <= tier(most));
    }
}
