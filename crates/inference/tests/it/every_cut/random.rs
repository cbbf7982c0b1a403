//! Random schemas and calls that fit them, in every dialect: what the renderer writes is parsed to the same calls, and
//! no stream whatever makes a parser panic or depend on where it was cut.

use inference::dialect::{Dialect, Ending, Parser};
use inference::protocol::message::{Call, Tool};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Map, Value, json};
use testkit::counts;

use crate::corpus::{call, canonical, markers};
use crate::outcome::{parse, parse_at_cuts};

/// A schema and a value that fits it.
type Fitting = (Value, Value);

fn text() -> impl Strategy<Value = String> {
    let marker = prop::sample::select(markers()).prop_map(str::to_owned);
    let piece = prop_oneof![marker, any::<String>(), "[ -~]{0,8}", "[\n\"'\\\\<>/|{}\\[\\](),:=]{0,4}"];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn scalar() -> impl Strategy<Value = Fitting> {
    prop_oneof![
        text().prop_map(|text| (json!({ "type": "string" }), Value::from(text))),
        any::<i64>().prop_map(|number| (json!({ "type": "integer" }), Value::from(number))),
        (-1e9..1e9f64).prop_map(|number| (json!({ "type": "number" }), Value::from(number))),
        any::<bool>().prop_map(|on| (json!({ "type": "boolean" }), Value::from(on))),
        Just((json!({ "type": "null" }), Value::Null)),
        prop::collection::vec(text(), 1..4)
            .prop_map(|texts| (json!({ "enum": texts }), Value::from(texts[0].as_str()))),
        text().prop_map(|text| (json!({ "type": ["string", "integer", "boolean", "null"] }), Value::from(text))),
        any::<u64>().prop_map(|number| (json!({ "type": ["string", "integer"] }), Value::from(number))),
        text().prop_map(|text| (json!({}), Value::from(text))),
        text().prop_map(|text| (json!({ "anyOf": [{ "type": "string" }, { "type": "array" }] }), Value::from(text))),
    ]
}

fn any_schema() -> impl Strategy<Value = Fitting> {
    scalar().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|items| {
                let (schemas, values): (Vec<Value>, Vec<Value>) = items.into_iter().unzip();
                (json!({ "type": "array", "items": { "anyOf": schemas } }), Value::from(values))
            }),
            object(inner),
        ]
    })
}

fn object(member: impl Strategy<Value = Fitting>) -> impl Strategy<Value = Fitting> {
    let key = prop_oneof![8 => "[a-z_]{1,8}".boxed(), 1 => text().boxed()];
    prop::collection::btree_map(key, member, 0..4).prop_map(|members| {
        let schemas: Map<String, Value> =
            members.iter().map(|(key, (schema, _))| (key.clone(), schema.clone())).collect();
        let values: Map<String, Value> = members.into_iter().map(|(key, (_, value))| (key, value)).collect();
        (json!({ "type": "object", "properties": schemas }), Value::from(values))
    })
}

fn tools_and_calls() -> impl Strategy<Value = (Vec<Tool>, Vec<Call>)> {
    prop::collection::vec(object(any_schema()), 1..=16).prop_map(|objects| {
        let each = objects.into_iter().enumerate().map(|(index, (schema, arguments))| {
            let name = format!("tool_{index}");
            let call = call(&name, &canonical(&arguments.to_string()));
            (Tool { name, description: String::new(), schema }, call)
        });
        each.unzip()
    })
}

fn config() -> Config {
    let cases = u32::try_from(counts::pick(48, 4096)).unwrap();
    Config { cases, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn calls_of_random_schemas_come_back((tools, calls) in tools_and_calls(), text in "[a-zA-Z .,\n]{0,12}", cut in any::<prop::sample::Index>()) {
        for dialect in Dialect::ALL {
            let stream = dialect.reply(text.trim_start(), &calls, &tools);
            let parser = Parser::new(dialect, &tools, false);
            let bytes = stream.as_bytes();
            let cut = cut.index(bytes.len());
            let outcome = parse(&parser, &[&bytes[..cut], &bytes[cut..]], Ending::Natural);
            let expected: Vec<_> = calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect();
            prop_assert_eq!(&outcome.calls, &expected, "{} cut at {} of {:?}", dialect.name(), cut, stream);
            prop_assert_eq!(outcome.faults, 0);
        }
    }

    #[test]
    fn any_stream_is_the_same_at_any_cut(pieces in prop::collection::vec(text(), 0..6), natural: bool) {
        let stream = pieces.concat();
        let ending = if natural { Ending::Natural } else { Ending::Cut };
        for dialect in Dialect::ALL {
            parse_at_cuts(&crate::outcome::parser(dialect), &stream, ending, 24);
        }
    }
}
