//! What the lines of a text are like up to a place: whether a line begins there, whether it is inside a code fence or a
//! quotation. It follows Markdown as far as that and no further.

/// Marks that open a quotation right before what is quoted.
const QUOTES: [char; 10] = ['"', '\'', '`', '“', '‘', '„', '«', '‹', '「', '『'];

/// The text up to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lines {
    /// Nothing but white space stands on this line.
    pub(super) at_start: bool,
    /// Nothing but white space has come at all.
    pub(super) at_first: bool,
    /// A code fence is open.
    pub(super) fenced: bool,
    /// Backticks at the start of this line.
    backticks: u8,
    /// The line is one of a block quote.
    quoting: bool,
    /// Code is open within the line.
    code: bool,
    last: char,
}

impl Lines {
    /// Before any text.
    pub(super) fn new() -> Lines {
        Lines { at_start: true, at_first: true, fenced: false, backticks: 0, quoting: false, code: false, last: '\n' }
    }

    /// What stands here is shown, not said: in a fence, a block quote, inline code or behind a quotation mark.
    pub(super) fn is_quoted(self) -> bool {
        self.fenced || self.quoting || self.code || QUOTES.contains(&self.last)
    }

    /// Goes on over this text.
    pub(super) fn read(&mut self, text: &str) {
        for letter in text.chars() {
            self.step(letter);
            self.last = letter;
        }
    }

    fn step(&mut self, letter: char) {
        match letter {
            '\n' => (self.at_start, self.backticks, self.quoting, self.code) = (true, 0, false, false),
            ' ' | '\t' | '\r' => {}
            '`' if self.at_start => self.fence(),
            '`' => self.code ^= true,
            _ => {
                self.quoting |= self.at_start && letter == '>';
                (self.at_start, self.at_first) = (false, false);
            }
        }
    }

    /// A backtick at the start of a line: the third makes it a fence, fewer are code.
    fn fence(&mut self) {
        self.at_first = false;
        self.backticks += 1;
        self.code ^= true;
        if self.backticks == 3 {
            (self.at_start, self.fenced, self.code) = (false, !self.fenced, false);
        }
    }
}
