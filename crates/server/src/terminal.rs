//! Text of models, tools and names for a terminal: control and escape sequences are shown, not obeyed (UI-32).

use std::fmt::Write as _;

use domain::letters::{is_hidden, is_unseen};

/// The text with every control and bidirectional character but line feed and tab written as an escape.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => out.push(letter),
            letter if is_unseen(letter) => {
                write!(out, "\\u{{{:x}}}", u32::from(letter)).expect("writing to a string cannot fail");
            }
            letter => out.push(letter),
        }
    }
    out
}

/// The same on one line: line feeds and tabs are escaped too.
pub fn line(text: &str) -> String {
    plain(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Blanks in a row that could push the rest of a line out of sight.
const RUN_OF_BLANKS: usize = 4;

/// One line by which a person decides (GATE-48): whatever could hide something is named, and a run of blanks is drawn as
/// dots. Nothing is cut.
pub fn exact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        match letter {
            ' ' if blanks >= RUN_OF_BLANKS => out.extend(std::iter::repeat_n('·', blanks)),
            ' ' => out.extend(std::iter::repeat_n(' ', blanks)),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            letter if is_hidden(letter) => {
                write!(out, "\\u{{{:x}}}", u32::from(letter)).expect("writing to a string cannot fail");
            }
            letter => out.push(letter),
        }
        rest = &rest[if letter == ' ' { blanks } else { letter.len_utf8() }..];
    }
    out
}

/// JSON on one line: what the format itself leaves as it is (C1 controls, direction marks) is escaped as well.
pub fn json(value: &serde_json::Value) -> String {
    json_text(&value.to_string())
}

/// The same for text that is JSON already, whose numbers keep the digits that they are written with.
pub fn json_text(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if is_unseen(letter) {
            // It stands in a string: outside of strings JSON has only ASCII that can be seen.
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("writing to a string cannot fail");
            }
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{exact, json, line, plain};

    #[test]
    fn escape_sequences_and_direction_marks_are_shown() {
        assert_eq!(plain("\u{1b}[31mred\u{7}\r\n\tok"), "\\u{1b}[31mred\\u{7}\\u{d}\n\tok");
        assert_eq!(plain("a\u{202e}b\u{9b}c"), "a\\u{202e}b\\u{9b}c");
        assert_eq!(line("one\ntwo"), "one\\ntwo");
        // An annotation and a soft hyphen hide text; a sign of a year is drawn.
        assert_eq!(plain("a\u{fff9}b\u{ad}c\u{601}"), "a\\u{fff9}b\\u{ad}c\u{601}");
    }

    #[test]
    fn what_a_card_shows_hides_nothing_and_pushes_nothing_out_of_sight() {
        assert_eq!(exact("rm a\u{3164}b\u{fe0f}\u{2800}\u{e0041}"), "rm a\\u{3164}b\\u{fe0f}\\u{2800}\\u{e0041}");
        assert_eq!(exact("echo hi      ; rm -r ~   x"), "echo hi······; rm -r ~   x");
        assert_eq!(exact("a\u{a0}\tb\nc\u{ad}"), "a\\u{a0}\\tb\\nc\\u{ad}");
    }

    #[test]
    fn json_keeps_its_value_and_shows_nothing_that_is_obeyed() {
        let value = serde_json::json!({ "a\u{9b}": "\u{1b}[2J\u{202e}\u{7f}\u{e0041}\n" });
        let text = json(&value);
        assert!(text.is_ascii() && !text.contains(char::is_control), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
