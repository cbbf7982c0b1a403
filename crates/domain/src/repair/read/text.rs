//! Reads one text in its quotes. No backslash is lost, added or reread: an escape that JSON lacks has two readings, and
//! so has a doubled backslash between quotes that are escaped themselves.

use super::{Fault, Reader};
use crate::repair::step::Did;

/// What a text stands between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// `"`, as JSON has it.
    Double,
    /// `'`.
    Single,
    /// `“ ” „ ‟`.
    TypographicDouble,
    /// `‘ ’ ‚ ‛`.
    TypographicSingle,
    /// `\"` or `\'`.
    Escaped(char),
}

impl Quote {
    fn of(letter: char) -> Option<Self> {
        Some(match letter {
            '"' => Self::Double,
            '\'' => Self::Single,
            '“' | '”' | '„' | '‟' => Self::TypographicDouble,
            '‘' | '’' | '‚' | '‛' => Self::TypographicSingle,
            _ => return None,
        })
    }
}

impl Reader<'_> {
    /// The quote that stands here.
    pub(super) fn quote(&self) -> Option<Quote> {
        let mut letters = self.rest().chars();
        match (letters.next()?, letters.next()) {
            ('\\', Some(quote @ ('"' | '\''))) => Some(Quote::Escaped(quote)),
            (letter, _) => Quote::of(letter),
        }
    }

    /// The text between this quote and the next one of its kind.
    pub(super) fn text(&mut self, quote: Quote) -> Result<String, Fault> {
        self.take_quote();
        if quote != Quote::Double {
            self.slip(Did::Quotes);
        }
        let mut text = String::new();
        loop {
            if self.quote() == Some(quote) {
                self.take_quote();
                return Ok(text);
            }
            match self.peek() {
                None => return Err(self.open("a text")),
                Some('\\') => text.push(self.escape(quote)?),
                Some(letter) if quote == Quote::Escaped(letter) => return Err(self.mixed_quotes()),
                Some(letter) => {
                    if letter < ' ' {
                        self.slip(Did::RawControl);
                    }
                    text.push(letter);
                    self.skip(letter.len_utf8());
                }
            }
        }
    }

    fn take_quote(&mut self) {
        let escape = usize::from(self.rest().starts_with('\\'));
        let quote = self.rest()[escape..].chars().next().map_or(0, char::len_utf8);
        self.skip(escape + quote);
    }

    fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    fn mixed_quotes(&self) -> Fault {
        self.bad(format!(
            "the quote at {} is not escaped as those around the text are; write \" around texts and \\\" inside",
            self.place(self.at)
        ))
    }

    fn escape(&mut self, quote: Quote) -> Result<char, Fault> {
        let Some(letter) = self.rest()[1..].chars().next() else { return Err(self.open("a text")) };
        if letter == '\\' && matches!(quote, Quote::Escaped(_)) {
            return Err(self.bad(format!(
                "the backslashes at {} have two readings between escaped quotes; write \" around the text",
                self.place(self.at)
            )));
        }
        let meant = match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.code_point(),
            _ => return Err(self.no_escape(&format!("\\{letter}"))),
        };
        self.skip(2);
        Ok(meant)
    }

    /// An escape of four digits, or two of them that are the halves of one letter.
    fn code_point(&mut self) -> Result<char, Fault> {
        let first = self.unit(0)?;
        if !(0xD800..0xE000).contains(&first) {
            self.skip(6);
            return char::from_u32(first).ok_or_else(|| self.no_escape("\\u"));
        }
        if first >= 0xDC00 || !self.rest()[6..].starts_with("\\u") {
            return Err(self.half_a_letter(&self.rest()[6..]));
        }
        let second = self.unit(6)?;
        let letter =
            (0xDC00..0xE000).contains(&second).then(|| 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00));
        let letter = letter.and_then(char::from_u32).ok_or_else(|| self.half_a_letter("x"))?;
        self.skip(12);
        Ok(letter)
    }

    fn unit(&self, offset: usize) -> Result<u32, Fault> {
        let digits = &self.rest()[offset + 2..];
        let count = digits.bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
        match u32::from_str_radix(&digits[..count], 16) {
            Ok(unit) if count == 4 => Ok(unit),
            Ok(_) | Err(_) if digits.len() == count => Err(self.open("a text")),
            Ok(_) | Err(_) => Err(self.no_escape("\\u")),
        }
    }

    fn half_a_letter(&self, behind: &str) -> Fault {
        if behind.is_empty() || behind == "\\" {
            return self.open("a text");
        }
        self.bad(format!("the escape at {} is half of a letter; write the letter itself", self.place(self.at)))
    }

    fn no_escape(&self, written: &str) -> Fault {
        let hint = if written == "\\u" { "four hexadecimal digits follow \\u" } else { "JSON has no such escape" };
        self.bad(format!(
            "{written} at {} has two readings, since {hint}; write \\{written} for a backslash in the text, or no \
             backslash",
            self.place(self.at)
        ))
    }
}
