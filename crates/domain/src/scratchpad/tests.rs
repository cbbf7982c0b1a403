//! What is read and written, and what is not.

use serde_json::json;

use super::*;

fn pad() -> Scratchpad {
    Scratchpad::default()
}

fn call(pad: &mut Scratchpad, tool: &str, arguments: &Value) -> (Status, String) {
    let tool = ToolName::new(tool);
    let result = pad.result(&CallId::new("c"), &tool, arguments);
    pad.returned(&tool, arguments, result.status);
    (result.status, result.text)
}

fn write(pad: &mut Scratchpad, key: &str, version: u64, value: &str) -> (Status, String) {
    call(pad, WRITE, &json!({ "key": key, "version": version, "value": value }))
}

#[test]
fn what_is_written_is_read_with_its_version() {
    let mut pad = pad();
    assert_eq!(write(&mut pad, "plan", 0, "one"), (Status::Done, "plan is now version 1.".to_owned()));
    assert_eq!(write(&mut pad, "plan", 1, "two").0, Status::Done);
    let read = call(&mut pad, READ, &json!({ "key": "plan" }));
    assert_eq!(read, (Status::Done, "plan, version 2:\ntwo".to_owned()));
    let all = call(&mut pad, READ, &json!({}));
    assert_eq!(all.1, "The scratchpad holds:\n- plan (version 2): two");
}

#[test]
fn a_writer_that_was_overtaken_is_told_the_value_and_nothing_is_lost() {
    let mut pad = pad();
    write(&mut pad, "plan", 0, "theirs");
    let (status, text) = write(&mut pad, "plan", 0, "mine");
    assert_eq!(
        (status, text.as_str()),
        (Status::Failed, "Nothing was written: plan is at version 1, it holds:\ntheirs")
    );
    assert!(call(&mut pad, READ, &json!({ "key": "plan" })).1.ends_with("theirs"));
}

#[test]
fn an_emptied_key_keeps_counting() {
    let mut pad = pad();
    write(&mut pad, "plan", 0, "one");
    assert_eq!(write(&mut pad, "plan", 1, "").0, Status::Done);
    assert!(pad.is_empty());
    assert_eq!(write(&mut pad, "plan", 0, "old").0, Status::Failed, "who has read the first version is told");
    assert_eq!(write(&mut pad, "plan", 2, "new").0, Status::Done);
}

#[test]
fn keys_values_and_the_whole_have_their_limits() {
    let mut pad = pad();
    for key in ["", "Plan", "a b", "ä", &"k".repeat(65)] {
        assert_eq!(write(&mut pad, key, 0, "x").0, Status::Failed, "{key:?}");
    }
    assert_eq!(write(&mut pad, "a", 0, &"ä".repeat(4_000)).0, Status::Done);
    assert_eq!(write(&mut pad, "b", 0, &"a".repeat(4_001)).0, Status::Failed);
    for number in 0..5 {
        assert_eq!(write(&mut pad, &format!("n{number}"), 0, &"a".repeat(4_000)).0, Status::Done, "{number}");
    }
    assert_eq!(write(&mut pad, "last", 0, &"a".repeat(4_800 - 800)).0, Status::Done, "31,996 bytes and the keys");
    assert_eq!(write(&mut pad, "more", 0, &"a".repeat(800)).0, Status::Failed, "32 KiB are full");
    let mut small = Scratchpad::default();
    for number in 0..KEYS {
        assert_eq!(write(&mut small, &format!("n{number}"), 0, "x").0, Status::Done);
    }
    assert_eq!(write(&mut small, "one.more", 0, "x").0, Status::Failed);
    assert_eq!(write(&mut small, "n0", 1, "y").0, Status::Done, "a key that is there can be written again");
}
