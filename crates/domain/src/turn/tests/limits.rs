//! The purse of a turn: what it may use, and how it ends when that is spent.

use super::{Log, call, sampled};
use crate::context::CallPolicy;
use crate::effect::Effect;
use crate::entry::Body;
use crate::id::MessageId;
use crate::message::{Message, Wanted};
use crate::model::{SampleFault, Sampled, Usage};
use crate::outcome::Outcome;
use crate::result::Status;
use crate::time::Timestamp;
use crate::tool::EffectClass;

fn spend(log: &mut Log, tokens: u32) {
    let usage = Usage { decoded: Some(tokens), ..Usage::default() };
    let id = format!("c{}", log.head);
    log.say(Sampled { calls: vec![call(&id, "read", &id)], usage, ..sampled() }).screen(EffectClass::Read);
    log.run(Some(Status::Done));
}

fn is_closing(log: &Log) -> bool {
    log.sample().prompt.calls == CallPolicy::Forbidden
}

#[test]
fn tokens_that_were_written_end_a_turn() {
    let mut log = Log::new();
    spend(&mut log, 63_999);
    assert!(!is_closing(&log));
    spend(&mut log, 1);
    assert!(is_closing(&log));
    assert_eq!(log.sample().prompt.max_tokens, 700, "the model's own cap is below that of a last reply");
    log.reply("So far.", &[]);
    assert_eq!(log.outcome(), Some(Outcome::BudgetSpent));
}

#[test]
fn an_answer_on_the_last_token_is_an_answer() {
    let mut log = Log::new();
    let usage = Usage { decoded: Some(64_000), ..Usage::default() };
    log.say(Sampled { text: "Here.".to_owned(), usage, ..sampled() });
    assert_eq!(log.outcome(), Some(Outcome::Answered));
}

const HALF_HOUR: i64 = 30 * 60_000;

#[test]
fn time_at_work_ends_a_turn() {
    let mut log = Log::new();
    log.reply("", &[("c1", "act")]).screen(EffectClass::Create).wait(HALF_HOUR);
    log.run(Some(Status::Failed));
    assert!(is_closing(&log));
    log.reply("So far.", &[]);
    assert_eq!(log.outcome(), Some(Outcome::TimeLimit));
}

#[test]
fn time_that_a_person_took_does_not_count() {
    let mut log = Log::new();
    log.reply("", &[("c1", "act")]).screen(EffectClass::Modify);
    let Effect::Ask(questions) = log.next() else { panic!("it is asked: {:?}", log.next()) };
    log.add_all(questions.into_iter().map(|question| Body::Asked(Box::new(question))));
    log.wait(30 * 86_400_000).add(Body::Said(Message {
        id: MessageId::new("m2"),
        text: "No.".to_owned(),
        aside: None,
        short: None,
        wanted: Wanted::default(),
    }));
    let Effect::Note(bodies) = log.next() else { panic!("it is withdrawn: {:?}", log.next()) };
    log.add_all(bodies);
    assert!(!is_closing(&log));
    log.reply("", &[("c2", "act")]).screen(EffectClass::Create).wait(HALF_HOUR);
    log.run(Some(Status::Failed));
    assert!(is_closing(&log), "after the answer it counts again");
}

#[test]
fn time_in_which_nobody_was_at_work_does_not_count() {
    let mut log = Log::new();
    log.reply("", &[("c1", "read")]).screen(EffectClass::Read);
    log.run(None);
    log.wait(86_400_000).add(Body::Resumed);
    log.run(Some(Status::Done));
    assert!(!is_closing(&log));
}

#[test]
fn time_in_the_queue_of_a_model_does_not_count() {
    let mut log = Log::new();
    let usage = Usage { queue_ms: Some(HALF_HOUR.unsigned_abs()), ..Usage::default() };
    log.wait(HALF_HOUR + 10);
    log.say(Sampled { calls: vec![call("c1", "read", "a")], usage, ..sampled() }).screen(EffectClass::Read);
    log.run(Some(Status::Done));
    assert!(!is_closing(&log));
}

#[test]
fn the_deadline_is_what_is_left_and_a_moment_for_the_last_reply() {
    let mut log = Log::new();
    let deadline = |log: &Log| log.turn.deadline(&log.setting.limits);
    assert_eq!(deadline(&log), Timestamp(1 + HALF_HOUR));
    log.wait(1000).fail("m", SampleFault::Busy);
    assert_eq!(deadline(&log), Timestamp(1 + HALF_HOUR), "it stays while the turn is at work");
    log.wait(HALF_HOUR).fail("m", SampleFault::Timeout("the time of the turn".to_owned()));
    assert_eq!(deadline(&log), Timestamp(log.now + 60_000));
}

#[test]
fn a_last_reply_that_does_not_come_ends_the_turn_all_the_same() {
    let late = || SampleFault::Timeout("the time of the turn".to_owned());
    let mut log = Log::new();
    log.wait(HALF_HOUR).fail("m", late());
    assert!(is_closing(&log));
    log.wait(60_000).fail("m", late());
    assert_eq!(log.outcome(), Some(Outcome::TimeLimit));
}

#[test]
fn a_spent_turn_without_a_model_ends_as_spent() {
    let mut log = Log::new();
    log.setting.limits.rounds = 1;
    spend(&mut log, 1);
    log.fail("m", SampleFault::NoCredit);
    assert_eq!(log.outcome(), Some(Outcome::RoundLimit));
}
