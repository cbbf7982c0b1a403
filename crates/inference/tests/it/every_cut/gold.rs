//! The gold corpus in every dialect: what the renderer writes is parsed to the same calls and the same text, wherever
//! the stream is cut (LOOP-33).

use inference::dialect::{Dialect, Ending};
use testkit::counts;

use crate::corpus::{self, Gold};
use crate::outcome::{Outcome, cuts, parse, parse_at_cuts, parser};

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

#[test]
fn every_gold_reply_comes_back_whole_and_at_every_cut() {
    let replies = corpus::replies();
    for dialect in Dialect::ALL {
        let parser = parser(dialect);
        for gold in &replies {
            let stream = stream(dialect, gold);
            let outcome = parse_at_cuts(&parser, &stream, Ending::Natural, counts::gold_cuts());
            assert_eq!(outcome, Outcome::of(gold), "{} of {stream:?}", dialect.name());
        }
    }
}

#[test]
fn every_gold_reply_comes_back_byte_by_byte() {
    for dialect in Dialect::ALL {
        let parser = parser(dialect);
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
        let parser = parser(dialect);
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
