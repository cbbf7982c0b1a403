//! What is told of a repair: its steps, or the first bad place with what may stand there.

use domain::limits::ARGUMENT_BYTES;
use domain::model::StopReason;
use domain::repair::{Did, Outcome, Shape, example, repair, repair_value};
use domain::tool::Schema;
use serde_json::json;

use super::{READ, TOOL, bad, schema, steps};
use crate::json_text::Sample;
use crate::random::{Random, times};

#[test]
fn each_step_is_said() {
    let text = "```json\n{'path': 'a', \"limit\": \"5\", 'Mode': 'FAST', more: null, // x\n}\n```";
    let at = |path: &str, did: Did| (path.to_owned(), did);
    assert_eq!(
        steps(text),
        [
            at("", Did::Fence),
            at("", Did::Quotes),
            at("", Did::BareKey),
            at("", Did::Comment),
            at("", Did::TrailingComma),
            at("/limit", Did::QuotedNumber),
            at("/Mode", Did::RenamedKey("Mode".to_owned())),
            at("/Mode", Did::Respelled),
            at("/more", Did::NullDropped),
        ]
    );
}

#[test]
fn the_first_bad_place_is_named_with_what_is_there_and_what_may_be() {
    for (text, place, found, allowed) in [
        (r#"{"limit":"x","path":[]}"#, "/limit", "\"x\"", "an integer"),
        (r#"{"path":"a","recursive":1}"#, "/recursive", "1", "true or false"),
        (r#"{"path":"a","mode":"quick"}"#, "/mode", "\"quick\"", "\"fast\", \"Slow\""),
        (r#"{"path":"a","more":{"n":"x~/"}}"#, "/more/n", "x~/", "an integer"),
        (r#"{"path":"a","tags":["b",null]}"#, "/tags/1", "null", "text"),
        (r#"{"limit":1}"#, "", "\"path\"", "missing"),
        ("[1,2]", "", "a list of 2", "object"),
        ("{\"path\":\"a\",\"limit\":}", "/limit", "\"}\"", "a value"),
    ] {
        let (path, reason) = bad(text);
        assert_eq!(path, place, "{text}: {reason}");
        assert!(reason.contains(found) && reason.contains(allowed), "{text}: {reason}");
    }
    let long = format!(r#"{{"path":["{}"],"limit":"{}"}}"#, "x".repeat(9000), "y".repeat(9000));
    assert!(bad(&long).1.len() < 500, "a reason is short");
}

#[test]
fn what_is_too_large_is_said_so() {
    let open = schema(json!({"type":"object"}));
    let of = |text: &str| repair(text, Shape { schema: &open, tool: TOOL }, StopReason::Natural);
    let nested = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    assert_eq!(of(&nested(64)), Outcome::Untouched);
    assert_eq!(of(&nested(65)), Outcome::TooLarge);
    assert_eq!(of(&"[".repeat(100_000)), Outcome::TooLarge);
    let keys =
        |count: usize| format!("{{{}}}", (0..count).map(|n| format!("\"k{n}\":1")).collect::<Vec<_>>().join(","));
    assert_eq!(of(&keys(1024)), Outcome::Untouched);
    assert_eq!(of(&keys(1025)), Outcome::TooLarge);
    let text = format!(r#"{{"path":"{}"}}"#, "x".repeat(ARGUMENT_BYTES));
    assert_eq!(of(&text), Outcome::TooLarge);
    let inner = serde_json::to_string(&nested(40)).unwrap();
    let deep = json!({"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}});
    let within = format!("{{\"a\":[{inner}]}}");
    let of = |text: &str| repair(text, Shape { schema: &schema(deep.clone()), tool: TOOL }, StopReason::Natural);
    assert!(matches!(of(&within), Outcome::Repaired(_)));
    assert_eq!(of(&within.replace(&inner, &serde_json::to_string(&nested(63)).unwrap())), Outcome::TooLarge);
}

/// Alternatives within alternatives that name themselves: nothing runs for ever, nothing overflows.
#[test]
fn a_schema_that_goes_in_circles_is_given_up() {
    let circles = [
        json!({"$ref":"#"}),
        json!({"anyOf":[{"$ref":"#"},{"$ref":"#"}]}),
        json!({"type":"array","items":{"anyOf":[{"$ref":"#"},{"$ref":"#","title":"x"},{"type":"integer"}]}}),
    ];
    // Not JSON, so that only mending looks at it: the schema's own check has no bound of this kind.
    let text = format!("{}'1'{}", "[".repeat(60), "]".repeat(60));
    for json in circles {
        let Ok(schema) = Schema::new(json) else { continue };
        repair_value(&text, &schema);
    }
}

#[test]
fn an_example_fits_its_schema() {
    let mut random = Random(46);
    for _ in 0..times(200, 2_000) {
        let schema = schema(Sample::draw(&mut random).schema());
        let example = example(&schema).unwrap_or_else(|| panic!("{}", schema.json()));
        assert_eq!(schema.misfit(&example), None, "{example} for {}", schema.json());
    }
    assert_eq!(example(&READ), Some(json!({"path":"text"})));
}
