//! The work is linear in the length of the text: counted in steps, not in time.

use serde_json::{Value, json};

use super::{Outcome, Shape, look};
use crate::model::StopReason;
use crate::tool::Schema;

/// The outcome and the steps of work for a text, under a schema that has a bit of everything.
fn work(text: &str) -> (Outcome, usize) {
    let schema: Value = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "list": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}},
            "deep": {"$ref": "#/$defs/deep"},
            "more": {"type": "object"}
        },
        "required": ["text"],
        "$defs": {"deep": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/deep"}}, {"type": "integer"}]}}
    });
    let schema = Schema::new(schema).unwrap();
    look(text, Shape { schema: &schema, tool: "read" }, StopReason::Natural)
}

fn of_length(count: usize) -> Vec<(&'static str, String)> {
    let many = |piece: &str| piece.repeat(count);
    let wrapped = |inner: &str| Value::from(inner).to_string();
    vec![
        ("text", format!("{{'text':'{}'}}", many("a\\\\"))),
        ("comments", format!("{{'text':'a'{}}}", many("/* { */ // '\n"))),
        ("written newlines", format!("{{'text':'a'{}}}", many("\\n"))),
        ("prose", format!("{} {{'text':'a'}} {}", many("well, "), many("well "))),
        ("backquotes", format!("{} {{'text':'a'}}", many("` `` "))),
        ("quoted items", format!("{{'text':'a','list':[{}]}}", many("'5',"))),
        ("bad item at the end", format!("{{'text':'a','list':[{}'x']}}", many("'5',"))),
        ("text in text in text", wrapped(&wrapped(&format!("{{'text':'{}'}}", many("b"))))),
        ("list as text", format!("{{'text':'a','list':{}}}", wrapped(&format!("[{}]", many("'5',"))))),
        ("alternatives", format!("{{'text':'a','deep':[{}]}}", many("['5','6'],"))),
        ("object for text", format!("{{'text':{{'a':[{}]}}}}", many("1,"))),
        ("quotes", many("\"")),
        ("openers", many("{\"")),
        ("blanks", format!("{{'text':'a'{}", many(" "))),
        ("no value", many("a ")),
        ("signs", format!("{{'text':{}}}", many("-"))),
        ("unknown", format!("{{'text':'a','more':{{'x':[{}]}}}}", many("'5',"))),
    ]
}

#[test]
fn the_work_is_linear_in_length() {
    for ((name, short), (_, long)) in of_length(2_000).into_iter().zip(of_length(16_000)) {
        let ((_, few), (_, many)) = (work(&short), work(&long));
        assert!(many <= 9 * few.max(short.len()), "{name}: {few} steps for {}, {many} for {}", short.len(), long.len());
        assert!(many <= 64 * long.len(), "{name}: {many} steps for {} bytes", long.len());
    }
}

#[test]
fn the_texts_that_are_counted_are_mended() {
    let mended = of_length(3).into_iter().filter(|(_, text)| matches!(work(text).0, Outcome::Repaired(_)));
    let names: Vec<_> = mended.map(|(name, _)| name).collect();
    assert_eq!(names.len(), 10, "{names:?}");
}

#[test]
fn alternatives_that_name_themselves_end() {
    let branch = |title: &str| json!({"title": title, "type": "array", "items": {"$ref": "#"}});
    let schema = json!({"anyOf": [branch("a"), branch("b"), branch("c"), {"type": "integer", "minimum": 0}]});
    let schema = Schema::new(json!({"type": "object", "properties": {"a": schema}})).unwrap();
    let text = format!("{{\"a\":{}'1'{}}}", "[".repeat(60), "]".repeat(60));
    let (_, work) = look(&text, Shape { schema: &schema, tool: "read" }, StopReason::Natural);
    assert!(work < 40_000, "{work}");
}
