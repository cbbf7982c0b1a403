//! The gold corpus in every dialect: what the renderer writes is parsed to the same calls and the same text, wherever
//! the stream is cut (LOOP-33).

use inference::dialect::{Dialect, Ending, Parser, Piece};
use inference::protocol::message::Call;
use inference::utf8::TextJoiner;
use testkit::counts;

use crate::corpus::{self, Gold, canonical};

/// What came of a stream: its pieces put together, and what the parser says of the whole.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    text: String,
    reasoning: String,
    /// Name and canonical arguments of each call.
    calls: Vec<(String, String)>,
    faults: usize,
}

impl Outcome {
    fn of(gold: &Gold) -> Outcome {
        let pair = |call: &Call| (call.name.clone(), call.arguments.clone());
        let calls = gold.calls.iter().map(pair).collect();
        Outcome { text: gold.text.to_owned(), reasoning: gold.reasoning.to_owned(), calls, faults: 0 }
    }
}

/// Parses bytes that come in these pieces. What is streamed must add up to what the parser says at the end.
fn parse(parser: &Parser, pieces: &[&[u8]], ending: Ending) -> Outcome {
    let (mut parser, mut joiner) = (parser.clone(), TextJoiner::new());
    let mut streamed = Outcome::default();
    for bytes in pieces {
        take(&mut streamed, parser.push(&joiner.push(bytes)));
    }
    take(&mut streamed, parser.push(&joiner.finish()));
    let (rest, parsed) = parser.finish(ending);
    take(&mut streamed, rest);
    assert_eq!((&streamed.text, &streamed.reasoning), (&parsed.text, &parsed.reasoning));
    let whole = parsed.calls.iter().filter(|call| call.fault.is_none());
    let calls = whole.map(|call| (call.name.clone(), canonical(&call.arguments))).collect();
    let faults = parsed.calls.iter().filter(|call| call.fault.is_some()).count();
    if faults == 0 {
        let streamed: Vec<_> = streamed.calls.iter().map(|(name, json)| (name.clone(), canonical(json))).collect();
        assert_eq!(streamed, calls, "calls are streamed as they are told at the end");
    }
    Outcome { calls, faults, ..streamed }
}

fn take(outcome: &mut Outcome, pieces: Vec<Piece>) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => outcome.text.push_str(&text),
            Piece::Reasoning(text) => outcome.reasoning.push_str(&text),
            Piece::CallBegan(name) => outcome.calls.push((name, String::new())),
            Piece::Arguments(text) => outcome.calls.last_mut().unwrap().1.push_str(&text),
        }
    }
}

/// A gold reply as a model of this dialect writes it.
fn stream(dialect: Dialect, gold: &Gold) -> String {
    let reply = dialect.reply(gold.text, &gold.calls, &corpus::tools());
    if gold.reasoning.is_empty() {
        return reply;
    }
    let (opens, closes) = reasoning_tags(dialect);
    format!("{opens}{}{closes}{reply}", gold.reasoning)
}

fn reasoning_tags(dialect: Dialect) -> (&'static str, &'static str) {
    match dialect.name() {
        "gemma" => ("<|channel>thought\n", "<channel|>"),
        "mistral" => ("[THINK]", "[/THINK]"),
        "harmony" => ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant"),
        _ => ("<think>", "</think>"),
    }
}

/// The places in a stream at which it is cut: at most so many, evenly.
fn cuts(length: usize, most: usize) -> impl Iterator<Item = usize> {
    (1..length).step_by((length / most.max(1)).max(1))
}

#[test]
fn every_gold_reply_comes_back_whole_and_at_every_cut() {
    let replies = corpus::replies();
    for dialect in Dialect::ALL {
        let parser = Parser::new(dialect, &corpus::tools(), false);
        for gold in &replies {
            let (stream, expected) = (stream(dialect, gold), Outcome::of(gold));
            let bytes = stream.as_bytes();
            let whole = parse(&parser, &[bytes], Ending::Natural);
            assert_eq!(whole, expected, "{} of {stream:?}", dialect.name());
            for cut in cuts(bytes.len(), counts::gold_cuts()) {
                let parted = parse(&parser, &[&bytes[..cut], &bytes[cut..]], Ending::Natural);
                assert_eq!(parted, expected, "{} cut at {cut} of {stream:?}", dialect.name());
            }
        }
    }
}

#[test]
fn every_gold_reply_comes_back_byte_by_byte() {
    for dialect in Dialect::ALL {
        let parser = Parser::new(dialect, &corpus::tools(), false);
        for gold in corpus::replies().iter().step_by(counts::pick(5, 1)) {
            let stream = stream(dialect, gold);
            let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
            let parted = parse(&parser, &bytes, Ending::Natural);
            assert_eq!(parted, Outcome::of(gold), "{} of {stream:?}", dialect.name());
        }
    }
}

#[test]
fn a_reply_that_is_cut_short_runs_no_call_that_was_not_whole() {
    for dialect in Dialect::ALL {
        let parser = Parser::new(dialect, &corpus::tools(), false);
        for gold in corpus::replies().iter().step_by(counts::pick(3, 1)) {
            let (stream, expected) = (stream(dialect, gold), Outcome::of(gold));
            let bytes = stream.as_bytes();
            for cut in cuts(bytes.len(), counts::gold_cuts()) {
                let short = parse(&parser, &[&bytes[..cut]], Ending::Cut);
                let told = short.calls.len();
                assert_eq!(short.calls[..], expected.calls[..told.min(expected.calls.len())], "{stream:?} up to {cut}");
                assert!(short.faults <= 1, "{stream:?} up to {cut}: {short:?}");
            }
        }
    }
}
