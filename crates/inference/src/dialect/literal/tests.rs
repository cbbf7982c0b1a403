//! What is read of each notation, what is left broken, and that what was written comes back.

use proptest::prelude::*;
use serde_json::Value;

use super::{Notation, Unread, Values, write};

fn read(notation: Notation, text: &str) -> Result<String, Unread> {
    let mut values = Values::new(notation, text);
    let json = values.value()?;
    if values.rest().is_empty() { Ok(json) } else { Err(Unread) }
}

#[test]
fn pythons_notation_is_read() {
    let rows = [
        (r#""a""#, r#""a""#),
        (r"'it\'s'", r#""it's""#),
        (r#"'say "hi"'"#, r#""say \"hi\"""#),
        ("'two\nlines'", r#""two\nlines""#),
        ("\"\"\"a \"quoted\" b\"\"\"", r#""a \"quoted\" b""#),
        (r#""""#, r#""""#),
        (r"'\x41\u00e9\U0001f600\a\v'", "\"A\\u00e9😀\\u0007\\u000b\""),
        ("'a\\\nb'", r#""ab""#),
        ("True", "true"),
        ("None", "null"),
        ("false", "false"),
        ("-1.50e+3", "-1.50e+3"),
        ("[1, 'a', (2, None),]", r#"[1, "a", [2, null]]"#),
        ("{'k': {'l': []}}", r#"{"k": {"l": []}}"#),
    ];
    for (written, json) in rows {
        assert_eq!(read(Notation::Python, written), Ok(json.to_owned()), "{written}");
    }
}

#[test]
fn gemmas_notation_is_read() {
    let rows = [
        (r#"<|"|>a "b" \n {c}<|"|>"#, r#""a \"b\" \\n {c}""#),
        ("<escape>a<escape>", r#""a""#),
        (r#""a\u003cb""#, r#""a\u003cb""#),
        (r#"{a:1,"b c":[true,null],<|"|>d:e<|"|>:{}}"#, r#"{"a": 1, "b c": [true, null], "d:e": {}}"#),
    ];
    for (written, json) in rows {
        assert_eq!(read(Notation::Gemma, written), Ok(json.to_owned()), "{written}");
    }
}

#[test]
fn what_has_two_readings_or_none_gives_no_good_json() {
    for written in ["'C:\\path'", "'\\d'", "1_000", "x", "nan", "0x10", "'\\07'", "01"] {
        let json = read(Notation::Python, written).unwrap();
        assert!(serde_json::from_str::<Value>(&json).is_err(), "{written} became {json}");
    }
    for written in ["'a\\/b'", "'\\\t'", "a b", "{1: 2}", "'a' 'b'", "f(1)", "'open", "[1", "{**a}", "'\\x4'", "{a: 1}"]
    {
        assert_eq!(read(Notation::Python, written), Err(Unread), "{written}");
    }
    assert_eq!(read(Notation::Python, &"[".repeat(100_000)), Err(Unread));
}

#[test]
fn names_that_python_lacks_stand_in_a_dictionary() {
    assert_eq!(write::arguments(r#"{"a": "b", "n": [true]}"#), r#"a="b", n=[True]"#);
    assert_eq!(write::arguments(r#"{"a b": 1}"#), r#"**{"a b": 1}"#);
}

fn json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "\\PC{0,8}",
        any::<String>(),
        Just("<|\"|>".to_owned()),
        Just("a<escape>".to_owned()),
        "[\\\\\"'\n<|>{}\\[\\]:,=()]{0,6}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(text.clone(), inner, 0..4)
                .prop_map(|members| Value::from(serde_json::Map::from_iter(members))),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_comes_back(value in json()) {
        for notation in [Notation::Python, Notation::Gemma] {
            let written = write::value(notation, &value.to_string());
            let read = read(notation, &written).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&read).unwrap(), value.clone(), "{}", written);
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>()) {
        for notation in [Notation::Python, Notation::Gemma] {
            let _ = read(notation, &text);
        }
    }
}
