//! The examples in `docs/dialects.md` are what they say: one call, in the dialect under whose name they stand.

use inference::dialect::{Dialect, Ending};

use crate::outcome::{Outcome, parse_at_cuts, parser};

const DOCUMENT: &str = include_str!("../../../../../docs/dialects.md");

/// The first block of text under the heading of a dialect.
fn example(name: &str) -> Option<&'static str> {
    let section = DOCUMENT.split("\n### ").find(|section| section.lines().next() == Some(name))?;
    let block = section.split_once("```text\n")?.1;
    Some(block.split_once("\n```")?.0)
}

#[test]
fn every_dialect_is_documented_with_an_example_that_is_a_call() {
    for dialect in Dialect::ALL {
        let example = example(dialect.name()).unwrap_or_else(|| panic!("{} has no example", dialect.name()));
        let outcome = parse_at_cuts(&parser(dialect), example, Ending::Natural, usize::MAX);
        let call = ("write_file".to_owned(), r#"{"path": "a.txt", "text": "1 < 2"}"#.to_owned());
        assert_eq!(outcome, Outcome { calls: vec![call], ..Outcome::default() }, "{}", dialect.name());
    }
}

#[test]
fn examples_are_what_the_renderer_writes() {
    let call = crate::corpus::call("write_file", r#"{"path": "a.txt", "text": "1 < 2"}"#);
    for dialect in Dialect::ALL {
        let written = dialect.reply("", std::slice::from_ref(&call), &crate::corpus::tools());
        assert_eq!(example(dialect.name()), Some(written.as_str()), "{}", dialect.name());
    }
}
