//! A model that cannot count and refuses a prompt as too long: what it says corrects the count, and the prompt is planned
//! once more; a second refusal ends the turn with its numbers.

use domain::compact::Fold;
use domain::entry::Body;
use domain::model::{SampleFault, Sampled, Usage};
use domain::outcome::Outcome;
use domain::plan::{Counted, Measure};
use testkit::model::Line;

use crate::room::Room;

const WINDOW: u32 = 16_384;

fn refusal() -> Line {
    Line::Faults(SampleFault::TooLong { needed: 20_000, window: WINDOW })
}

/// A conversation with much in it, for a model that cannot count.
async fn long_talk() -> Room {
    let room = Room::new(WINDOW);
    room.model.stop_counting();
    room.model.summarise_as(Line::text("Facts:\nMuch was said."));
    for turn in 0..5 {
        room.model.push(Line::text(&format!("{turn} {}", "leaf ".repeat(1_300))));
        room.say(&format!("m{turn}"), &format!("message {turn}")).await;
    }
    assert_eq!(room.folds(), [], "by letters it fits");
    room
}

fn outcome(room: &Room) -> Option<Outcome> {
    room.entries().into_iter().rev().find_map(|entry| match entry.body {
        Body::Ended { outcome, .. } => Some(outcome),
        _ => None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_refusal_corrects_the_count_and_the_prompt_is_planned_once_more() {
    let room = long_talk().await;
    room.model.push(refusal());
    room.model.push(Line::text("Now it fits."));
    room.say("again", "go on").await;
    assert_eq!(outcome(&room), Some(Outcome::Answered));
    assert!(matches!(room.folds().first(), Some(Fold::Summarised { .. })), "{:?}", room.folds());
    let prompts = room.model.prompts();
    let [.., refused, sent] = &prompts[..] else { panic!("it was asked twice") };
    assert!(sent.items.len() < refused.items.len());
}

#[tokio::test(start_paused = true)]
async fn a_second_refusal_ends_the_turn_with_its_numbers() {
    let room = long_talk().await;
    room.model.push(refusal());
    room.model.push(refusal());
    room.say("again", "go on").await;
    assert_eq!(outcome(&room), Some(Outcome::Overflow { needed: 20_000, window: WINDOW }));
}

/// The tokens that the last reply's prompt was planned with.
fn counted(room: &Room) -> Counted {
    let entries = room.entries();
    let replied = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Replied(reply) => reply.counted,
        _ => None,
    });
    replied.expect("it was planned")
}

fn reporting(prompt: u32) -> Line {
    let Line::Says(sampled) = Line::text("Well.") else { panic!("it is a reply") };
    let usage = Usage { prompt: Some(prompt), ..Usage::default() };
    Line::Says(Box::new(Sampled { usage, ..*sampled }))
}

#[tokio::test(start_paused = true)]
async fn a_reported_count_corrects_the_next_estimate() {
    let room = Room::new(WINDOW);
    room.model.stop_counting();
    room.model.push(Line::text("Well."));
    room.say("m1", "hello").await;
    let plain = counted(&room);
    assert_eq!(plain.measure, Measure::Estimated);
    room.model.push(reporting(2 * plain.tokens));
    room.say("m2", "hello").await;
    room.model.push(Line::text("Well."));
    room.say("m3", "hello").await;
    assert!(counted(&room).tokens * 2 > plain.tokens * 3, "{:?} after {plain:?}", counted(&room));
}
