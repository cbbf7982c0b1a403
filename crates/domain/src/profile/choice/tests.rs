//! What can be chosen, and who says how far a conversation travels.

use super::*;

fn offers() -> Vec<Offer> {
    [("near", Tier::Device), ("cellar", Tier::Trusted), ("far/large", Tier::Any)]
        .map(|(name, tier)| Offer { name: name.to_owned(), tier, strength: None })
        .into()
}

const HOME: Reach = Reach { person: None, usual: Tier::Device, farthest: Tier::Any };

fn model(name: &str) -> Choice {
    Choice { model: Some(name.to_owned()), ..Choice::default() }
}

fn told(choice: Choice, reach: &Reach) -> String {
    choice.fitted(&Choice::default(), &offers(), reach).unwrap_err().to_string()
}

#[test]
fn a_far_model_is_chosen_only_together_with_the_way_to_it() {
    assert_eq!(
        told(model("far/large"), &HOME),
        "far/large is at a service elsewhere, and what is said here stays on this machine. \
         Let it travel further first, or choose another model."
    );
    let both = Choice { tier: Some(Tier::Any), ..model("far/large") };
    assert_eq!(both.clone().fitted(&Choice::default(), &offers(), &HOME), Ok(both.clone()));
    let nearer = Choice { tier: Some(Tier::Trusted), ..both.clone() };
    let fitted = nearer.fitted(&both, &offers(), &HOME).unwrap();
    assert_eq!(fitted, Choice { tier: Some(Tier::Trusted), ..Choice::default() }, "the model gives way");
}

#[test]
fn nobody_goes_further_than_the_person_and_the_operator_say() {
    let any = Choice { tier: Some(Tier::Any), ..Choice::default() };
    let operator = Reach { farthest: Tier::Trusted, ..HOME };
    assert_eq!(
        told(any.clone(), &operator),
        "what is said here stays on machines that are trusted: that is what the operator allows."
    );
    let person = Reach { person: Some(Tier::Device), ..HOME };
    assert!(told(any, &person).ends_with("that is what you chose for all your conversations."));
    assert_eq!((person.of(Some(Tier::Any)), operator.of(Some(Tier::Any))), (Tier::Device, Tier::Trusted));
    let far = Reach { person: Some(Tier::Any), ..HOME };
    assert_eq!((HOME.of(None), far.of(None), far.of(Some(Tier::Device))), (Tier::Device, Tier::Any, Tier::Device));
}

#[test]
fn a_model_that_is_not_there_is_told_with_its_nearest_and_one_that_is_gone_gives_way() {
    assert_eq!(told(model("cella"), &HOME), "There is no model cella here. Near are cellar, near, far/large.");
    let gone = model("sold");
    assert_eq!(gone.clone().fitted(&gone, &offers(), &HOME), Ok(Choice::default()));
    assert!(for_one_message("far/large", &offers(), Tier::Trusted).is_err());
    assert_eq!(for_one_message("cellar", &offers(), Tier::Trusted), Ok(()));
}

#[test]
fn a_part_of_a_name_means_the_only_model_that_has_it() {
    let offers = offers();
    assert_eq!(meant("LARGE", &offers).unwrap().name, "far/large");
    assert_eq!(meant("ar", &offers), None, "all of them have it");
    assert_eq!(meant("near", &offers).unwrap().name, "near");
}
