//! Cuts a line into words as a shell would, and stops at whatever a shell would do more than that with.

use super::{ArgvFault, FaultKind, WORDS, check_program, is_unseen};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

struct Word {
    text: String,
    column: usize,
    /// Whether a quote or a backslash stood in it.
    marked: bool,
    /// Whether its first `=` was the last character and stood bare: a tilde that follows would be a home folder.
    assigns: bool,
}

/// Reads a line character by character; the first thing that a shell would act on ends it.
pub(super) struct Splitter {
    line: Vec<char>,
    at: usize,
    quote: Quote,
    opened: usize,
    word: Option<Word>,
    words: Vec<Word>,
}

impl Splitter {
    pub(super) fn new(line: &str) -> Self {
        Self { line: line.chars().collect(), at: 0, quote: Quote::None, opened: 0, word: None, words: Vec::new() }
    }

    /// Reads to the end of the line.
    pub(super) fn run(&mut self) -> Result<(), ArgvFault> {
        while let Some(&c) = self.line.get(self.at) {
            if c != '\n' && is_unseen(c) {
                return Err(self.fault(FaultKind::Character(c)));
            }
            match self.quote {
                Quote::Single => self.in_single(c),
                Quote::Double => self.in_double(c)?,
                Quote::None => self.bare(c)?,
            }
            self.at += 1;
        }
        Ok(())
    }

    fn in_single(&mut self, c: char) {
        if c == '\'' {
            self.quote = Quote::None;
        } else {
            self.push(c);
        }
    }

    fn in_double(&mut self, c: char) -> Result<(), ArgvFault> {
        match c {
            '"' => self.quote = Quote::None,
            '$' | '`' => return Err(self.fault(FaultKind::Expansion(c))),
            '\n' => return Err(self.fault(FaultKind::Character(c))),
            '\\' => self.escape_in_double()?,
            _ => self.push(c),
        }
        Ok(())
    }

    fn escape_in_double(&mut self) -> Result<(), ArgvFault> {
        match self.line.get(self.at + 1) {
            Some('\n') => Err(self.fault(FaultKind::Continuation)),
            Some(&next @ ('"' | '\\' | '$' | '`')) => {
                self.at += 1;
                self.push(next);
                Ok(())
            }
            Some(_) | None => {
                self.push('\\');
                Ok(())
            }
        }
    }

    fn bare(&mut self, c: char) -> Result<(), ArgvFault> {
        match c {
            ' ' | '\t' => return self.end_word(),
            '\'' => self.open(Quote::Single),
            '"' => self.open(Quote::Double),
            '\\' => self.escape()?,
            _ => match self.operator(c) {
                Some(kind) => return Err(self.fault(kind)),
                None => self.push_bare(c),
            },
        }
        Ok(())
    }

    fn open(&mut self, quote: Quote) {
        self.quote = quote;
        self.opened = self.at;
        let word = self.current();
        word.marked = true;
        word.assigns = false;
    }

    fn escape(&mut self) -> Result<(), ArgvFault> {
        let next = match self.line.get(self.at + 1) {
            None => return Err(self.fault(FaultKind::TrailingBackslash)),
            Some('\n') => return Err(self.fault(FaultKind::Continuation)),
            Some(&c) => c,
        };
        self.current().marked = true;
        self.at += 1;
        if is_unseen(next) {
            return Err(self.fault(FaultKind::Character(next)));
        }
        self.push(next);
        Ok(())
    }

    /// What an unquoted character would mean to a shell, if it means anything.
    fn operator(&self, c: char) -> Option<FaultKind> {
        let next = self.line.get(self.at + 1).copied();
        let pair = |second: char| format!("{c}{second}");
        Some(match (c, next) {
            ('&', Some('>')) => FaultKind::Redirect("&>".to_owned()),
            ('&', Some('&')) => FaultKind::Operator(pair('&')),
            ('&', _) => FaultKind::Background,
            ('|', Some(second @ ('|' | '&'))) => FaultKind::Operator(pair(second)),
            ('|' | ';' | '\n', _) => FaultKind::Operator(c.to_string()),
            ('<' | '>', Some(second @ ('<' | '>' | '(' | '&' | '|'))) => FaultKind::Redirect(pair(second)),
            ('<' | '>', _) => FaultKind::Redirect(c.to_string()),
            ('$' | '`', _) => FaultKind::Expansion(c),
            ('(' | ')', _) => FaultKind::Parenthesis(c),
            ('[', Some('[')) if self.word.is_none() && self.words.is_empty() => FaultKind::Reserved("[[".to_owned()),
            ('{' | '}', _) if self.is_lone_first() => FaultKind::Reserved(c.to_string()),
            ('*' | '?' | '[' | '{' | '}', _) => FaultKind::Pattern(c),
            ('#', _) if self.word.is_none() => FaultKind::Comment,
            ('~', _) if self.tilde_counts() => FaultKind::Tilde,
            _ => return None,
        })
    }

    fn is_lone_first(&self) -> bool {
        let next = self.line.get(self.at + 1);
        self.words.is_empty() && self.word.is_none() && next.is_none_or(|c| matches!(c, ' ' | '\t' | '\n'))
    }

    /// A tilde means a home folder at the start of a word and right after its first `=`.
    fn tilde_counts(&self) -> bool {
        self.word.as_ref().is_none_or(|word| word.assigns)
    }

    fn current(&mut self) -> &mut Word {
        let column = self.at + 1;
        self.word.get_or_insert_with(|| Word { text: String::new(), column, marked: false, assigns: false })
    }

    fn push(&mut self, c: char) {
        let word = self.current();
        word.text.push(c);
        word.assigns = false;
    }

    fn push_bare(&mut self, c: char) {
        let word = self.current();
        word.assigns = c == '=' && !word.text.contains('=');
        word.text.push(c);
    }

    fn end_word(&mut self) -> Result<(), ArgvFault> {
        if let Some(word) = self.word.take() {
            if self.words.len() == WORDS {
                return Err(ArgvFault { column: word.column, kind: FaultKind::TooManyWords });
            }
            self.words.push(word);
        }
        Ok(())
    }

    /// The words, once the line is read.
    pub(super) fn finish(mut self) -> Result<Vec<String>, ArgvFault> {
        let open = match self.quote {
            Quote::Single => Some('\''),
            Quote::Double => Some('"'),
            Quote::None => None,
        };
        if let Some(quote) = open {
            return Err(ArgvFault { column: self.opened + 1, kind: FaultKind::OpenQuote(quote) });
        }
        self.end_word()?;
        let Some(first) = self.words.first() else { return Err(ArgvFault { column: 1, kind: FaultKind::Empty }) };
        if first.marked {
            return Err(ArgvFault { column: first.column, kind: FaultKind::Program(first.text.clone()) });
        }
        check_program(&first.text).map_err(|fault| ArgvFault { column: first.column, ..fault })?;
        Ok(self.words.into_iter().map(|word| word.text).collect())
    }

    fn fault(&self, kind: FaultKind) -> ArgvFault {
        ArgvFault { column: self.at + 1, kind }
    }
}
