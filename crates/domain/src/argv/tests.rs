//! The splitter at its borders; the table of cases is run by the tests of `tools`.

use super::{ArgvFault, FaultKind, WORDS, check_list, split};

fn words(line: &str) -> Vec<String> {
    split(line).unwrap_or_else(|fault| panic!("{line:?}: {fault}"))
}

fn fault(line: &str) -> ArgvFault {
    split(line).expect_err(line)
}

#[test]
fn quotes_join_and_end_words() {
    assert_eq!(words(r#"echo a'b'"c"\d '' "" "#), ["echo", "abcd", "", ""]);
    assert_eq!(words(r#"echo "a\b" 'a\b'"#), ["echo", r"a\b", r"a\b"]);
    assert_eq!(words(r#"echo "\$A \` \\ \"""#), ["echo", "$A ` \\ \""]);
}

#[test]
fn a_fault_names_its_column() {
    assert_eq!(fault("ls | wc"), ArgvFault { column: 4, kind: FaultKind::Operator("|".to_owned()) });
    assert_eq!(fault("résumé 'x"), ArgvFault { column: 8, kind: FaultKind::OpenQuote('\'') });
    assert_eq!(fault("  A=1 ls"), ArgvFault { column: 3, kind: FaultKind::Assignment("A".to_owned()) });
    assert_eq!(fault("ls \\"), ArgvFault { column: 4, kind: FaultKind::TrailingBackslash });
}

#[test]
fn a_tilde_counts_at_the_start_and_after_the_first_equals_sign() {
    for line in ["ls ~", "ls a=~/x", "ls --dir=~"] {
        assert_eq!(fault(line).kind, FaultKind::Tilde, "{line}");
    }
    assert_eq!(words("ls a=b=~ x~ '~' \\~"), ["ls", "a=b=~", "x~", "~", "~"]);
}

#[test]
fn signs_of_grammar_are_told_apart() {
    assert_eq!(fault("ls &> f").kind, FaultKind::Redirect("&>".to_owned()));
    assert_eq!(fault("ls 2>&1").kind, FaultKind::Redirect(">&".to_owned()));
    assert_eq!(fault("ls\nid").kind, FaultKind::Operator("\n".to_owned()));
    assert_eq!(fault("{ ls").kind, FaultKind::Reserved("{".to_owned()));
    assert_eq!(fault("! ls").kind, FaultKind::Reserved("!".to_owned()));
    assert_eq!(fault("[[ a").kind, FaultKind::Reserved("[[".to_owned()));
    assert_eq!(fault("ls #x").kind, FaultKind::Comment);
    assert_eq!(fault("  \t ").kind, FaultKind::Empty);
    assert_eq!(fault("ls \"a\nb\"").kind, FaultKind::Character('\n'));
    assert_eq!(fault("ls a\\\nb").kind, FaultKind::Continuation);
}

#[test]
fn length_and_words_have_a_border() {
    assert_eq!(words(&"a ".repeat(WORDS)).len(), WORDS);
    assert_eq!(fault(&"a ".repeat(WORDS + 1)).kind, FaultKind::TooManyWords);
    assert_eq!(words(&"a".repeat(super::LINE_BYTES)).len(), 1);
    assert_eq!(fault(&"a".repeat(super::LINE_BYTES + 1)).kind, FaultKind::TooLong);
}

#[test]
fn a_list_is_held_to_the_same_words() {
    let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(check_list(&list(&["printf", "a\nb; $x"])), Ok(()));
    for bad in [&["/bin/sh"][..], &["./x"], &[".", "f"], &["A=1", "ls"], &["time", "ls"], &["ls", "a\0b"], &[""], &[]] {
        assert!(check_list(&list(bad)).is_err(), "{bad:?}");
    }
}
