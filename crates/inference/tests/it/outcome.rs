//! What came of a reply's stream, for the tests of dialects: parsed whole, in pieces, at every cut.

use inference::dialect::{Dialect, Ending, Parser, Piece};
use inference::protocol::message::Call;
use inference::utf8::TextJoiner;

use crate::corpus::{self, Gold, canonical};

/// What came of a stream: its pieces put together, and what the parser says of the whole.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// What was shown.
    pub(crate) text: String,
    /// What was thought.
    pub(crate) reasoning: String,
    /// Name and canonical arguments of each call that is whole.
    pub(crate) calls: Vec<(String, String)>,
    /// Frames that are no whole call.
    pub(crate) faults: usize,
    /// Calls that were written in another dialect.
    pub(crate) recovered: usize,
}

impl Outcome {
    /// What should come of a gold reply.
    pub(crate) fn of(gold: &Gold) -> Outcome {
        let pair = |call: &Call| (call.name.clone(), call.arguments.clone());
        let calls = gold.calls.iter().map(pair).collect();
        Outcome { text: gold.text.to_owned(), reasoning: gold.reasoning.to_owned(), calls, ..Outcome::default() }
    }
}

/// Parses bytes that come in these pieces. What is streamed must add up to what the parser says at the end; only where a
/// call of another dialect was recovered, its frame was shown as text before it was known.
pub(crate) fn parse(parser: &Parser, pieces: &[&[u8]], ending: Ending) -> Outcome {
    let (mut parser, mut joiner) = (parser.clone(), TextJoiner::new());
    let mut streamed = Outcome::default();
    for bytes in pieces {
        take(&mut streamed, parser.push(&joiner.push(bytes)));
    }
    take(&mut streamed, parser.push(&joiner.finish()));
    let (rest, parsed) = parser.finish(ending);
    take(&mut streamed, rest);
    let recovered = parsed.calls.iter().filter(|call| call.recovered).count();
    if recovered == 0 {
        assert_eq!((&streamed.text, &streamed.reasoning), (&parsed.text, &parsed.reasoning));
    }
    let whole = parsed.calls.iter().filter(|call| call.fault.is_none());
    let calls = whole.map(|call| (call.name.clone(), canonical(&call.arguments))).collect();
    let faults = parsed.calls.iter().filter(|call| call.fault.is_some()).count();
    if faults == 0 {
        let streamed: Vec<_> = streamed.calls.iter().map(|(name, json)| (name.clone(), canonical(json))).collect();
        assert_eq!(streamed, calls, "calls are streamed as they are told at the end");
    }
    Outcome { calls, faults, recovered, ..streamed }
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

/// A parser with the tools of the corpus.
pub(crate) fn parser(dialect: Dialect) -> Parser {
    Parser::new(dialect, &corpus::tools(), false)
}

/// Parses a stream whole and cut once at up to so many places; all must be equal.
pub(crate) fn parse_at_cuts(parser: &Parser, stream: &str, ending: Ending, most: usize) -> Outcome {
    let bytes = stream.as_bytes();
    let whole = parse(parser, &[bytes], ending);
    for cut in cuts(bytes.len(), most) {
        let parted = parse(parser, &[&bytes[..cut], &bytes[cut..]], ending);
        assert_eq!(parted, whole, "cut at {cut} of {stream:?}");
    }
    whole
}

/// Places in a stream of this length: at most so many, evenly.
pub(crate) fn cuts(length: usize, most: usize) -> impl Iterator<Item = usize> {
    (1..length).step_by((length / most.max(1)).max(1))
}
