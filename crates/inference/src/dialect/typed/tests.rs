//! Which kinds a schema allows, what a written argument means by them, and that what was written comes back.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Kinds, json_of, members, written};
use crate::protocol::message::Tool;

fn kinds(schema: Value) -> Kinds {
    let definitions = json!({ "text": { "type": "string" }, "loop": { "$ref": "#/$defs/loop" } });
    let schema = json!({ "type": "object", "properties": { "a": schema }, "$defs": definitions });
    let tool = Tool { name: "tool".to_owned(), description: String::new(), schema };
    Kinds::of_argument(&[tool], "tool", "a")
}

#[test]
fn kinds_follow_the_schema() {
    let text = Kinds::TEXT;
    let text_or_number = Kinds(Kinds::TEXT.0 | Kinds::NUMBER.0);
    assert_eq!(kinds(json!({ "type": "string" })), text);
    assert_eq!(kinds(json!({ "enum": ["a", "b"] })), text);
    assert_eq!(kinds(json!({ "const": "a" })), text);
    assert_eq!(kinds(json!({ "$ref": "#/$defs/text" })), text);
    assert_eq!(kinds(json!({ "allOf": [{ "type": ["string", "null"] }, { "type": "string" }] })), text);
    assert_eq!(kinds(json!({ "type": ["string", "integer"] })), text_or_number);
    assert_eq!(kinds(json!({ "anyOf": [{ "type": "string" }, { "type": "number" }] })), text_or_number);
    assert_eq!(kinds(json!({ "enum": ["a", 1] })), text_or_number);
    for nothing in [json!({}), json!(true), json!({ "$ref": "#/$defs/loop" }), json!({ "type": "teapot" })] {
        assert_eq!(kinds(nothing), Kinds::ANY);
    }
    assert_eq!(Kinds::of_argument(&[], "tool", "a"), Kinds::ANY);
}

#[test]
fn a_text_stays_and_other_kinds_are_json() {
    let (text, number, either) =
        (Kinds::TEXT, kinds(json!({ "type": "integer" })), kinds(json!({ "type": ["string", "integer"] })));
    let rows = [
        (text, " 5 ", r#"" 5 ""#),
        (text, "\"a\"", r#""\"a\"""#),
        (number, " 5\n", "5"),
        (number, "12345678901234567890.10", "12345678901234567890.10"),
        (number, "five", r#""five""#),
        (number, "1, \"path\": \"/etc\"", r#""1, \"path\": \"/etc\"""#),
        (number, "[1]", "[1]"),
        (either, "5", "5"),
        (either, "\"5\"", r#""5""#),
        (either, "true", r#""true""#),
        (either, "five", r#""five""#),
        (Kinds::ANY, "True", "true"),
        (Kinds::ANY, "None", "null"),
        (Kinds::ANY, "{\"a\": 1}", "{\"a\": 1}"),
        (Kinds::ANY, "", r#""""#),
    ];
    for (kinds, written, json) in rows {
        assert_eq!(json_of(kinds, written), json, "{written}");
    }
}

#[test]
fn what_tags_cannot_hold_is_written_in_no_way() {
    let no_tag = |text: &str| !text.contains("</v>");
    assert_eq!(written(Kinds::TEXT, r#""a</v>""#, no_tag), None);
    assert_eq!(written(Kinds::TEXT, "null", no_tag), None);
    assert_eq!(written(Kinds::ANY, r#""a</v>""#, no_tag), Some(r#""a\u003c/v>""#.to_owned()));
    assert_eq!(written(Kinds::ANY, r#"["</v>"]"#, no_tag), Some(r#"["\u003c/v>"]"#.to_owned()));
}

#[test]
fn members_keep_order_doubles_and_digits() {
    let read: Vec<(String, String)> = members(r#"{"b": 1.0, "a": [ ], "b": 1e2}"#)
        .unwrap()
        .into_iter()
        .map(|(key, value)| (key, value.get().to_owned()))
        .collect();
    let rows = [("b", "1.0"), ("a", "[ ]"), ("b", "1e2")];
    assert_eq!(read, rows.map(|(key, value)| (key.to_owned(), value.to_owned())));
    assert!(members("[]").is_none() && members("{").is_none());
}

proptest! {
    #[test]
    fn what_is_written_comes_back(text in any::<String>(), bits in 1u8..64) {
        let kinds = Kinds(bits);
        let value = Value::from(text);
        if let Some(way) = written(kinds, &value.to_string(), |_| true) {
            let back: Value = serde_json::from_str(&json_of(kinds, &way)).unwrap();
            prop_assert_eq!(back, value);
        }
    }
}
