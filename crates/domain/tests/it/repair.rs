//! A6: arguments are mended without loss or left alone. The table of cases row by row, valid texts that stay as they
//! are, backslashes that are all kept, and what each sentence about mending asks.

mod kinds;
mod told;

use std::path::PathBuf;
use std::sync::LazyLock;

use domain::model::StopReason;
use domain::repair::{Did, Outcome, Shape, repair, repair_value};
use domain::tool::Schema;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

use crate::json_text::{self, Sample};
use crate::random::{Random, times};

/// The tool that the table speaks of.
const TOOL: &str = "read";

static READ: LazyLock<Schema> = LazyLock::new(|| {
    schema(json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer"},
            "recursive": {"type": "boolean"},
            "ratio": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "mode": {"type": "string", "enum": ["fast", "Slow"]},
            "more": {"type": "object", "properties": {"n": {"type": "integer"}}}
        },
        "required": ["path"]
    }))
});

fn schema(json: Value) -> Schema {
    Schema::new(json).expect("the schema is one")
}

fn read(text: &str) -> Outcome {
    repair(text, Shape { schema: &READ, tool: TOOL }, StopReason::Natural)
}

/// What is left of the text: its value, or nothing where it must not run.
#[track_caller]
fn mended(outcome: &Outcome) -> Option<Value> {
    match outcome {
        Outcome::Repaired(mended) => Some(serde_json::from_str(&mended.text).expect("it is JSON")),
        Outcome::Untouched | Outcome::Incomplete(_) | Outcome::BadArguments { .. } | Outcome::TooLarge => None,
    }
}

#[track_caller]
fn becomes(text: &str, wanted: Value) {
    let outcome = read(text);
    assert_eq!(mended(&outcome), Some(wanted), "{text}: {outcome:?}");
}

#[track_caller]
fn value_becomes(text: &str, json: Value, wanted: Value) {
    let outcome = repair_value(text, &schema(json));
    assert_eq!(mended(&outcome), Some(wanted), "{text}: {outcome:?}");
}

#[track_caller]
fn stays(texts: &[&str]) {
    for text in texts {
        let outcome = read(text);
        assert_eq!(mended(&outcome), None, "{text}: {outcome:?}");
    }
}

#[track_caller]
fn values_stay(rows: &[(&str, Value)]) {
    for (text, json) in rows {
        let outcome = repair_value(text, &schema(json.clone()));
        assert_eq!(mended(&outcome), None, "{text} for {json}: {outcome:?}");
    }
}

#[track_caller]
fn bad(text: &str) -> (String, String) {
    match read(text) {
        Outcome::BadArguments { path, reason } => (path, reason),
        other => panic!("{text}: {other:?}"),
    }
}

#[track_caller]
fn steps(text: &str) -> Vec<(String, Did)> {
    match read(text) {
        Outcome::Repaired(mended) => mended.steps.into_iter().map(|step| (step.path, step.did)).collect(),
        other => panic!("{text}: {other:?}"),
    }
}

#[expect(clippy::disallowed_methods, reason = "the table is a file")]
#[test]
fn every_row_of_the_table() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases/argrepair-cases.tsv");
    let table = std::fs::read_to_string(path).expect("the table is there");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0], ["schema_json", "raw_json", "expected", "reason", "level"]);
    assert!(rows.len() > 90, "the table is whole");
    for row in &rows[1..] {
        let [schema_json, raw, expected, reason, level] = row[..] else { panic!("five columns: {row:?}") };
        let schema = schema(serde_json::from_str(schema_json).unwrap());
        let raw: String = serde_json::from_str(raw).unwrap();
        let outcome = match level {
            "value" => repair_value(&raw, &schema),
            "object" => repair(&raw, Shape { schema: &schema, tool: TOOL }, StopReason::Natural),
            level => panic!("{level} is no level"),
        };
        let wanted = (expected != "LEAVE").then(|| serde_json::from_str(expected).unwrap());
        assert_eq!(mended(&outcome), wanted, "{reason}: {raw}: {outcome:?}");
    }
}

#[test]
fn valid_texts_stay_as_they_are() {
    let mut random = Random(39);
    let (schemas, texts) = (times(50, 500), 200);
    for _ in 0..schemas {
        let sample = Sample::draw(&mut random);
        let schema = schema(sample.schema());
        for _ in 0..texts {
            let (text, _) = sample.text(&mut random);
            let outcome = repair(&text, Shape { schema: &schema, tool: TOOL }, StopReason::Natural);
            assert_eq!(outcome, Outcome::Untouched, "{text}\n{}", schema.json());
        }
    }
}

/// The same values in texts with slips: each is read as what it was, and what comes of it stays.
#[test]
fn slips_around_values_change_no_value() {
    let mut random = Random(42);
    for _ in 0..times(50, 500) {
        let sample = Sample::draw(&mut random);
        let schema = schema(sample.schema());
        for _ in 0..100 {
            let (text, value) = sample.slipped(&mut random);
            let outcome = repair(&text, Shape { schema: &schema, tool: TOOL }, StopReason::Natural);
            match &outcome {
                Outcome::Untouched => assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value),
                _ => assert_eq!(mended(&outcome), Some(value), "{text}\n{}\n{outcome:?}", schema.json()),
            }
            is_stable(&outcome, &schema);
        }
    }
}

/// Every spelling of a text with backslashes gives back each of them.
#[test]
fn no_backslash_is_lost() {
    let mut random = Random(41);
    let mut count = 0;
    for _ in 0..times(1_000, 10_000) {
        let sample = Sample::draw(&mut random);
        let schema = schema(sample.schema());
        let (text, value) = sample.slipped(&mut random);
        let outcome = repair(&text, Shape { schema: &schema, tool: TOOL }, StopReason::Natural);
        let kept = mended(&outcome).or_else(|| serde_json::from_str(&text).ok()).expect("it is mended or fits");
        assert_eq!(json_text::backslashes_of(&kept), json_text::backslashes_of(&value), "{text}");
        count += json_text::backslashes_of(&value);
    }
    println!("{count} backslashes kept");
    assert!(count > 100);
}

#[track_caller]
fn is_stable(outcome: &Outcome, schema: &Schema) {
    let Outcome::Repaired(mended) = outcome else { return };
    match repair(&mended.text, Shape { schema, tool: TOOL }, StopReason::Natural) {
        Outcome::Untouched | Outcome::BadArguments { .. } => {}
        other => panic!("{} is mended again: {other:?}", mended.text),
    }
}

#[test]
fn a_call_cut_short_is_never_closed() {
    for text in [
        r#"{"path":"a"#,
        r#"{"path":"a""#,
        r#"{"path""#,
        "{",
        "[",
        "{'path': 'a'",
        r#"{"path":"a" /* x"#,
        r#"{"path":"a\"}"#,
    ] {
        assert!(matches!(read(text), Outcome::Incomplete(what) if what.contains("no end")), "{text}");
    }
    let cuts =
        [StopReason::Length, StopReason::Cancelled, StopReason::Cut, StopReason::ContextFull, StopReason::Filtered];
    for stop in cuts {
        let after = |text: &str| repair(text, Shape { schema: &READ, tool: TOOL }, stop);
        for text in
            ["", "null", "{'path': 'a'}", "Here it is: {\"path\":\"a\"}", "[{\"path\":\"a\"}]", "{\"path\":\"a\"} and"]
        {
            assert!(matches!(after(text), Outcome::Incomplete(_)), "{text} after {stop:?}");
        }
        assert_eq!(after(r#"{"path":"a"}"#), Outcome::Untouched, "its end was seen");
        assert!(matches!(after(r#"{"path":"a","limit":"5"}"#), Outcome::Repaired(_)), "its end was seen");
    }
}

#[test]
fn an_escape_with_two_readings_is_named_with_field_column_and_spelling() {
    for (text, column, spelling) in [
        (r#"{"path":"C:\dir"}"#, "column 12", r"\\d"),
        (r#"{"path":"it\'s"}"#, "column 12", r"\\'"),
        (r#"{'path': 'it\'s'}"#, "column 13", r"\\'"),
        (r#"{"path":"\x41"}"#, "column 10", r"\\x"),
        (r#"{"path":"\u12"}"#, "column 10", r"\\u"),
        ("{\"limit\":1,\n\"path\":\"é\\로\"}", "line 2, column 10", r"\\로"),
    ] {
        let (path, reason) = bad(text);
        assert_eq!(path, "/path", "{text}");
        assert!(reason.contains(column) && reason.contains(spelling), "{text}: {reason}");
    }
    let (path, reason) = bad(r#"{"limit":1,"path":"say "hi" now"}"#);
    assert_eq!(path, "/path");
    assert!(reason.contains("column 25") && reason.contains(r#"\""#), "{reason}");
    stays(&[
        r#"{"path":"\ud83d"}"#,
        r#"{"path":"\ude80\ud83d"}"#,
        r#"{\"path\":\"C:\\dir\"}"#,
        r#"{\"path\":\"a\\\"b\"}"#,
        r#"{"path":\"a "b" c\"}"#,
        "{'path': 'it's'}",
        "{“path”: “he said “hi” to me”}",
    ]);
}

fn config(cases: usize) -> ProptestConfig {
    let cases = u32::try_from(cases).expect("it is small");
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(46), failure_persistence: None, ..ProptestConfig::default() }
}

/// Letters of which texts are made that are nearly JSON.
fn nearly_json() -> impl Strategy<Value = String> {
    let pieces = json_text::PIECES.to_vec();
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

fn a_stop() -> impl Strategy<Value = StopReason> {
    prop::sample::select(vec![StopReason::Natural, StopReason::Calls, StopReason::Length, StopReason::Cut])
}

#[test]
fn any_text_has_an_outcome_and_no_backslash_is_reread() {
    let schemas = [READ.clone(), schema(json!({"type":"object"})), schema(json!({"type":"object","properties":{}}))];
    proptest!(config(times(5_000, 200_000)), |(text in nearly_json(), stop in a_stop(), pick in 0..3_usize)| {
        let schema = &schemas[pick];
        let outcome = repair(&text, Shape { schema, tool: TOOL }, stop);
        is_stable(&outcome, schema);
        repair_value(&text, schema);
        if let Outcome::Repaired(mended) = &outcome {
            prop_assert!(serde_json::from_str::<Value>(&mended.text).is_ok(), "{}", mended.text);
            // Where something else than text may hold backslashes, they are not counted.
            let other = [Did::Comment, Did::Prose, Did::WrittenNewline, Did::Quotes, Did::SentAsText, Did::KeptAsText];
            if mended.steps.iter().all(|step| !other.contains(&step.did)) {
                let value: Value = serde_json::from_str(&mended.text).unwrap();
                prop_assert_eq!(json_text::backslashes(&text), Some(json_text::backslashes_of(&value)), "{}", text);
            }
        }
    });
    proptest!(config(times(2_000, 50_000)), |(text in any::<String>(), stop in a_stop())| {
        repair(&text, Shape { schema: &READ, tool: TOOL }, stop);
        repair_value(&text, &READ);
    });
}
