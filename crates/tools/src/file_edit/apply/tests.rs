//! Edits that fit, that miss and that collide.

use super::{Edit, apply, came_from};

const TEXT: &str = "one\ntwo\nthree\ntwo\n";

fn find(find: &str, put: &str) -> Edit {
    Edit { find: Some(find.to_owned()), count: None, from: None, to: None, put: put.to_owned() }
}

fn lines(from: usize, to: usize, put: &str) -> Edit {
    Edit { find: None, count: None, from: Some(from), to: Some(to), put: put.to_owned() }
}

#[test]
fn edits_refer_to_the_text_as_it_was() {
    assert_eq!(apply(TEXT, &[find("one", "two"), find("three", "one")]), Ok("two\ntwo\none\ntwo\n".to_owned()));
    assert_eq!(apply(TEXT, &[lines(1, 1, "1"), lines(4, 4, "")]), Ok("1\ntwo\nthree\n".to_owned()));
    assert_eq!(
        apply(TEXT, &[lines(2, 1, "one and a half\n")]),
        Ok("one\none and a half\ntwo\nthree\ntwo\n".to_owned())
    );
    assert_eq!(apply("a\nb", &[lines(2, 2, "c")]), Ok("a\nc".to_owned()));
    assert_eq!(apply(TEXT, &[Edit { count: Some(2), ..find("two", "2") }]), Ok("one\n2\nthree\n2\n".to_owned()));
}

#[test]
fn what_does_not_fit_is_said_exactly() {
    assert_eq!(
        apply(TEXT, &[find("two", "2")]),
        Err("edit 1: the text stands there 2 times (lines 2, 4); find more of the text around it, or give count 2."
            .to_owned())
    );
    let miss = apply("let a = 1;\nlet b = 2;\n", &[find("let b = 3;", "x")]).expect_err("it misses");
    assert!(
        miss.contains("nearest line is 2: `let b = 2;`; at character 9 there is `2` where the text has `3`"),
        "{miss}"
    );
    assert!(apply(TEXT, &[find("one\ntwo", "x"), find("two\nthree", "y")]).is_err(), "they overlap");
    assert!(apply(TEXT, &[lines(3, 9, "x")]).is_err(), "past the end");
    assert!(apply(TEXT, &[Edit { from: Some(1), ..find("one", "x") }]).is_err(), "both ways at once");
    assert!(apply(TEXT, &[find("", "x")]).is_err(), "nothing to find");
}

#[test]
fn edits_can_be_taken_back_when_they_are_by_text() {
    let edits = [find("one", "two"), find("three", "")];
    let after = apply(TEXT, &edits).expect("they fit");
    assert!(came_from(&after, &edits, |text| text == TEXT));
    assert!(!came_from("something else\n", &edits, |text| text == TEXT));
    assert!(!came_from(&after, &[lines(1, 1, "two")], |text| text == TEXT));
}
