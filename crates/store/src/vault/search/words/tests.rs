//! Where words stand in a text, whatever their case, marks and script.

use super::{EXCERPT, Words, indexed};

/// The excerpt with its hits in brackets.
fn shown(words: &str, text: &str) -> String {
    let pieces = Words::of(words).excerpt(text);
    pieces.iter().map(|piece| if piece.hit { format!("[{}]", piece.text) } else { piece.text.clone() }).collect()
}

#[test]
fn a_word_is_found_at_its_beginning_whatever_its_case_and_marks() {
    assert_eq!(shown("cafe", "Das Café, CAFE\u{301}S und Decaf"), "Das [Café], [CAFE\u{301}]S und Decaf");
    assert_eq!(shown("lemon tree", "A tree, a Lemonade"), "A [tree], a [Lemon]ade");
    assert_eq!(shown("дом", "Дома и Домой"), "[Дом]а и [Дом]ой");
}

#[test]
fn a_stretch_of_a_script_without_blanks_is_found_inside_its_line() {
    assert_eq!(shown("中庭", "明るい中庭です"), "明るい[中庭]です");
    assert_eq!(indexed("a中庭b"), "a 中  庭 b");
    assert_eq!(Words::of("中庭").query().unwrap(), "\"中  庭\"*");
}

#[test]
fn operators_and_quotes_of_the_search_language_are_no_words() {
    assert_eq!(Words::of("\"lamp\" OR -tree* (NEAR").query().unwrap(), "\"lamp\"* \"OR\"* \"tree\"* \"NEAR\"*");
    assert_eq!(Words::of(" \"*-( ").query(), None);
}

#[test]
fn an_excerpt_begins_near_the_first_hit_and_has_a_bound() {
    let text = format!("{}lamp {}", "word ".repeat(100), "more ".repeat(100));
    let pieces = Words::of("lamp").excerpt(&text);
    assert_eq!(pieces.iter().map(|piece| piece.text.chars().count()).sum::<usize>(), EXCERPT);
    assert!(pieces[1].hit && pieces[1].text == "lamp");
}

#[test]
fn a_text_of_marks_alone_breaks_nothing() {
    assert_eq!(shown("a", "\u{301}\u{301}"), "\u{301}\u{301}");
    assert_eq!(shown("\u{301}", "e\u{301}"), "e\u{301}");
    assert_eq!(shown("a", ""), "");
}
