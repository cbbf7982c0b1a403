//! What a conversation is called: one line that people read in lists. Not here: who may change it.

use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;

use crate::letters::is_bidi;
use crate::limits::TITLE_CHARS;

/// A title in NFC, without blanks around it. An empty one is none yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title(String);

/// The text is no title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("A title has at most {TITLE_CHARS} characters in one line, and none that turns the direction of the text.")]
pub struct TitleFault;

impl Title {
    /// Judges what was typed.
    pub fn parse(typed: &str) -> Result<Self, TitleFault> {
        let title: String = typed.trim().nfc().collect();
        if title.chars().count() > TITLE_CHARS || title.chars().any(is_out_of_line) {
            return Err(TitleFault);
        }
        Ok(Self(title))
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Control characters, line and paragraph separators, and what makes a list show another text than is there.
fn is_out_of_line(c: char) -> bool {
    c.is_control() || is_bidi(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests;
