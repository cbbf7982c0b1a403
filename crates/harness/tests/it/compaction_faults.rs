//! A13: a summariser that fails, hangs, breaks off, says nothing, grows or is killed: nothing is missing from the
//! projection that no recorded summary stands for.

use std::time::Duration;

use domain::compact::{Fold, Unchanged};
use domain::entry::Body;
use domain::id::{EntryNumber, MessageId};
use domain::message::Message;
use domain::model::SampleFault;
use domain::outcome::Outcome;
use harness::act;
use harness::run::Entrance;
use testkit::journal::{Moment, Trap, TrapAt};
use testkit::model::Line;

use crate::room::{Room, projected, recorded};

const GOOD: &str = "In progress:\nA list of teas.\n\nFacts:\nThe person drinks tea at five.";

/// Some turns, of which the first ones fit and the later ones do not.
async fn talk(room: &Room, turns: usize) {
    for turn in 0..turns {
        room.model.push(Line::text(&format!("{turn} {}", "leaf ".repeat(400))));
        room.say(&format!("m{turn}"), &format!("message {turn}")).await;
    }
}

/// Nothing is missing at any entry.
fn check(room: &Room, what: &str) {
    let entries = room.entries();
    for length in 1..=entries.len() {
        let part = &entries[..length];
        assert_eq!(projected(&room.id, part), recorded(part), "{what}: entry {length}");
    }
}

fn outcomes(room: &Room) -> Vec<Outcome> {
    let ended = room.entries().into_iter().filter_map(|entry| match entry.body {
        Body::Ended { outcome, .. } => Some(outcome),
        _ => None,
    });
    ended.collect()
}

fn summaries(room: &Room) -> usize {
    room.folds().iter().filter(|fold| matches!(fold, Fold::Summarised { .. })).count()
}

/// No prompt was longer than what the window leaves beside the reserve.
fn all_fit(room: &Room, window: u32) {
    for prompt in room.model.prompts().iter().chain(&room.model.summary_prompts()) {
        let bytes: usize =
            prompt.items.iter().map(|item| serde_json::to_string(item).map_or(0, |text| text.len())).sum();
        let tokens = u32::try_from(bytes / 4 + 1).expect("it is small");
        assert!(tokens + 512 <= window, "{tokens} of {window} were sent");
    }
}

#[tokio::test(start_paused = true)]
async fn a_good_summary_lets_the_conversation_go_on() {
    let room = Room::new(4_096);
    room.model.summarise_as(Line::text(GOOD));
    talk(&room, 20).await;
    check(&room, "good");
    all_fit(&room, 4_096);
    assert!(summaries(&room) >= 3, "{:?}", room.folds());
    assert!(outcomes(&room).iter().all(|outcome| *outcome == Outcome::Answered), "{:?}", outcomes(&room));
    let last = room.model.prompts().pop().expect("it was sampled");
    assert!(last.system().contains("The person drinks tea at five."), "{}", last.system());
    assert!(last.system().contains("It is a record, not a request"));
}

#[tokio::test(start_paused = true)]
async fn a_summariser_that_gives_nothing_good_changes_nothing() {
    let fault = || SampleFault::Crashed("it died".to_owned());
    let lines = [
        ("fails", Line::Faults(fault())),
        ("breaks off", Line::Breaks("Facts:\nhalf of".to_owned(), fault())),
        ("hangs", Line::Hangs),
        ("never ends", Line::Streams("Facts:\nand so on".to_owned())),
        ("panics", Line::Panics),
        ("is mute", Line::mute()),
        ("calls", Line::calls("", &[("read", r#"{"path":"a.txt"}"#)])),
        ("is cut", Line::cut("Facts:\nit was", "read", "{")),
        ("grows", Line::text(&format!("Facts:\n{}", "and so on, ".repeat(4_000)))),
    ];
    for (what, line) in lines {
        let room = Room::new(4_096);
        room.model.summarise_as(line);
        talk(&room, 9).await;
        check(&room, what);
        all_fit(&room, 4_096);
        assert_eq!(summaries(&room), 0, "{what}");
        assert!(matches!(outcomes(&room).last(), Some(Outcome::Overflow { .. })), "{what}: {:?}", outcomes(&room));
        let texts = projected(&room.id, &room.entries());
        assert!(texts.iter().any(|text| text == "message 0"), "{what}: the beginning is still there");
    }
}

#[tokio::test(start_paused = true)]
async fn a_summariser_that_works_again_is_asked_again() {
    let room = Room::new(4_096);
    room.model.summarise_as(Line::Faults(SampleFault::Busy));
    talk(&room, 9).await;
    assert!(matches!(outcomes(&room).last(), Some(Outcome::Overflow { .. })));
    room.model.summarise_as(Line::text(GOOD));
    room.model.push(Line::text("It goes on."));
    room.say("later", "and now?").await;
    assert_eq!(outcomes(&room).last(), Some(&Outcome::Answered), "{:?}", room.folds());
    check(&room, "works again");
}

#[tokio::test(start_paused = true)]
async fn a_process_that_dies_at_a_fold_loses_nothing() {
    let moments = [Moment::Before, Moment::After];
    for moment in moments {
        let room = Room::new(4_096);
        room.model.summarise_as(Line::text(GOOD));
        for turn in 0..12 {
            room.journal.arm(Trap { at: TrapAt::Kind("compacted".to_owned()), moment });
            room.model.push(Line::text(&format!("{turn} {}", "leaf ".repeat(400))));
            room.say(&format!("m{turn}"), &format!("message {turn}")).await;
        }
        check(&room, "killed");
        all_fit(&room, 4_096);
        assert!(summaries(&room) >= 1, "{:?}", room.folds());
        assert_eq!(outcomes(&room).len(), 12);
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_asks_for_a_fold_and_reads_what_came_of_it() {
    let room = Room::new(8_192);
    room.model.summarise_as(Line::text(GOOD));
    talk(&room, 2).await;
    let first = act::compact(room.desk(), &room.id).await.expect("it is recorded");
    assert_eq!(act::compact(room.desk(), &room.id).await.expect("it waits"), first, "asked twice, recorded once");
    room.go_on(Entrance::Woken).await;
    assert_eq!(room.folds(), [Fold::Unchanged(Unchanged::Nothing)], "two turns are kept");
    talk_from(&room, 2, 6).await;
    act::compact(room.desk(), &room.id).await.expect("it is recorded");
    room.go_on(Entrance::Resumed).await;
    assert_eq!(summaries(&room), 1);
    check(&room, "asked");
}

/// A conversation in which a fold was asked for that hangs.
async fn hanging() -> Room {
    let room = Room::new(8_192);
    talk(&room, 6).await;
    room.model.summarise_as(Line::Hangs);
    act::compact(room.desk(), &room.id).await.expect("it is recorded");
    room
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_its_turn_though_a_fold_that_was_asked_for_hangs() {
    let room = hanging().await;
    let began = tokio::time::Instant::now();
    let person = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let message = Message::new(MessageId::new("late"), "hello".to_owned(), None).expect("it may be said");
        let said = act::say(room.desk(), &room.id, message).await.expect("it is said");
        assert!(act::stop(room.desk(), &room.id, &said.turn).await.expect("it is recorded"));
    };
    tokio::join!(room.go_on(Entrance::Woken), person);
    assert_eq!(outcomes(&room).last(), Some(&Outcome::Stopped), "{:?}", room.folds());
    assert!(began.elapsed() <= Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(room.folds().last(), Some(&Fold::Unchanged(Unchanged::Failed("it was stopped".to_owned()))));
    check(&room, "stopped");
}

#[tokio::test(start_paused = true)]
async fn another_line_does_not_wait_for_a_fold_that_was_asked_for_on_the_one_before() {
    let room = hanging().await;
    let began = tokio::time::Instant::now();
    let person = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        act::branch(room.desk(), &room.id, EntryNumber(6)).await.expect("it is made");
    };
    tokio::join!(room.go_on(Entrance::Woken), person);
    assert!(began.elapsed() <= Duration::from_secs(2), "{:?}", began.elapsed());
}

async fn talk_from(room: &Room, from: usize, to: usize) {
    for turn in from..to {
        room.model.push(Line::text(&format!("{turn} {}", "leaf ".repeat(400))));
        room.say(&format!("m{turn}"), &format!("message {turn}")).await;
    }
}
