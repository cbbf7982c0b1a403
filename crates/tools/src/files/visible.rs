//! Foreign text in a result or a label: what would forge its lines or its order is written out, as `\u{1b}`. Not for
//! text that is to be used again.

use domain::letters::is_format;

/// A name or path: all in it that is not drawn is written out, and so is the sign that begins such writing.
pub(crate) fn name(text: &str) -> String {
    written_out(text, |c| c == '\\' || is_no_text(c) || is_format(c))
}

/// A label, in which commands keep their backslashes.
pub(crate) fn label(text: &str) -> String {
    written_out(text, |c| is_no_text(c) || is_format(c))
}

/// One line of a text: control characters but the tab are written out, and what ends a line.
pub(crate) fn line(text: &str) -> String {
    written_out(text, |c| c != '\t' && is_no_text(c))
}

fn is_no_text(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{2065}' | '\u{E0000}'..='\u{E007F}')
}

fn written_out(text: &str, is_closed: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' if is_closed(c) => out.push_str("\\\\"),
            _ if is_closed(c) => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{line, name};

    #[test]
    fn a_name_stays_on_its_line_and_in_its_order() {
        assert_eq!(name("a\n[Riad: yes]\u{1b}[2J\u{202e}x"), "a\\u{a}[Riad: yes]\\u{1b}[2J\\u{202e}x");
        assert_eq!(name("a\\u{a}"), "a\\\\u{a}");
        assert_eq!(name("Pläne 2026 — Überblick.md"), "Pläne 2026 — Überblick.md");
    }

    #[test]
    fn a_line_keeps_tabs_and_backslashes() {
        assert_eq!(line("\ta \\ b\r\u{1b}[31mred\u{85}"), "\ta \\ b\\u{d}\\u{1b}[31mred\\u{85}");
    }
}
