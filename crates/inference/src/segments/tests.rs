//! Borders by hand; whole prompts stand in `tests/it/usage_exact`.

use super::{Borders, Marks, Part, Parts, inserted};

fn marks() -> Marks {
    Marks::unused_in("", 4).unwrap()
}

fn borders(marks: &Marks, parts: &[(Part, &str)]) -> (String, Borders) {
    let marked: String = parts.iter().map(|(part, text)| marks.put(*part, text)).collect();
    let plain: String = parts.iter().map(|(_, text)| *text).collect();
    let borders = marks.borders(&marked, &plain).unwrap();
    (plain, borders)
}

#[test]
fn a_token_across_a_border_belongs_to_the_part_of_its_first_byte() {
    let (plain, borders) = borders(&marks(), &[(Part::System, "aaaa"), (Part::Turn(0), "bbbb"), (Part::Around, "c")]);
    assert_eq!(plain, "aaaabbbbc");
    // Tokens `aaa`, `ab`, `bbb`, `c`.
    let parts = Parts::count(&borders, [0, 3, 5, 8], 1);
    assert_eq!((parts.system, &parts.turns[..], parts.around, parts.total()), (2, &[1][..], 1, 4));
}

#[test]
fn a_mark_stands_behind_the_last_word_and_a_blank_text_gets_none() {
    let marks = marks();
    let marked = marks.put(Part::Turn(1), "two words \n");
    assert_eq!((marked.len(), marked.ends_with(" \n")), ("two words \n".len() + 4, true));
    assert_eq!(marks.put(Part::Turn(1), " \n"), " \n");
}

#[test]
fn a_part_that_the_template_writes_twice_ends_at_its_last_place_and_one_it_leaves_out_has_no_tokens() {
    let marks = marks();
    let twice = [(Part::System, "s"), (Part::Turn(0), "ab"), (Part::System, "s"), (Part::Turn(2), "cd")];
    let (_, borders) = borders(&marks, &twice);
    let parts = Parts::count(&borders, 0..6, 3);
    assert_eq!((parts.system, parts.turns, parts.around), (1, vec![3, 0, 2], 0));
}

#[test]
fn marks_that_change_the_rendering_say_nothing() {
    let marks = marks();
    let marked = marks.put(Part::System, "ab");
    assert_eq!(marks.borders(&marked, "a b"), None);
    assert_eq!(marks.borders(&marked, "abc"), None);
    assert_eq!(marks.borders(&marked, "a"), None);
}

#[test]
fn a_text_with_letters_of_a_plane_takes_the_other_plane_and_with_both_there_are_no_marks() {
    let (one, other) = ("\u{F0000}", "\u{10FFFD}");
    assert!(Marks::unused_in(one, 1).unwrap().put(Part::System, "a").ends_with('\u{100000}'));
    assert_eq!(Marks::unused_in(&format!("{one}{other}"), 1), None);
}

#[test]
fn a_stretch_inside_another_part_is_taken_out_of_it() {
    let (_, borders) = borders(&marks(), &[(Part::System, "0123456789"), (Part::Turn(0), "0123")]);
    let parts = Parts::count(&borders.with(4..7, Part::Tools), 0..14, 1);
    assert_eq!((parts.system, parts.tools, parts.turns), (7, 3, vec![4]));
}

#[test]
fn one_stretch_more_is_found_and_two_are_not() {
    assert_eq!(inserted("head TOOLS tail", "head  tail"), Some(5..10));
    assert_eq!(inserted("aTOOLSb", "ab"), Some(1..6));
    assert_eq!(inserted("ab", "ab"), Some(2..2));
    assert_eq!(inserted("xaTOOLSb", "ab"), None);
    assert_eq!(inserted("a", "ab"), None);
}
