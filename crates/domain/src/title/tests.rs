//! Titles that are taken, as they are kept, and titles that are not.

use super::{Title, TitleFault};

#[test]
fn a_title_is_one_line_that_shows_what_it_says() {
    for (typed, kept) in
        [("", ""), ("  Tea ", "Tea"), ("Cafe\u{301}", "Café"), ("שלום", "שלום"), ("👩\u{200D}🍳", "👩\u{200D}🍳")]
    {
        assert_eq!(Title::parse(typed).map(Title::into_string), Ok(kept.to_owned()), "{typed:?}");
    }
    assert!(Title::parse(&"x".repeat(200)).is_ok());
    let long = "x".repeat(201);
    for typed in ["two\nlines", "a\tb", "a\0b", "a\u{202E}b", "a\u{2067}b", "a\u{200F}b", "a\u{2028}b", &long] {
        assert_eq!(Title::parse(typed), Err(TitleFault), "{typed:?}");
    }
}
