//! Random lines: nothing with a bare operator comes through, and quoted text comes out as it went in.

use domain::argv::split;
use proptest::prelude::*;

/// Lines in CI, and what the specification asks for when long tests are wanted.
fn cases() -> ProptestConfig {
    let count = u32::try_from(testkit::counts::pick(4_000, 1_000_000)).unwrap();
    ProptestConfig { cases: count, failure_persistence: None, ..ProptestConfig::default() }
}

/// A word in one of the quotings that a person may choose.
fn quoted(word: &str, style: u8) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "._-+/=,:@%^]".contains(c));
    match style % 4 {
        0 if plain => word.to_owned(),
        1 if word.chars().all(|c| c != '\n' && c != '\t') && !word.is_empty() => {
            word.chars().flat_map(|c| ['\\', c]).collect()
        }
        2 if !word.contains('\n') => {
            let escaped: String = word
                .chars()
                .flat_map(|c| if matches!(c, '"' | '\\' | '$' | '`') { vec!['\\', c] } else { vec![c] })
                .collect();
            format!("\"{escaped}\"")
        }
        _ => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// What a POSIX shell would see outside quotes, by a reading of its own.
fn has_bare_operator(line: &str) -> bool {
    let mut left = line.chars();
    let mut double = false;
    while let Some(c) = left.next() {
        match c {
            '\\' if left.next() == Some('\n') => return true,
            '\\' => {}
            '"' => double = !double,
            '\'' if !double && !left.by_ref().any(|c| c == '\'') => return true,
            '\'' => {}
            '$' | '`' => return true,
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '\n' | '*' | '?' | '[' | '{' | '}' if !double => return true,
            _ => {}
        }
    }
    double
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn quoted_text_comes_out_unchanged(words in prop::collection::vec(("[ -~\n\téß中🙂]{0,12}", any::<u8>()), 0..8)) {
        let words: Vec<(String, u8)> = words;
        let line = words.iter().fold("ls".to_owned(), |line, (word, style)| format!("{line} {}", quoted(word, *style)));
        let expected: Vec<&str> = std::iter::once("ls").chain(words.iter().map(|(word, _)| word.as_str())).collect();
        prop_assert_eq!(split(&line).map_err(|fault| format!("{line}: {fault}")), Ok(expected.iter().map(|w| (*w).to_owned()).collect()));
    }

    #[test]
    fn nothing_with_a_bare_operator_comes_through(line in "ls [ a-c|&;<>()$`\\\\\"'*?\\[\\]#~=%!{}\n\t]{0,16}") {
        if has_bare_operator(&line) {
            prop_assert!(split(&line).is_err(), "{line:?} gave {:?}", split(&line));
        }
    }

    #[test]
    fn any_text_at_all_is_judged(line in any::<String>()) {
        if let Ok(words) = split(&line) {
            prop_assert!(!words.is_empty() && words.iter().all(|word| !word.contains('\0')));
        }
    }
}
