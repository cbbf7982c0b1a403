//! Rests of models: when they begin, how they grow, and the one probe behind them.

use super::Health;
use crate::model::SampleFault;
use crate::time::Timestamp;

fn failing(times: u32) -> Health {
    let mut health = Health::default();
    (0..times).for_each(|_| health.failed("a", &SampleFault::Busy, Timestamp(0)));
    health
}

fn rests(health: &Health, at: i64) -> bool {
    health.resting(Timestamp(at)).contains("a")
}

#[test]
fn the_third_failure_in_a_row_rests_a_model_and_only_that_one() {
    assert!(!rests(&failing(2), 0));
    let health = failing(3);
    assert_eq!(health.resting(Timestamp(0)).into_iter().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn rests_double_from_30_seconds_to_10_minutes() {
    for (failures, seconds) in [(3, 30), (4, 60), (5, 120), (6, 240), (7, 480), (8, 600), (9, 600), (4_000, 600)] {
        let health = failing(failures);
        assert!(rests(&health, seconds * 1000 - 1), "{failures}");
        assert!(!rests(&health, seconds * 1000), "{failures}");
    }
}

#[test]
fn after_a_rest_one_probe_is_made_while_all_others_wait() {
    let mut health = failing(3);
    assert!(!rests(&health, 30_000));
    health.asked("a", Timestamp(30_000));
    assert!(rests(&health, 30_001), "the probe is on its way");
    assert!(!rests(&health, 30_000 + 180_000), "a probe that was lost holds nobody for ever");
    health.left("a");
    assert!(!rests(&health, 30_001));
}

#[test]
fn an_answer_clears_and_a_failed_probe_doubles() {
    let mut health = failing(3);
    health.asked("a", Timestamp(30_000));
    let mut failed = health.clone();
    failed.failed("a", &SampleFault::Busy, Timestamp(30_100));
    assert!(rests(&failed, 90_099) && !rests(&failed, 90_100));
    health.answered("a");
    assert_eq!(health, Health::default());
}

#[test]
fn a_model_in_use_is_not_a_probe() {
    let mut health = failing(2);
    health.asked("a", Timestamp(0));
    assert!(!rests(&health, 0));
}

#[test]
fn what_lies_in_one_prompt_rests_nobody() {
    let mut health = Health::default();
    for _ in 0..5 {
        health.failed("a", &SampleFault::Crashed("it aborted".to_owned()), Timestamp(0));
        health.failed("a", &SampleFault::TooLong { needed: 9, window: 8 }, Timestamp(0));
        health.failed("a", &SampleFault::BadRequest("no".to_owned()), Timestamp(0));
        health.failed("a", &SampleFault::Filtered, Timestamp(0));
    }
    assert_eq!(health, Health::default());
}

#[test]
fn a_clock_set_back_does_not_rest_a_model_for_longer() {
    let mut health = Health::default();
    (0..3).for_each(|_| health.failed("a", &SampleFault::Busy, Timestamp(1_000_000)));
    assert!(rests(&health, 0) && !rests(&health, 1_030_000));
}
