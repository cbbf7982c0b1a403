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

fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
        || matches!(letter, '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::{line, plain};

    #[test]
    fn escape_sequences_and_direction_marks_are_shown() {
        assert_eq!(plain("\u{1b}[31mred\u{7}\r\n\tok"), "\\u{1b}[31mred\\u{7}\\u{d}\n\tok");
        assert_eq!(plain("a\u{202e}b\u{9b}c"), "a\\u{202e}b\\u{9b}c");
        assert_eq!(line("one\ntwo"), "one\\ntwo");
    }
}
