//! The kinds of slips: what is read as it was meant, and what never is.

use domain::model::StopReason;
use domain::repair::{Did, Outcome, Shape, repair, repair_value, value};
use serde_json::{Value, json};

use super::{READ, TOOL, bad, becomes, mended, schema, stays, value_becomes, values_stay};

#[test]
fn what_may_stand_around_values() {
    let a = || json!({"path": "a"});
    for text in [
        "\u{feff}{\"path\":\"a\"}",
        "```json\n{\"path\":\"a\"}\n```",
        "```\n{\"path\":\"a\"}```",
        "```{\"path\":\"a\"}```",
        "~~~json\n{\"path\":\"a\"}\n~~~\n",
        "Here is the call:\n```json\n{\"path\":\"a\"}\n```\nThat reads it.",
        "Here is the call: {\"path\":\"a\"}",
        "{\"path\":\"a\"}\n\nThis reads the file.",
        "Sure! {\"path\":\"a\"} I hope that's \"right\".",
        "[{\"path\":\"a\"}]",
        "[{'path':'a',},]",
        "{/* the file */ \"path\": \"a\" }",
        "{\"path\": \"a\" # file\n}",
        "// file\n{\"path\":\"a\"}",
        "{\"path\":\"a\",}",
        "{‘path’: ‘a’}",
        "{„path“: „a“}",
        r#"{\"path\":\"a\"}"#,
        r#"{"path": \"a\"}"#,
        r"{\'path\': \'a\'}",
        "{path: 'a'}",
        r#"{\n  "path": "a"\n}"#,
        r#"{\n\t\"path\": \"a\"\r\n}"#,
        r#""{\"path\":\"a\"}""#,
        r#"'{"path":"a"}'"#,
        r#"```json
"{\"path\":\"a\"}"
```"#,
    ] {
        becomes(text, a());
    }
    becomes(r#"{"path":"a","tags":["b","c",],"more":{"n":1,},}"#, json!({"path":"a","tags":["b","c"],"more":{"n":1}}));
    becomes("{'path':'a','recursive':False,'limit':None}", json!({"path":"a","recursive":false}));
    becomes("{\"path\":\"a\u{1}\r\n\0b\"}", json!({"path":"a\u{1}\r\n\0b"}));
    becomes(r#"{'path': 'say \"hi\" \\ \u00e9\ud83d\ude80 ’'}"#, json!({"path":"say \"hi\" \\ é🚀 ’"}));
    becomes("{“path”: “it's \"a\"”}", json!({"path":"it's \"a\""}));
    stays(&[
        "{\"path\":\"a\"} {\"path\":\"b\"}",
        "{\"path\":\"a\"}, {\"path\":\"b\"}",
        "Use {x}: {\"path\":\"a\"}",
        "{\"path\":\"a\"}}",
        "{\"path\":\"a\"}]",
        "{\"path\":\"a\"},",
        "{\"path\":\"a\"} \"b\"",
        "```json\n{\"path\":\"a\"}",
        "{\"path\":\"a\"}\n```",
        "```\n{\"path\":\"a\"}\n```\n```\n{\"path\":\"b\"}\n```",
        "<arguments>{\"path\":\"a\"}</arguments>",
        "delete({\"path\":\"a\"})",
        "[{\"path\":\"a\"},{\"path\":\"b\"}]",
        "[[{\"path\":\"a\"}]]",
        "[]",
        "path: a",
        "\"path\": \"a\"",
        "{\"path\" \"a\"}",
        "{\"path\":\"a\" \"limit\":1}",
        "{\"path\":\"a\",,}",
        "{,}",
        "{\"path\": a}",
        "{\"path\":\"a\",\"limit\":undefined}",
        "{\"path\":\"a\",\"recursive\":TRUE}",
        "{\"path\": \"a\" + \"b\"}",
        "{\"path\": \"\"\"a\"\"\"}",
        "{\"path\": r\"a\"}",
        "{\"path\": \"a\" / }",
    ]);
}

#[test]
fn what_has_one_reading_by_its_schema() {
    let list = |items: Value| json!({"type": "array", "items": items});
    becomes(r#"{"path":"a","tags":"[\"b\"]"}"#, json!({"path":"a","tags":["b"]}));
    becomes(r#"{"path":"a","more":"{'n': '1'}"}"#, json!({"path":"a","more":{"n":1}}));
    becomes(r#"{"path":"a","more":"{\\\"n\\\":1}"}"#, json!({"path":"a","more":{"n":1}}));
    value_becomes(r#""\"\\\"[1]\\\"\"""#, list(json!({"type":"integer"})), json!([1]));
    values_stay(&[(r#""\"\\\"\\\\\\\"[1]\\\\\\\"\\\"\"""#, list(json!({"type":"integer"})))]);
    value_becomes("\"a b\"", list(json!({"type":"string"})), json!(["a b"]));
    value_becomes("\"5\"", list(json!({"type":"integer"})), json!([5]));
    value_becomes("true", list(json!({"type":"boolean"})), json!([true]));
    value_becomes("[1, 1.50]", list(json!({"type":"string"})), json!(["1", "1.50"]));
    let object = json!({"type":"object","properties":{"n":{"type":"integer"}}});
    value_becomes(r#"{"n":"1"}"#, list(object.clone()), json!([{"n":1}]));
    value_becomes(r#""{\"n\":1}""#, list(object.clone()), json!([{"n":1}]));
    value_becomes(
        r#"{"N ":1}"#,
        json!({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}),
        json!({"n":1}),
    );
    value_becomes("\" READ \"", json!({"enum":["read","write"]}), json!("read"));
    value_becomes("\"Read\"", json!({"oneOf":[{"const":"read","description":"x"},{"const":"write"}]}), json!("read"));
    value_becomes("\"ÄRA\"", json!({"enum":["ära"]}), json!("ära"));
    value_becomes("\"True\"", json!({"enum":[true, 0]}), json!(true));
    value_becomes("5", json!({"type":"string","enum":["5","6"]}), json!("5"));
    value_becomes("\"5\"", json!({"type":["integer","null"]}), json!(5));
    value_becomes("\"5\"", json!({"anyOf":[{"type":"integer"},{"type":"null"}]}), json!(5));
    value_becomes("\"5.0\"", json!({"type":["integer","number"]}), json!(5.0));
    let own = json!({"$defs":{"n":{"type":"integer"}},"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}});
    value_becomes(r#"{"n":"7"}"#, own, json!({"n":7}));
    value_becomes(r#"{"n":null,"m":1}"#, object, json!({"m":1}));
    value_becomes("1.50", json!({"type":"string"}), json!("1.50"));
    value_becomes("True", json!({"type":"string"}), json!("True"));
    value_becomes("{ 'a' : 1 }", json!({"type":"string"}), json!("{ 'a' : 1 }"));
    value_becomes(r#"{"a":1,"a":2}"#, json!({"type":"string"}), json!(r#"{"a":1,"a":2}"#));
    value_becomes("True", json!({"type":"boolean"}), json!(true));
    value_becomes("\" true \"", json!({"type":"boolean"}), json!(true));
    let kinds = json!({"oneOf":[
        {"type":"object","properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind","n"]},
        {"type":"object","properties":{"kind":{"const":"b"},"n":{"type":"string"}},"required":["kind","n"]}
    ]});
    value_becomes(r#"{"kind":"a","n":"1"}"#, kinds.clone(), json!({"kind":"a","n":1}));
    value_becomes(r#"{"kind":"b","n":1}"#, kinds, json!({"kind":"b","n":"1"}));
    values_stay(&[
        ("\"a,b\"", list(json!({"type":"string"}))),
        ("\"a\\rb\"", list(json!({"type":"string"}))),
        ("null", list(json!({"type":"string"}))),
        ("\"null\"", list(json!({"type":"string"}))),
        ("\"[a-z]\"", list(json!({"type":"string"}))),
        ("\"['a'\"", list(json!({"type":"string"}))),
        ("{\"a\":1}", list(json!({"type":"string"}))),
        ("\"a\"", json!({"type":"array"})),
        ("5", list(list(json!({"type":"integer"})))),
        ("[1,2]", json!({"type":"string"})),
        ("[{\"a\":1}]", json!({"type":"object"})),
        ("null", json!({"type":"object"})),
        ("\"Here: {\\\"a\\\":1}\"", json!({"type":"object"})),
        ("\"READ\"", json!({"enum":["Read","rEAD"]})),
        ("\"rea\"", json!({"enum":["read"]})),
        ("\"5\"", json!({"type":["integer","array"],"items":{"type":"integer"}})),
        ("\"true\"", json!({"type":["boolean","integer"],"enum":[1,2]})),
        ("\"null\"", json!({"type":["integer","null"]})),
        (
            "{\"Ab\":1}",
            json!({"type":"object","additionalProperties":{"type":"integer"},"properties":{"ab":{"type":"integer"}},"required":["ab"]}),
        ),
        ("{\"a\":null}", json!({"type":"object","additionalProperties":{"type":"string"}})),
        ("{\"n\":null}", json!({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})),
        ("{\"A\":1,\"a \":2}", json!({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]})),
    ]);
}

#[test]
fn what_is_never_done() {
    for text in ["NaN", "Infinity", "-Infinity", "+5", ".5", "5.", "0x10", "1_000", "1,000", "007", "5%", "five", "nan"]
    {
        stays(&[&format!(r#"{{"path":"a","ratio":{text}}}"#), &format!(r#"{{"path":"a","limit":"{text}"}}"#)]);
        if text != "007" {
            continue;
        }
        stays(&[&format!(r#"{{"path":{text}}}"#)]);
    }
    for text in ["yes", "no", "on", "off", "1", "0", "y", ""] {
        values_stay(&[(&format!("\"{text}\""), json!({"type":"boolean"}))]);
    }
    values_stay(&[
        ("1", json!({"type":"boolean"})),
        ("0", json!({"type":"boolean"})),
        ("true", json!({"type":"integer"})),
        ("\"5.5\"", json!({"type":"integer"})),
        ("5.5", json!({"type":"integer"})),
        ("\"1e400\"", json!({"type":"number"})),
        ("1e400", json!({"type":"number"})),
        ("\"[1,2] \"", json!({"type":"string"})),
        ("{\"a\":1,\"a\":1}", json!({"type":"object"})),
        ("{'a':1,\"\\u0061\":1}", json!({"type":"object"})),
        ("{'b':{'a':1,a:1}}", json!({"type":"object"})),
        ("{\"n\":1}{\"m\":2}", json!({"type":"object"})),
        ("[{\"n\":1},{\"m\":2}]", json!({"type":"object"})),
    ]);
    let (path, reason) = bad(r#"{"path":"a","more":{"n":1,"n":2}}"#);
    assert_eq!(path, "/more/n");
    assert!(reason.contains("twice"), "{reason}");
}

#[test]
fn digits_are_never_rounded() {
    let digits = "0.1000000000000000055511151231257827021181583404541015625";
    for number in ["9007199254740993", "-9223372036854775808", "18446744073709551615", "36893488147419103233", digits] {
        let outcome = repair_value(&format!("\"{number}\""), &schema(json!({"type":"number"})));
        let Outcome::Repaired(mended) = outcome else { panic!("{number}: {outcome:?}") };
        assert_eq!(mended.text, number);
    }
    assert_eq!(value("[9007199254740993,0.1,1e3]"), Ok(json!([9007199254740993_u64, 0.1, 1000.0])));
    let lost = value(&format!("{{\"a\":[1,{digits}]}}")).unwrap_err();
    assert_eq!((lost.path.as_str(), lost.number.as_str()), ("/a/1", digits));
    assert!(value("36893488147419103233").is_err(), "no 64 bits hold it");
}

#[test]
fn wrappers_are_taken_off_only_where_nothing_else_could_be_meant() {
    let a = || json!({"path": "a"});
    for key in ["arguments", "parameters", "args", "input", "params"] {
        becomes(&format!(r#"{{"{key}":{{"path":"a"}}}}"#), a());
        becomes(&format!(r#"{{"{key}":"{{\"path\":\"a\"}}"}}"#), a());
        becomes(&format!(r#"{{"name":"read","{key}":{{"path":"a"}}}}"#), a());
    }
    becomes(r#"{"arguments":{"path":"a"},"name":"read"}"#, a());
    becomes(r#"{"arguments":{"name":"read","arguments":{"path":"a"}}}"#, a());
    becomes(r#"[{"name":"read","arguments":{"path":"a","limit":"3"}}]"#, json!({"path":"a","limit":3}));
    stays(&[
        r#"{"name":"delete","arguments":{"path":"a"}}"#,
        r#"{"name":"Read","arguments":{"path":"a"}}"#,
        r#"{"arguments":{"name":"delete","arguments":{"path":"a"}}}"#,
        r#"{"name":"read","arguments":{"path":"a"},"limit":1}"#,
        r#"{"arguments":{"path":"a"},"args":{"path":"a"}}"#,
        r#"{"payload":{"path":"a"}}"#,
        r#"{"arguments":{"limit":1}}"#,
        r#"{"arguments":"a"}"#,
        r#"{"arguments":[{"path":"a"},{"path":"b"}]}"#,
    ]);
    let own = |text: &str, json: Value| repair(text, Shape { schema: &schema(json), tool: TOOL }, StopReason::Natural);
    let input =
        json!({"type":"object","properties":{"input":{"type":"string"},"path":{"type":"string"}},"required":["path"]});
    assert_eq!(mended(&own(r#"{"input":{"path":"a"}}"#, input)), None, "the schema has the key");
    let open = json!({"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":{"type":"object"}});
    assert_eq!(mended(&own(r#"{"input":{"path":"a"}}"#, open)), None, "the key may be meant");
    let none = json!({"type":"object","properties":{}});
    assert_eq!(mended(&own("", none.clone())), Some(json!({})));
    assert_eq!(mended(&own(" None ", none)), Some(json!({})));
    stays(&["", "null", "None"]);
}

#[test]
fn unknown_keys_are_kept() {
    becomes("{'path': 'a', 'extra': [1]}", json!({"path":"a","extra":[1]}));
    let closed = schema(json!({"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}));
    let outcome = repair("{'path': 'a', 'extra': 1}", Shape { schema: &closed, tool: TOOL }, StopReason::Natural);
    let Outcome::BadArguments { path, reason } = outcome else { panic!("{outcome:?}") };
    assert_eq!(path, "/extra");
    assert!(reason.contains("unknown") && reason.contains("\"path\""), "{reason}");
    let known = json!({"path":"a","more":{"n":1,"m":2},"extra":1});
    let steps = domain::repair::unknown_keys(&known, &READ);
    let paths: Vec<_> = steps.iter().map(|step| (step.path.as_str(), &step.did)).collect();
    assert_eq!(paths, [("/extra", &Did::UnknownKey), ("/more/m", &Did::UnknownKey)]);
}
