//! From bytes to clean text, piece by piece: no character is split, escape sequences and control characters go. It
//! keeps only what it needs to go on with the next piece.

/// Decodes one stream.
#[derive(Debug, Default)]
pub(crate) struct Cleaner {
    /// The start of a character whose rest has not come yet, at most 3 bytes.
    partial: Vec<u8>,
    state: State,
    after_return: bool,
}

/// Where in an escape sequence the stream is (ECMA-48).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and intermediate characters, before the final one.
    Intermediate,
    /// In a control sequence, until its final character.
    Control,
    /// In a string (OSC, DCS, APC, PM, SOS), until BEL or ST, with the number of characters so far.
    Quoted(u16),
    /// In such a string, after ESC.
    QuotedEscape(u16),
}

/// An unterminated string must not swallow a whole stream: after so many characters it counts as ended.
const LONGEST_STRING: u16 = 4096;

impl Cleaner {
    /// The clean text of the next piece.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        let joined;
        let mut rest = if self.partial.is_empty() {
            bytes
        } else {
            joined = [std::mem::take(&mut self.partial).as_slice(), bytes].concat();
            joined.as_slice()
        };
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    self.keep(valid, &mut text);
                    return text;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    self.keep(std::str::from_utf8(valid).unwrap_or_default(), &mut text);
                    let Some(length) = error.error_len() else {
                        self.partial = after.to_vec();
                        return text;
                    };
                    self.keep("\u{fffd}", &mut text);
                    rest = &after[length..];
                }
            }
        }
    }

    /// What is left at the end: a character that never became whole.
    pub(crate) fn finish(&mut self) -> String {
        let mut text = String::new();
        if !std::mem::take(&mut self.partial).is_empty() {
            self.keep("\u{fffd}", &mut text);
        }
        if std::mem::take(&mut self.after_return) {
            text.push('\n');
        }
        text
    }

    fn keep(&mut self, valid: &str, text: &mut String) {
        for character in valid.chars() {
            match self.state {
                State::Text => self.plain(character, text),
                State::Escape | State::Intermediate | State::Control | State::Quoted(_) | State::QuotedEscape(_) => {
                    self.state = next(self.state, character)
                }
            }
        }
    }

    fn plain(&mut self, character: char, text: &mut String) {
        // A return alone starts the line anew on a terminal; here the lines are kept, one below the other.
        if std::mem::take(&mut self.after_return) {
            text.push('\n');
            if character == '\n' {
                return;
            }
        }
        match character {
            '\u{1b}' => self.state = State::Escape,
            '\u{9b}' => self.state = State::Control,
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => self.state = State::Quoted(0),
            '\r' => self.after_return = true,
            '\n' | '\t' => text.push(character),
            control if control.is_control() => {}
            other => text.push(other),
        }
    }
}

fn next(state: State, character: char) -> State {
    match (state, character) {
        (State::Escape, '[') => State::Control,
        (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::Quoted(0),
        (State::Escape | State::Intermediate, ' '..='/') => State::Intermediate,
        (State::Escape | State::Intermediate | State::Control, '\u{1b}') => State::Escape,
        // Parameters and intermediates; anything else ends the sequence.
        (State::Control, ' '..='?') => State::Control,
        (State::Escape | State::Intermediate | State::Control | State::Text, _) => State::Text,
        (State::Quoted(_), '\u{7}' | '\u{9c}') | (State::QuotedEscape(_), '\\') => State::Text,
        (State::Quoted(length), '\u{1b}') => State::QuotedEscape(length),
        (State::Quoted(length) | State::QuotedEscape(length), _) if length >= LONGEST_STRING => State::Text,
        (State::Quoted(length) | State::QuotedEscape(length), _) => State::Quoted(length + 1),
    }
}
