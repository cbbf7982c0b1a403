//! Text of models, tools and names for a terminal: control and escape sequences are shown, not obeyed (UI-32).

use std::fmt::Write as _;

/// The text with every control and bidirectional character but line feed and tab written as an escape.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => out.push(letter),
            letter if is_unsafe(letter) => {
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

/// JSON on one line: what the format itself leaves as it is (C1 controls, direction marks) is escaped as well.
pub fn json(value: &serde_json::Value) -> String {
    let mut out = String::new();
    for letter in value.to_string().chars() {
        if is_unsafe(letter) {
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

fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
        || matches!(letter, '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::{json, line, plain};

    #[test]
    fn escape_sequences_and_direction_marks_are_shown() {
        assert_eq!(plain("\u{1b}[31mred\u{7}\r\n\tok"), "\\u{1b}[31mred\\u{7}\\u{d}\n\tok");
        assert_eq!(plain("a\u{202e}b\u{9b}c"), "a\\u{202e}b\\u{9b}c");
        assert_eq!(line("one\ntwo"), "one\\ntwo");
    }

    #[test]
    fn json_keeps_its_value_and_shows_nothing_that_is_obeyed() {
        let value = serde_json::json!({ "a\u{9b}": "\u{1b}[2J\u{202e}\u{7f}\u{e0041}\n" });
        let text = json(&value);
        assert!(text.is_ascii() && !text.contains(char::is_control), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
