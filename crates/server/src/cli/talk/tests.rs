//! Titles that are taken from messages.

use super::*;

#[test]
fn what_is_asked_on_a_terminal_is_no_untitled_conversation() {
    assert_eq!(title_from("  What is\tin my\n folder? "), "What is in my folder?");
}

#[test]
fn a_long_message_gives_its_first_whole_words() {
    let title = title_from(&"word ".repeat(40));
    assert!(title.ends_with("word…") && title.chars().count() <= TITLE_LETTERS, "{title}");
    assert_eq!(title_from(&"w".repeat(400)), "…");
}

#[test]
fn a_message_that_would_turn_a_list_around_gives_no_title() {
    assert_eq!(title_from("\u{202e}gnp.exe"), "");
}
