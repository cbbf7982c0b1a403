//! Finds the end of a bracketed expression while it streams, past quoted texts in it. It does not ask what the
//! expression says.

/// One way to quote a text: the mark at both ends, and whether a backslash takes the next letter out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quote {
    pub(super) mark: &'static str,
    pub(super) escapes: bool,
}

/// Where the reader stands. It is given the whole text so far and goes on where it stood.
#[derive(Debug, Clone)]
pub(super) struct Nest {
    /// Longer marks first.
    quotes: &'static [Quote],
    at: usize,
    depth: usize,
    within: Option<Quote>,
}

impl Nest {
    /// A reader at an opening bracket.
    pub(super) fn new(quotes: &'static [Quote], at: usize) -> Nest {
        Nest { quotes, at, depth: 0, within: None }
    }

    /// A reader right behind an opening bracket.
    pub(super) fn behind(quotes: &'static [Quote], at: usize) -> Nest {
        Nest { quotes, at, depth: 1, within: None }
    }

    /// Reads on; gives where the expression ends once it does.
    pub(super) fn advance(&mut self, text: &str) -> Option<usize> {
        while self.at < text.len() {
            let rest = &text[self.at..];
            let length = match self.within {
                Some(quote) => self.in_quote(rest, quote)?,
                None => self.outside(rest)?,
            };
            self.at += length;
            if self.depth == 0 && self.within.is_none() {
                return Some(self.at);
            }
        }
        None
    }

    fn in_quote(&mut self, rest: &str, quote: Quote) -> Option<usize> {
        if rest.starts_with(quote.mark) {
            self.within = None;
            return Some(quote.mark.len());
        }
        if quote.mark.starts_with(rest) {
            return None;
        }
        let first = letter(rest)?;
        if quote.escapes && rest.starts_with('\\') {
            return Some(first + letter(&rest[first..])?);
        }
        Some(first)
    }

    fn outside(&mut self, rest: &str) -> Option<usize> {
        if self.quotes.iter().any(|quote| quote.mark.len() > rest.len() && quote.mark.starts_with(rest)) {
            return None;
        }
        if let Some(quote) = self.quotes.iter().find(|quote| rest.starts_with(quote.mark)) {
            self.within = Some(*quote);
            return Some(quote.mark.len());
        }
        match rest.as_bytes()[0] {
            b'(' | b'[' | b'{' => self.depth += 1,
            b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        letter(rest)
    }
}

fn letter(text: &str) -> Option<usize> {
    text.chars().next().map(char::len_utf8)
}
