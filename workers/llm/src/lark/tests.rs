//! What each dialect's renderer writes, its grammar lets through from the opener on; what fits no tool it stops.

use inference::dialect::{Dialect, Ending, Parser};
use inference::protocol::message::{Call, Tool};
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};

use super::*;

fn tools() -> Vec<Tool> {
    let tool = |name: &str, schema| Tool { name: name.to_owned(), description: "It does.".to_owned(), schema };
    let properties = json!({
        "path": { "type": "string" },
        "n": { "type": "integer" },
        "tags": { "type": "array", "items": { "type": "string" } },
    });
    let read = json!({ "type": "object", "properties": properties, "required": ["path"] });
    vec![tool("read_file", read), tool("nothing", json!({ "type": "object", "properties": {} }))]
}

fn call(name: &str, arguments: &str) -> Call {
    Call { id: String::new(), name: name.to_owned(), arguments: arguments.to_owned() }
}

/// Letters as tokens: which letters are one token is the vocabulary's matter.
fn factory() -> ParserFactory {
    let mut factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).unwrap();
    factory.quiet();
    factory
}

fn matcher(factory: &ParserFactory, dialect: Dialect, first: bool) -> Matcher {
    let lark = grammar(&dialect.rows(tools().iter(), first), &[]);
    let matcher = Matcher::new(factory.create_parser(TopLevelGrammar::from_lark(lark.clone())));
    assert_eq!(matcher.get_error(), None, "{}: {lark}", dialect.name());
    matcher
}

fn bytes(text: &str) -> Vec<u32> {
    text.bytes().map(u32::from).collect()
}

/// Goes through a stream as the sampler does; gives how many bytes stood under a grammar, or the place it refused.
fn constrained(factory: &ParserFactory, dialect: Dialect, stream: &str) -> Result<usize, usize> {
    let mut parser = Parser::new(dialect, &tools(), false);
    let (mut open, mut count): (Option<Matcher>, usize) = (None, 0);
    for (at, letter) in stream.char_indices() {
        let text = letter.to_string();
        if let Some(matcher) = &mut open {
            let given = bytes(&text);
            if matcher.try_consume_tokens(&given).unwrap() < given.len() {
                return Err(at);
            }
            count += given.len();
        }
        open = open.filter(|matcher| !matcher.is_stopped());
        let before = (parser.in_call(), parser.calls());
        parser.push(&text);
        let begins = !before.0 || (parser.calls() > before.1 && !parser.at_first_call() && open.is_none());
        if !parser.in_call() {
            open = None;
        } else if begins {
            let (mut matcher, body) = (matcher(factory, dialect, parser.at_first_call()), bytes(parser.call_body()));
            if matcher.try_consume_tokens(&body).unwrap() < body.len() {
                return Err(at);
            }
            open = Some(matcher).filter(|matcher| !matcher.is_stopped());
        }
    }
    let (_, parsed) = parser.finish(Ending::Natural);
    assert!(parsed.calls.iter().all(|call| call.fault.is_none()), "{stream}");
    Ok(count)
}

#[test]
fn what_a_dialect_writes_its_grammar_lets_through() {
    let factory = factory();
    let some = call("read_file", r#"{"path": "a", "n": 5, "tags": ["x", "y"]}"#);
    let replies = [
        vec![call("read_file", r#"{"path": "a \"q\" b"}"#)],
        vec![some.clone()],
        vec![call("nothing", "{}")],
        vec![call("read_file", r#"{"path": "a.txt"}"#), call("nothing", "{}"), some],
    ];
    for dialect in Dialect::ALL {
        for calls in &replies {
            let stream = dialect.reply("", calls, &tools());
            let count = constrained(&factory, dialect, &stream);
            assert!(count.is_ok_and(|count| count > 0), "{}: {count:?} of {stream}", dialect.name());
        }
    }
}

#[test]
fn a_name_or_an_argument_that_no_tool_has_is_refused() {
    let factory = factory();
    for dialect in [Dialect::Hermes, Dialect::Mistral, Dialect::MistralArgs, Dialect::Kimi, Dialect::QwenXml] {
        for wrong in [call("read_file", r#"{"path": "a", "m": 5}"#), call("write_file", r#"{"path": "a"}"#)] {
            let stream = dialect.reply("", &[wrong], &tools());
            assert!(constrained(&factory, dialect, &stream).is_err(), "{}: {stream}", dialect.name());
        }
    }
}

#[test]
fn control_tokens_stand_as_tokens_the_longest_first() {
    let controls = [("<|call|>".to_owned(), 7), ("<|".to_owned(), 8)];
    let pieces = split("a <|call|><|b", &controls);
    assert_eq!(pieces, [Piece::Letters("a "), Piece::Control(7), Piece::Control(8), Piece::Letters("b")]);
    let lark = grammar(&[vec![Part::Text("x<|call|>".to_owned())]], &controls);
    assert_eq!(lark, "start: \"x\" <[7]>\n");
}
