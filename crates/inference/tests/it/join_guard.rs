//! Halves of a marker that stand around another marker: when that one is taken out, the halves meet. Nothing of it is
//! shown as a marker, and nothing of it is obeyed (LOOP-23).

use inference::dialect::{Dialect, Ending};
use testkit::counts;

use crate::corpus::{self, Gold};
use crate::outcome::{Outcome, parse, parser};

fn hear(dialect: Dialect, stream: &str) -> Outcome {
    parse(&parser(dialect), &[stream.as_bytes()], Ending::Natural)
}

/// The markers of a dialect that mean something in the middle of a line, so that they never show there.
fn taken_out(dialect: Dialect) -> Vec<&'static str> {
    let markers = dialect.markers();
    markers.filter(|marker| !hear(dialect, &format!("x {marker} y")).text.contains(marker)).collect()
}

fn shows(outcome: &Outcome, markers: &[&str]) -> bool {
    let text = outcome.text.to_lowercase();
    markers.iter().any(|marker| text.contains(&marker.to_lowercase()))
}

/// The halves of a marker, parted at each letter.
fn halves(marker: &str) -> impl Iterator<Item = (&str, &str)> {
    marker.char_indices().skip(1).map(|(cut, _)| marker.split_at(cut))
}

#[test]
fn two_halves_around_every_marker_of_every_dialect_never_become_one() {
    for dialect in Dialect::ALL {
        let markers = taken_out(dialect);
        assert!(markers.len() > 8, "{}", dialect.name());
        let pairs = markers.iter().flat_map(|outer| markers.iter().map(move |inner| (*outer, *inner)));
        for (outer, inner) in pairs.step_by(counts::pick(7, 1)) {
            for (first, second) in halves(outer) {
                let stream = format!("x {first}{inner}{second} y");
                let outcome = hear(dialect, &stream);
                assert!(!shows(&outcome, &markers), "{}: {stream:?} showed {:?}", dialect.name(), outcome.text);
                assert_eq!(outcome.calls, [], "{}: {stream:?}", dialect.name());
            }
        }
    }
}

#[test]
fn halves_in_halves_never_become_a_marker() {
    for dialect in Dialect::ALL {
        let markers = taken_out(dialect);
        for marker in markers.iter().step_by(counts::pick(3, 1)) {
            for (first, second) in halves(marker) {
                let (mut stream, mut left) = (marker.to_string(), 6);
                while left > 0 {
                    stream = format!("{first}{stream}{second}");
                    left -= 1;
                    let outcome = hear(dialect, &format!("x {stream} y"));
                    assert!(!shows(&outcome, &markers), "{}: {stream:?} showed {:?}", dialect.name(), outcome.text);
                }
            }
        }
    }
}

/// A whole call whose opener is made of halves: what stands behind it counts as if there were no opener.
#[test]
fn an_opener_made_of_halves_opens_nothing() {
    let gold = Gold { text: "", reasoning: "", calls: vec![corpus::call("count", r#"{"to": 1}"#)] };
    for dialect in Dialect::ALL {
        let written = dialect.reply(gold.text, &gold.calls, &corpus::tools());
        let Some(opener) = dialect.markers().find(|marker| marker.len() > 1 && written.starts_with(marker)) else {
            continue;
        };
        let behind = &written[opener.len()..];
        let without = hear(dialect, &format!("x {behind}"));
        for (first, second) in halves(opener) {
            for inner in taken_out(dialect) {
                let alone = hear(dialect, &format!("x {inner}"));
                if alone.faults > 0 || hear(dialect, &format!("x {inner} y")).text.len() < "x  y".len() {
                    // It opens a frame or a channel, or ends the reply: what follows is a part of that.
                    continue;
                }
                let outcome = hear(dialect, &format!("x {first}{inner}{second}{behind}"));
                let counts = (outcome.calls.len(), outcome.faults);
                assert_eq!(counts, (without.calls.len(), without.faults), "{}: {first}{inner}{second}", dialect.name());
            }
        }
    }
}
