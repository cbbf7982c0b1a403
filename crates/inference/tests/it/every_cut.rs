//! The Hermes dialect: what its renderer writes its parser reads, wherever the stream is cut; markers never show.

mod documented;
mod gold;
mod random;
mod slips;

use inference::dialect::{Dialect, Ending, Fault, Parsed, ParsedCall, Parser, Piece};
use inference::protocol::message::{Call, Tool};
use proptest::prelude::*;

fn parser(thinking: bool) -> Parser {
    let tool = Tool { name: "a".to_owned(), description: String::new(), schema: serde_json::json!({}) };
    Parser::new(Dialect::Hermes, &[tool], thinking)
}

fn reply(text: &str, calls: &[Call]) -> String {
    Dialect::Hermes.reply(text, calls, &[])
}

fn parsed(calls: &[Call]) -> Vec<ParsedCall> {
    let parsed = |call: &Call| ParsedCall {
        name: call.name.clone(),
        arguments: call.arguments.clone(),
        ..ParsedCall::default()
    };
    calls.iter().map(parsed).collect()
}

fn incomplete(heard: &Heard) -> bool {
    matches!(heard.parsed.calls.last().and_then(|call| call.fault), Some(Fault::Incomplete(_)))
}

fn no_call(body: &str) -> ParsedCall {
    ParsedCall { arguments: body.to_owned(), fault: Some(Fault::NoCall), ..ParsedCall::default() }
}

fn call(name: &str, arguments: &str) -> Call {
    Call { id: String::new(), name: name.to_owned(), arguments: arguments.to_owned() }
}

/// What was shown piece by piece, and what the whole was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heard {
    shown: String,
    thought: String,
    begun: Vec<String>,
    arguments: String,
    parsed: Parsed,
}

fn hear(parser: Parser, pieces: &[&str], ending: Ending) -> Heard {
    let mut parser = parser;
    let mut all: Vec<Piece> = pieces.iter().flat_map(|piece| parser.push(piece)).collect();
    let (rest, parsed) = parser.finish(ending);
    all.extend(rest);
    let mut heard =
        Heard { shown: String::new(), thought: String::new(), begun: Vec::new(), arguments: String::new(), parsed };
    for piece in all {
        match piece {
            Piece::Text(text) => heard.shown.push_str(&text),
            Piece::Reasoning(text) => heard.thought.push_str(&text),
            Piece::CallBegan(name) => heard.begun.push(name),
            Piece::Arguments(text) => heard.arguments.push_str(&text),
        }
    }
    heard
}

/// Hears a stream whole, letter by letter, and cut once at every place; all must be equal.
fn check(thinking: bool, stream: &str, ending: Ending) -> Heard {
    let whole = hear(parser(thinking), &[stream], ending);
    let letters: Vec<String> = stream.chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert_eq!(hear(parser(thinking), &letters, ending), whole, "letter by letter: {stream:?}");
    for (cut, _) in stream.char_indices() {
        let pieces = [&stream[..cut], &stream[cut..]];
        assert_eq!(hear(parser(thinking), &pieces, ending), whole, "cut at {cut}: {stream:?}");
    }
    // A frame of another dialect was shown before it was known to be one.
    if whole.parsed.calls.iter().all(|call| !call.recovered) {
        assert_eq!(whole.shown, whole.parsed.text, "what was shown adds up to the text: {stream:?}");
    }
    assert_eq!(whole.thought, whole.parsed.reasoning, "what was thought adds up to the reasoning: {stream:?}");
    whole
}

#[test]
fn calls_of_every_kind_come_back_byte_for_byte() {
    let arguments = [
        "{}",
        r#"{"path": "a.txt"}"#,
        r#"{"n": -1.50e3, "b": true, "x": null, "l": [1, [2, {"a": "]"}]]}"#,
        r#"{"text": "quotes \" and \\ and \n and } ] , :"}"#,
        r#"{"text": "</tool_call> <tool_call> <think> </think>"}"#,
        r#"{"text": "𝄞 é 中 \ud834\udd1e"}"#,
        r#"{ "spaced" :  [ ] }"#,
    ];
    for arguments in arguments {
        let calls = vec![call("read_file", arguments)];
        let heard = check(false, &reply("Let me look.\n", &calls), Ending::Natural);
        let parsed = Parsed { text: "Let me look.\n".to_owned(), calls: parsed(&calls), ..Parsed::default() };
        assert_eq!(heard.parsed, parsed);
        assert_eq!(heard.begun, ["read_file"]);
        assert_eq!(heard.arguments, arguments);
    }
}

#[test]
fn one_to_sixteen_calls_keep_their_order() {
    for count in 1..=16 {
        let calls: Vec<Call> = (0..count).map(|n| call(&format!("tool_{n}"), &format!("{{\"n\": {n}}}"))).collect();
        let heard = check(false, &reply("", &calls), Ending::Natural);
        assert_eq!(heard.parsed, Parsed { calls: parsed(&calls), ..Parsed::default() });
    }
}

#[test]
fn reasoning_is_a_channel_of_its_own() {
    let heard = check(false, "<think>hm <THINK>deep</think> on</Think>\n\nYes.", Ending::Natural);
    assert_eq!((heard.thought.as_str(), heard.shown.as_str()), ("hm deep on", "Yes."));
    let opened_by_template = check(true, "hm</think>Yes.", Ending::Natural);
    assert_eq!((opened_by_template.thought.as_str(), opened_by_template.shown.as_str()), ("hm", "Yes."));
    let cut = check(true, "hm", Ending::Cut);
    assert_eq!((cut.parsed.reasoning.as_str(), cut.parsed.text.as_str()), ("hm", ""));
}

#[test]
fn reasoning_alone_at_a_natural_stop_is_the_answer() {
    let heard = check(true, "It is four.", Ending::Natural);
    assert_eq!(heard.parsed.text, "It is four.");
}

#[test]
fn a_call_in_closed_reasoning_is_reasoning_and_in_an_open_one_a_call() {
    let written = reply("", &[call("a", "{}")]);
    let closed = check(false, &format!("<think>{written}</think>Done."), Ending::Natural);
    assert_eq!((closed.parsed.calls.len(), closed.parsed.text.as_str()), (0, "Done."));
    let open = check(true, &format!("I will.{written}"), Ending::Natural);
    assert_eq!(open.parsed.calls, parsed(&[call("a", "{}")]));
    let cut = check(true, &format!("I will.{written}"), Ending::Cut);
    assert_eq!(cut.parsed.calls, []);
}

#[test]
fn a_call_cut_short_is_incomplete_at_every_cut() {
    let written = reply("", &[call("write_file", r#"{"path": "a", "text": "b"}"#)]);
    let body_from = "<tool_call>".len();
    for cut in body_from..written.len() {
        let heard = check(false, &written[..cut], Ending::Cut);
        assert!(incomplete(&heard), "cut at {cut}");
        assert_eq!(heard.parsed.calls.len(), 1, "cut at {cut}");
    }
}

#[test]
fn known_slips_are_calls() {
    let slips = [
        ("a missing last closer", "<tool_call>\n{\"name\": \"a\", \"arguments\": {\"n\": 1}}"),
        ("a doubled closing brace", "<tool_call>\n{\"name\": \"a\", \"arguments\": {\"n\": 1}}}\n</tool_call>"),
        ("a stray closer", "<tool_call>{\"name\": \"a\", \"arguments\": {\"n\": 1}}</tool_call></tool_call>"),
        ("the other key", "<tool_call>{\"name\": \"a\", \"parameters\": {\"n\": 1}}</tool_call>"),
        ("arguments first", "<tool_call>{\"arguments\": {\"n\": 1}, \"name\": \"a\"}</tool_call>"),
    ];
    for (slip, stream) in slips {
        let heard = check(false, stream, Ending::Natural);
        assert_eq!(heard.parsed.calls, parsed(&[call("a", "{\"n\": 1}")]), "{slip}");
        assert_eq!(heard.shown, "", "{slip}");
    }
}

#[test]
fn a_frame_that_is_no_call_is_kept_as_it_was_written() {
    let heard = check(false, "Hm <tool_call>read the file</tool_call> ok", Ending::Natural);
    assert_eq!(heard.parsed.calls, [no_call("read the file")]);
    assert_eq!(heard.shown, "Hm  ok");
    let unquoted = check(false, "<tool_call>{name: a}</tool_call>", Ending::Natural);
    assert_eq!(unquoted.parsed.calls, [no_call("{name: a}")]);
}

#[test]
fn without_tools_the_tags_are_text() {
    let heard = hear(Parser::new(Dialect::Hermes, &[], false), &["a <tool_", "call> b"], Ending::Natural);
    assert_eq!((heard.shown.as_str(), heard.parsed.calls.len()), ("a <tool_call> b", 0));
}

#[test]
fn halves_that_are_left_standing_never_form_a_marker() {
    let markers = ["<tool_call>", "</tool_call>", "<think>", "</think>"];
    let whole_call = reply("", &[call("a", "{}")]);
    let between = ["</tool_call>", "</think>", "<think>x</think>", whole_call.as_str()];
    for marker in markers {
        for (cut, _) in marker.char_indices().skip(1) {
            for middle in between {
                let stream = format!("a{}{middle}{}b", &marker[..cut], &marker[cut..]);
                let heard = check(false, &stream, Ending::Natural);
                let lower = heard.shown.to_lowercase();
                assert!(markers.iter().all(|marker| !lower.contains(marker)), "{stream:?} showed {:?}", heard.shown);
                assert!(heard.parsed.calls.len() <= 1 && !incomplete(&heard), "{stream:?}");
            }
        }
    }
}

#[test]
fn no_part_of_a_marker_shows_before_it_is_decided() {
    let mut parser = parser(false);
    let shown: Vec<Piece> = ["one ", "<", "tool", "_call"].iter().flat_map(|piece| parser.push(piece)).collect();
    assert_eq!(shown, [Piece::Text("one ".to_owned())]);
    assert_eq!(parser.push("er"), [Piece::Text("<tool_caller".to_owned())]);
}

proptest! {
    #[test]
    fn any_text_is_the_same_at_any_cut(parts in prop::collection::vec(prop_oneof![
        Just("<tool_call>".to_owned()), Just("</tool_call>".to_owned()), Just("<think>".to_owned()),
        Just("</think>".to_owned()), Just("{\"name\": \"a\", \"arguments\": {}}".to_owned()), Just("\n".to_owned()),
        Just("<tool".to_owned()), Just("_call>".to_owned()), "[a-z<>/{}\" é]{0,6}"], 0..10), thinking: bool, natural: bool) {
        check(thinking, &parts.concat(), if natural { Ending::Natural } else { Ending::Cut });
    }
}
