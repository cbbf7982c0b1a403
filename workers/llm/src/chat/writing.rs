//! How texts are written into the variables of a rendering: control spellings broken where they could speak, marks of
//! parts where these are wanted. It knows no template.

use inference::segments::{Marks, Part};

/// How texts are written.
#[derive(Clone, Copy)]
pub(super) struct Writing<'a> {
    /// Applied where the engine keeps its own mark of content.
    pub(super) content: &'a dyn Fn(&str) -> String,
    /// Applied where a template turns values into JSON and that mark is lost.
    pub(super) unmarked: &'a dyn Fn(&str) -> String,
    /// Marks of the parts, where it is asked where these end.
    pub(super) marks: Option<Marks>,
}

impl Writing<'_> {
    /// All as it is.
    pub(super) const PLAIN: Self =
        Self { content: &|text| text.to_owned(), unmarked: &|text| text.to_owned(), marks: None };

    pub(super) fn content(&self, part: Part, text: &str) -> String {
        self.marked(part, (self.content)(text))
    }

    pub(super) fn unmarked(&self, part: Part, text: &str) -> String {
        self.marked(part, (self.unmarked)(text))
    }

    fn marked(&self, part: Part, text: String) -> String {
        match self.marks {
            Some(marks) => marks.put(part, &text),
            None => text,
        }
    }
}

/// Puts a zero-width blank behind the first letter of each control spelling.
pub(super) fn break_controls(text: &str, controls: &[String]) -> String {
    let mut text = text.to_owned();
    for control in controls {
        let Some(first) = control.chars().next() else { continue };
        if control.len() > first.len_utf8() && text.contains(control.as_str()) {
            let broken = format!("{first}\u{200B}{}", &control[first.len_utf8()..]);
            text = text.replace(control.as_str(), &broken);
        }
    }
    text
}

/// Puts a zero-width blank before a text that begins with the end of a control spelling, and behind one that ends with a
/// beginning: what a template writes next to a text whose mark it loses must not complete it.
pub(super) fn break_ends(text: String, controls: &[String]) -> String {
    const BLANK: char = '\u{200B}';
    let longest = controls.iter().map(String::len).max().unwrap_or(0);
    let is_sign = |letter: char| !letter.is_alphanumeric() && !letter.is_whitespace();
    let begins = |part: &str| controls.iter().any(|control| control.len() > part.len() && control.starts_with(part));
    let ends = |part: &str| controls.iter().any(|control| control.len() > part.len() && control.ends_with(part));
    let (head, tail) =
        (text.floor_char_boundary(longest), text.floor_char_boundary(text.len().saturating_sub(longest)));
    let behind = |(at, letter): (usize, char)| is_sign(letter) && begins(&text[tail + at..]);
    let before = |(at, letter): (usize, char)| is_sign(letter) && ends(&text[..at + letter.len_utf8()]);
    let (before, behind) = (text[..head].char_indices().any(before), text[tail..].char_indices().any(behind));
    match (before, behind) {
        (false, false) => text,
        (true, false) => format!("{BLANK}{text}"),
        (false, true) => format!("{text}{BLANK}"),
        (true, true) => format!("{BLANK}{text}{BLANK}"),
    }
}
