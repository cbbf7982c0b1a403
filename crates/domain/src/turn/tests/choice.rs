//! Which model is asked next, and after how long.

use std::sync::Arc;

use super::Log;
use crate::effect::Effect;
use crate::entry::{Body, Held};
use crate::id::MessageId;
use crate::message::{Message, Wanted};
use crate::model::{Faltered, ModelDescription, SampleFault, Tier};
use crate::outcome::Outcome;
use crate::result::Status;
use crate::tool::EffectClass;

/// A log whose model `m` can be stood in for by these models, each with its tier.
fn log(fallbacks: &[(&str, Tier)]) -> Log {
    let mut log = Log::new();
    let own = (*log.setting.model).clone();
    let other = |(name, tier): &(&str, Tier)| ModelDescription { name: (*name).to_owned(), tier: *tier, ..own.clone() };
    log.setting.fallbacks = fallbacks.iter().map(|one| Arc::new(other(one))).collect();
    log
}

fn asked(log: &Log) -> String {
    log.sample().model
}

/// All models that are asked while each fails so, until the turn ends.
fn all_asked(log: &mut Log, fault: &SampleFault) -> Vec<String> {
    let mut all = Vec::new();
    while let Effect::Sample(request) = log.next() {
        all.push(request.model.clone());
        log.fail(&request.model, fault.clone());
    }
    all
}

const NEAR: Tier = Tier::Device;

#[test]
fn a_model_has_five_tries_and_then_the_next_one_is_asked() {
    let mut log = log(&[("n", NEAR)]);
    let all = all_asked(&mut log, &SampleFault::Busy);
    assert_eq!(all, ["m", "m", "m", "m", "m", "n", "n", "n", "n", "n"]);
    let faults = vec![Faltered::new("m", SampleFault::Busy), Faltered::new("n", SampleFault::Busy)];
    assert_eq!(log.outcome(), Some(Outcome::ModelUnavailable(faults)));
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    for fault in [
        SampleFault::Unauthorised,
        SampleFault::NoCredit,
        SampleFault::BadRequest("no".to_owned()),
        SampleFault::Gone("m".to_owned()),
        SampleFault::Filtered,
        SampleFault::Unknown("what".to_owned()),
    ] {
        assert_eq!(all_asked(&mut log(&[("n", NEAR), ("o", NEAR)]), &fault), ["m", "n", "o"], "{fault:?}");
    }
}

#[test]
fn at_most_three_models_stand_in() {
    let mut log = log(&[("n", NEAR), ("o", NEAR), ("p", NEAR), ("q", NEAR)]);
    assert_eq!(all_asked(&mut log, &SampleFault::NoCredit), ["m", "n", "o", "p"]);
}

#[test]
fn a_provider_says_when_to_come_back() {
    let mut log = log(&[("n", NEAR)]);
    log.fail("m", SampleFault::RateLimited(Some(17_000)));
    assert_eq!((asked(&log).as_str(), log.sample().wait_ms), ("m", 17_000));
    log.fail("m", SampleFault::BusyFor(60_000));
    assert_eq!((asked(&log).as_str(), log.sample().wait_ms), ("m", 60_000));
    log.fail("m", SampleFault::RateLimited(Some(60_001)));
    assert_eq!((asked(&log).as_str(), log.sample().wait_ms), ("n", 0), "that is too long to wait");
}

#[test]
fn waits_differ_between_turns_and_stay_within_a_quarter() {
    let mut seen = std::collections::BTreeSet::new();
    for turn in 0..50 {
        let mut log = Log::named(&format!("m{turn}"));
        log.fail("m", SampleFault::Busy);
        let wait = log.sample().wait_ms;
        assert!((750..=1250).contains(&wait), "{wait}");
        seen.insert(wait);
    }
    assert!(seen.len() > 30, "{seen:?}");
}

#[test]
fn no_model_is_asked_to_which_the_conversation_may_not_travel() {
    let mut log = log(&[("far", Tier::Any), ("n", NEAR), ("trusted", Tier::Trusted)]);
    assert_eq!(all_asked(&mut log, &SampleFault::NoCredit), ["m", "n"]);
    let faults = vec![Faltered::new("m", SampleFault::NoCredit), Faltered::new("n", SampleFault::NoCredit)];
    let held = Held { failed: faults, barred: vec!["far".to_owned(), "trusted".to_owned()] };
    let Effect::Note(bodies) = log.next() else { panic!("it is held: {:?}", log.next()) };
    assert_eq!(bodies, [Body::Held(held.clone())]);
    log.add(Body::Held(held));
    assert_eq!(log.next(), Effect::Rest);
}

#[test]
fn a_turn_that_is_held_goes_on_when_it_may_travel_or_the_person_writes() {
    let mut log = log(&[("far", Tier::Any)]);
    all_asked(&mut log, &SampleFault::NoCredit);
    let Effect::Note(bodies) = log.next() else { panic!("it is held") };
    log.add_all(bodies);
    log.setting.tier = Tier::Any;
    assert_eq!(asked(&log), "far");
    log.setting.tier = NEAR;
    log.add(Body::Said(Message {
        id: MessageId::new("m2"),
        text: "Try again.".to_owned(),
        aside: None,
        short: None,
        wanted: Wanted::default(),
    }));
    assert_eq!(asked(&log), "m");
}

#[test]
fn the_turn_stays_with_the_model_that_answered() {
    let mut log = log(&[("n", NEAR), ("o", NEAR)]);
    log.fail("m", SampleFault::NoCredit);
    log.setting.limits.rounds = 9;
    log.say_as("n", "c1");
    log.screen(EffectClass::Read).run(Some(Status::Done));
    assert_eq!(all_asked(&mut log, &SampleFault::NoCredit), ["n", "m", "o"], "each once a round, that one first");
}

#[test]
fn a_model_that_rests_is_passed_over_unless_it_is_the_only_one() {
    let mut both = log(&[("n", NEAR)]);
    both.setting.resting.insert("m".to_owned());
    assert_eq!(all_asked(&mut both, &SampleFault::NoCredit), ["n", "m"]);
    let mut only = log(&[]);
    only.setting.resting.insert("m".to_owned());
    assert_eq!(asked(&only), "m");
}

#[test]
fn a_model_that_begins_to_rest_while_it_is_tried_is_tried_to_the_end() {
    let mut log = log(&[("n", NEAR)]);
    log.fail("m", SampleFault::Busy);
    log.setting.resting.insert("m".to_owned());
    assert_eq!(asked(&log), "m");
}

#[test]
fn two_crashes_on_one_prompt_end_the_turn_whatever_else_could_answer() {
    let crashed = || SampleFault::Crashed("it aborted".to_owned());
    let mut one = log(&[("n", NEAR)]);
    one.fail("m", crashed());
    assert_eq!(asked(&one), "m");
    one.fail("m", crashed());
    assert_eq!(one.outcome(), Some(Outcome::ModelUnavailable(vec![Faltered::new("m", crashed())])));
    let mut late = log(&[("n", NEAR)]);
    late.fail("m", crashed()).wait(600_001).fail("m", crashed());
    assert_eq!(asked(&late), "m", "the first is long past");
}

#[test]
fn a_fault_of_an_earlier_version_is_that_of_the_first_model() {
    let mut log = log(&[("n", NEAR)]);
    log.fail("", SampleFault::NoCredit);
    assert_eq!(asked(&log), "n");
}

#[test]
fn a_model_that_is_gone_from_the_setting_is_not_asked_again() {
    let mut log = log(&[("n", NEAR)]);
    log.fail("m", SampleFault::NoCredit).fail("n", SampleFault::Busy);
    log.setting.fallbacks.clear();
    let faults = vec![Faltered::new("m", SampleFault::NoCredit), Faltered::new("n", SampleFault::Busy)];
    assert_eq!(log.outcome(), Some(Outcome::ModelUnavailable(faults)));
}
