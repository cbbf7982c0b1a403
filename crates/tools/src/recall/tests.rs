//! What is recalled: ranges, searches, lines that never end, ids that are not there.

use domain::entry::{Body, Draft, Entry};
use domain::id::{CallId, EntryNumber, FrameId, MessageId, TurnId};
use domain::message::{Message, Wanted};
use domain::result::{Status, ToolResult};
use domain::time::Timestamp;

use super::{Recall, original, show};

fn entries() -> Vec<Entry> {
    let said = Message {
        id: MessageId::new("m1"),
        text: "a long message".to_owned(),
        aside: None,
        short: None,
        wanted: Wanted::default(),
    };
    let text: String = (1..=9_000).map(|n| format!("row {n}\n")).collect();
    let result = ToolResult::new(CallId::new("c1"), Status::Done, &text).viewed(8_192);
    assert!(result.view.is_some(), "what is recalled here was shown shorter");
    let draft = |body| Draft { at: Timestamp(1), turn: TurnId::new("m1"), frame: FrameId::outer(), body };
    let bodies = [Body::Said(said), Body::Returned(result)];
    (1..).zip(bodies).map(|(number, body)| draft(body).at_number(EntryNumber(number))).collect()
}

fn recall(from: Option<usize>, lines: Option<usize>, search: Option<&str>) -> Recall {
    Recall { id: "c1".to_owned(), from, lines, search: search.map(str::to_owned) }
}

#[test]
fn a_range_says_where_to_go_on() {
    let entries = entries();
    let text = original(&entries, "c1").expect("it came back");
    let shown = show(text, &recall(Some(4_000), Some(2), None));
    assert_eq!(shown, "4000\trow 4000\n4001\trow 4001\n[lines 4000 to 4001 of 9000; go on from 4002]");
    assert!(show(text, &recall(Some(8_999), None, None)).ends_with("[lines 8999 to 9000 of 9000; that is the end]"));
    assert_eq!(show(text, &recall(Some(9_001), None, None)), "There are only 9000 lines.");
}

#[test]
fn a_search_shows_lines_with_their_numbers() {
    let entries = entries();
    let text = original(&entries, "c1").expect("it came back");
    assert_eq!(show(text, &recall(None, None, Some("ROW 777"))).lines().next(), Some("777\trow 777"));
    assert!(show(text, &recall(None, None, Some("row 777"))).ends_with("[11 of 9000 lines hold \"row 777\"]"));
}

#[test]
fn a_line_that_never_ends_is_read_in_pieces() {
    let text = "漢".repeat(100_000);
    let shown = show(&text, &recall(None, None, None));
    assert!(shown.chars().count() < 9_000 && shown.ends_with("of 250; go on from 20]"), "{}", shown.chars().count());
}

#[test]
fn messages_have_ids_and_nothing_else_does() {
    let entries = entries();
    assert_eq!(original(&entries, "m1"), Some("a long message"));
    assert_eq!(original(&entries, "c2"), None);
}
