//! What follows a reply without calls: an end, or more of the same reply.

use super::{Log, call, sampled};
use crate::context::{CallPolicy, Item};
use crate::entry::Body;
use crate::id::MessageId;
use crate::message::{Message, Wanted};
use crate::model::{SampleFault, Sampled, StopReason, Usage};
use crate::outcome::Outcome;
use crate::result::Status;
use crate::tool::EffectClass;

fn said(text: &str, stop: StopReason) -> Sampled {
    Sampled { text: text.to_owned(), stop, ..sampled() }
}

fn about_to_call(text: &str, chance: u16) -> Sampled {
    let usage = Usage { opener: Some(chance), ..Usage::default() };
    Sampled { usage, ..said(text, StopReason::Natural) }
}

/// What the model has said last, as one piece.
fn last_item(log: &Log) -> Item {
    (**log.turn.items().last().expect("something was said")).clone()
}

#[test]
fn an_answer_at_its_cap_is_gone_on_with_three_times() {
    let mut log = Log::new();
    log.say(said("One, ", StopReason::Length));
    for part in ["two, ", "three, ", "four"] {
        let prompt = log.sample().prompt;
        assert!(prompt.open && prompt.calls == CallPolicy::Free, "{prompt:?}");
        log.say(said(part, StopReason::Length));
    }
    assert_eq!(log.outcome(), Some(Outcome::Answered));
    let Item::Model { text, .. } = last_item(&log) else { panic!("it is a reply") };
    assert_eq!(text, "One, two, three, four");
}

#[test]
fn the_prompt_of_what_is_gone_on_with_ends_with_the_open_reply() {
    let mut log = Log::new();
    log.say(said("One, ", StopReason::ContextFull));
    let items = log.sample().prompt.items;
    assert!(matches!(items.last().map(AsRef::as_ref), Some(Item::Model { text, .. }) if text == "One, "), "{items:?}");
}

#[test]
fn nothing_more_to_say_is_an_end_and_not_mute() {
    let mut log = Log::new();
    log.say(said("One.", StopReason::Length)).say(said("", StopReason::Natural));
    assert_eq!(log.outcome(), Some(Outcome::Answered));
}

#[test]
fn a_model_that_cannot_go_on_with_a_reply_is_not_asked_to() {
    let mut log = Log::new();
    std::sync::Arc::make_mut(&mut log.setting.model).continues = false;
    log.say(said("One, ", StopReason::Length));
    assert_eq!(log.outcome(), Some(Outcome::Answered));
}

#[test]
fn what_the_person_said_meanwhile_begins_the_next_turn_instead() {
    let mut log = Log::new();
    log.say(said("One, ", StopReason::Length));
    log.add(Body::Said(Message {
        id: MessageId::new("m2"),
        text: "Stop counting.".to_owned(),
        aside: None,
        short: None,
        wanted: Wanted::default(),
    }));
    assert_eq!(log.outcome(), Some(Outcome::Answered));
}

#[test]
fn an_answer_that_cannot_be_gone_on_with_stands() {
    let mut log = Log::new();
    log.say(said("One, ", StopReason::Length)).fail("m", SampleFault::NoCredit);
    assert_eq!(log.outcome(), Some(Outcome::Answered));
}

#[test]
fn a_spent_turn_does_not_go_on_with_its_answer() {
    let mut log = Log::new();
    log.setting.limits.decoded_tokens = 10;
    let usage = Usage { decoded: Some(10), ..Usage::default() };
    log.say(Sampled { usage, ..said("One, ", StopReason::Length) });
    assert_eq!(log.outcome(), Some(Outcome::BudgetSpent));
}

#[test]
fn a_call_that_was_likely_is_made_once_a_turn() {
    let mut log = Log::new();
    log.say(about_to_call("I will look.", 350));
    let prompt = log.sample().prompt;
    assert!(prompt.open && prompt.calls == CallPolicy::Forced, "{prompt:?}");
    log.say(Sampled { calls: vec![call("c1", "read", "a")], ..said("", StopReason::Calls) });
    log.screen(EffectClass::Read).run(Some(Status::Done));
    let model = log.turn.items()[1].clone();
    assert!(
        matches!(&*model, Item::Model { text, calls, .. } if text == "I will look." && calls.len() == 1),
        "{model:?}"
    );
    log.say(about_to_call("Now I will write.", 999));
    assert_eq!(log.outcome(), Some(Outcome::Answered), "it was done once");
}

#[test]
fn without_a_number_or_below_it_a_reply_is_the_answer() {
    for sampled in [about_to_call("I will look.", 349), said("I will look.", StopReason::Natural)] {
        let mut log = Log::new();
        log.say(sampled);
        assert_eq!(log.outcome(), Some(Outcome::Answered));
    }
}

#[test]
fn a_sample_that_broke_off_is_drawn_otherwise() {
    let mut log = Log::new();
    log.fail("m", SampleFault::Busy);
    assert_eq!(log.sample().prompt.variation, 0);
    log.fail("m", SampleFault::Cut);
    assert_eq!(log.sample().prompt.variation, 1);
}
