//! A9: a hundred turns with calls, rejected calls, restarts and crashes: one prefix hash, and each prompt begins with the
//! one before it.

use domain::context::Item;
use harness::run::Entrance;
use testkit::journal::{Moment, Trap, TrapAt};
use testkit::model::Line;

use crate::room::Room;

/// The lines of one turn: calls of several kinds and then words.
fn lines(turn: usize) -> Vec<Line> {
    let calls: &[(&str, &str)] = match turn % 5 {
        0 => &[("read", r#"{"path":"a.txt"}"#)],
        1 => &[("read", r#"{"path":"a.txt"}"#), ("read", r#"{"path":"b.txt"}"#)],
        2 => &[("raed", r#"{"path":"a.txt"}"#)],
        3 => &[("read", r#"{"path":"#)],
        _ => &[],
    };
    let answer = Line::text(&format!("That was turn {turn}."));
    if calls.is_empty() { vec![answer] } else { vec![Line::calls("I look.", calls), answer] }
}

#[tokio::test(start_paused = true)]
async fn a_hundred_turns_have_one_prefix_and_grow_at_the_end() {
    let room = Room::new(1_000_000);
    for turn in 0..100 {
        lines(turn).into_iter().for_each(|line| room.model.push(line));
        if turn % 7 == 0 {
            let kind = ["started", "screened", "returned"][turn % 3].to_owned();
            room.journal.arm(Trap { at: TrapAt::Kind(kind), moment: [Moment::Before, Moment::After][turn % 2] });
        }
        room.say(&format!("m{turn}"), &format!("go on with {turn}")).await;
        room.go_on(Entrance::Resumed).await;
    }
    let prompts = room.model.prompts();
    assert!(prompts.len() >= 170, "{} prompts", prompts.len());
    assert!(prompts.iter().all(|prompt| prompt.prefix == prompts[0].prefix), "the prefix moved");
    for pair in prompts.windows(2) {
        assert!(pair[1].items.starts_with(&pair[0].items), "a prompt does not begin with the one before it");
        assert_eq!(bytes(&pair[1].items[..pair[0].items.len()]), bytes(&pair[0].items));
    }
    assert_eq!(room.folds(), [], "nothing needed a fold");
}

fn bytes(items: &[std::sync::Arc<Item>]) -> String {
    serde_json::to_string(items).expect("items are plain data")
}
