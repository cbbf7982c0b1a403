//! Calls that are not run again, and turns that go in circles.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Log, call, sampled};
use crate::context::CallPolicy;
use crate::effect::Effect;
use crate::entry::Body;
use crate::facts::Facts;
use crate::id::{MessageId, RuleId};
use crate::message::{Message, Wanted};
use crate::model::Sampled;
use crate::outcome::Outcome;
use crate::result::Status;
use crate::rule::{Example, Rule, RuleSet, RuleVerdict};
use crate::tool::{EffectClass, ToolName, ToolSet};

/// One round of one call that comes back so, or is settled without a run; says whether it ran.
fn round(log: &mut Log, tool: &str, of: &str, status: Status) -> bool {
    let id = format!("c{}", log.head);
    log.say(Sampled { calls: vec![call(&id, tool, of)], ..sampled() });
    let class = if tool == "read" { EffectClass::Read } else { EffectClass::Create };
    log.screen(class);
    match log.next() {
        Effect::Run(_) => {
            log.run(Some(status));
            true
        }
        Effect::Note(bodies) => {
            log.add_all(bodies);
            false
        }
        other => panic!("it is run or settled: {other:?}"),
    }
}

fn last_text(log: &Log) -> String {
    let result = log.turn.calls().last().and_then(|state| state.result.as_ref());
    result.map(|(result, _)| format!("{:?}: {}", result.status, result.text)).unwrap_or_default()
}

fn is_closing(log: &Log) -> bool {
    log.sample().prompt.calls == CallPolicy::Forbidden
}

fn outcome_after_closing(log: &mut Log) -> Option<Outcome> {
    assert!(is_closing(log), "one last reply without calls is asked for");
    log.reply("That is how far it came.", &[]);
    log.outcome()
}

#[test]
fn a_call_that_failed_twice_is_refused_the_third_time() {
    let mut log = Log::new();
    assert!(round(&mut log, "act", "a", Status::Failed));
    assert!(round(&mut log, "read", "b", Status::Done), "another call between changes nothing");
    assert!(round(&mut log, "act", "a", Status::Failed));
    assert!(!round(&mut log, "act", "a", Status::Failed));
    assert!(last_text(&log).starts_with("Refused: The same call failed twice"), "{}", last_text(&log));
    assert!(round(&mut log, "act", "other", Status::Failed), "other arguments are another call");
}

#[test]
fn a_call_may_fail_again_once_something_was_changed() {
    let mut log = Log::new();
    for _ in 0..2 {
        assert!(round(&mut log, "act", "test", Status::Failed));
        assert!(round(&mut log, "act", "test", Status::Failed));
        let edit = format!("edit {}", log.head);
        assert!(round(&mut log, "act", &edit, Status::Done));
    }
}

#[test]
fn a_read_is_answered_from_the_turn_until_something_changes() {
    let mut log = Log::new();
    assert!(round(&mut log, "read", "a", Status::Done));
    assert!(!round(&mut log, "read", "a", Status::Done));
    assert_eq!(last_text(&log), "Done: text");
    assert!(round(&mut log, "read", "b", Status::Done), "another read is run");
    assert!(round(&mut log, "act", "x", Status::Failed), "what failed may have changed something");
    assert!(round(&mut log, "read", "a", Status::Done));
}

#[test]
fn a_read_that_failed_is_run_again() {
    let mut log = Log::new();
    assert!(round(&mut log, "read", "a", Status::Failed));
    assert!(round(&mut log, "read", "a", Status::Done));
}

#[test]
fn a_read_is_run_again_when_the_person_wrote_meanwhile() {
    let mut log = Log::new();
    assert!(round(&mut log, "read", "a", Status::Done));
    log.add(Body::Said(Message {
        id: MessageId::new("m2"),
        text: "Look again.".to_owned(),
        aside: None,
        short: None,
        wanted: Wanted::default(),
    }));
    assert!(round(&mut log, "read", "a", Status::Done));
}

#[test]
fn a_read_does_not_overtake_a_write_of_its_own_reply() {
    let mut log = Log::new();
    round(&mut log, "read", "a", Status::Done);
    log.say(Sampled { calls: vec![call("w", "act", "a"), call("r", "read", "a")], ..sampled() });
    let Effect::Screen(calls) = log.next() else { panic!("both are screened") };
    assert_eq!(calls.len(), 2);
    log.screen_each(&[EffectClass::Create, EffectClass::Read]);
    assert_eq!(log.run(Some(Status::Done)), ["w"]);
    assert_eq!(log.run(Some(Status::Done)), ["r"], "it reads what was written");
}

#[test]
fn a_read_that_is_denied_by_now_is_not_answered_from_the_turn() {
    let mut log = Log::new();
    round(&mut log, "read", "a", Status::Done);
    log.setting.rules = Arc::new(deny("read"));
    assert!(!round(&mut log, "read", "a", Status::Done));
    assert!(last_text(&log).starts_with("Refused: It may not run"), "{}", last_text(&log));
}

fn deny(tool: &str) -> RuleSet {
    let example = |matches, tool: &str| Example { matches, tool: ToolName::new(tool), facts: Facts::unknown() };
    RuleSet::new(vec![Rule {
        id: RuleId::new("r"),
        verdict: RuleVerdict::Deny,
        tools: vec![tool.to_owned()],
        classes: BTreeSet::new(),
        paths: Vec::new(),
        programs: Vec::new(),
        note: String::new(),
        examples: vec![example(true, tool), example(false, "another")],
    }])
    .expect("its examples hold")
}

#[test]
fn a_tool_is_used_as_often_as_it_says() {
    let mut log = Log::new();
    let mut spec = (**log.setting.tools.get(&ToolName::new("read")).expect("it is there")).clone();
    spec.uses = Some(2);
    let act = (**log.setting.tools.get(&ToolName::new("act")).expect("it is there")).clone();
    log.setting.tools = Arc::new(ToolSet::new([spec, act]));
    assert!(round(&mut log, "read", "a", Status::Done));
    assert!(round(&mut log, "read", "b", Status::Failed));
    assert!(!round(&mut log, "read", "c", Status::Done));
    assert!(last_text(&log).starts_with("Refused: The tool may be used 2 times"), "{}", last_text(&log));
    assert!(round(&mut log, "act", "d", Status::Done), "other tools are not meant");
}

#[test]
fn the_same_call_done_three_times_ends_the_turn() {
    let mut log = Log::new();
    for _ in 0..3 {
        assert!(!is_closing(&log));
        round(&mut log, "act", "a", Status::Done);
    }
    assert_eq!(outcome_after_closing(&mut log), Some(Outcome::LoopBroken));
}

#[test]
fn cycles_of_two_to_four_calls_end_the_turn_when_they_were_done_three_times() {
    for period in 2..=4 {
        let mut log = Log::new();
        for step in 0..3 * period {
            assert!(!is_closing(&log), "period {period}, step {step}");
            round(&mut log, "act", &format!("{}", step % period), Status::Done);
        }
        assert_eq!(outcome_after_closing(&mut log), Some(Outcome::LoopBroken), "period {period}");
    }
}

#[test]
fn a_cycle_of_five_calls_is_none() {
    let mut log = Log::new();
    for step in 0..15 {
        round(&mut log, "act", &format!("{}", step % 5), Status::Done);
    }
    assert!(!is_closing(&log));
}

#[test]
fn equal_calls_in_one_reply_are_no_cycle() {
    let mut log = Log::new();
    log.say(Sampled { calls: (0..4).map(|n| call(&format!("c{n}"), "act", "a")).collect(), ..sampled() });
    log.screen(EffectClass::Create);
    while matches!(log.next(), Effect::Run(_)) {
        log.run(Some(Status::Done));
    }
    assert!(!is_closing(&log));
}

#[test]
fn what_the_person_says_begins_the_count_of_cycles_anew() {
    let mut log = Log::new();
    for step in 0..4 {
        round(&mut log, "act", "a", Status::Done);
        if step == 1 {
            log.add(Body::Said(Message {
                id: MessageId::new("m2"),
                text: "Twice more.".to_owned(),
                aside: None,
                short: None,
                wanted: Wanted::default(),
            }));
        }
    }
    assert!(!is_closing(&log));
}

#[test]
fn six_rounds_of_failures_only_end_the_turn() {
    let mut log = Log::new();
    for step in 0..6 {
        assert!(!is_closing(&log), "step {step}");
        round(&mut log, "act", &format!("{step}"), Status::Failed);
    }
    assert_eq!(outcome_after_closing(&mut log), Some(Outcome::LoopBroken));
}

#[test]
fn rejected_calls_are_failures_and_one_success_is_enough() {
    let mut log = Log::new();
    for step in 0..6 {
        assert!(!is_closing(&log), "step {step}");
        let ghost = call(&format!("g{step}"), "ghost", "a");
        let calls = if step == 2 { vec![ghost, call("ok", "act", "a")] } else { vec![ghost] };
        log.say(Sampled { calls, ..sampled() });
        while let Effect::Note(bodies) = log.next() {
            log.add_all(bodies);
        }
        if step == 2 {
            log.screen(EffectClass::Create);
            log.run(Some(Status::Done));
        }
    }
    assert!(!is_closing(&log), "one call of the six rounds was done");
}

#[test]
fn a_call_made_in_the_last_reply_is_rejected_and_the_turn_ends() {
    let mut log = Log::new();
    for _ in 0..3 {
        round(&mut log, "act", "a", Status::Done);
    }
    log.reply("Once more.", &[("again", "act")]);
    let Effect::Note(bodies) = log.next() else { panic!("it is rejected: {:?}", log.next()) };
    assert!(matches!(&bodies[..], [Body::Rejected { .. }]), "{bodies:?}");
    log.add_all(bodies);
    assert_eq!(log.outcome(), Some(Outcome::LoopBroken));
}
