//! Splits a command line that a model wrote into program and arguments, and expands nothing. Not a shell, and not a
//! judge of programs: that is [`crate::program`].
//!
//! Operators are looked for first, character by character, so a line either is plain argv or is rejected with the way
//! to write it. Quotes around an operator make it literal; legal text always passes unchanged.

use std::fmt;

use thiserror::Error;

use crate::letters::is_format;

/// The longest line, in bytes (32 KiB).
pub const LINE_BYTES: usize = 32 * 1024;
/// The most words of a line, the program included.
pub const WORDS: usize = 1024;

/// Why a line is not plain argv, where, and how to write it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("column {column}: {kind}")]
pub struct ArgvFault {
    /// Characters from the start of the line, counted from 1.
    pub column: usize,
    /// What stands there.
    pub kind: FaultKind,
}

/// What a line may not hold. The text of each says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// `;`, `&&`, `||`, `|`, `|&` or a line end between two programs.
    Operator(String),
    /// A single `&` at the end of a program.
    Background,
    /// `<` or `>` in any form.
    Redirect(String),
    /// `$` or a backquote that a shell would expand.
    Expansion(char),
    /// `*`, `?`, `[`, `{`, `}` outside quotes.
    Pattern(char),
    /// `~` where a shell would put a home folder.
    Tilde,
    /// `(` or `)` outside quotes.
    Parenthesis(char),
    /// `#` at the start of a word.
    Comment,
    /// A word with a meaning of its own in a shell, as the first word.
    Reserved(String),
    /// A variable set in front of a program.
    Assignment(String),
    /// A quote that is never closed.
    OpenQuote(char),
    /// A backslash as the last character.
    TrailingBackslash,
    /// A backslash in front of a line end.
    Continuation,
    /// Nothing but blanks.
    Empty,
    /// A character that cannot be seen or that changes how the rest is shown.
    Character(char),
    /// The program is not named plainly: a path, quoted, escaped, or with letters that no program name has.
    Program(String),
    /// More than [`LINE_BYTES`].
    TooLong,
    /// More than [`WORDS`].
    TooManyWords,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator(sign) => {
                write!(f, "`{}` would start a second program; run one program a call", sign.escape_debug())
            }
            Self::Background => f.write_str("`&` would leave a program running; a call waits for its program, drop it"),
            Self::Redirect(sign) => write!(
                f,
                "`{sign}` would redirect; give a file name as argument or text as `stdin`, or quote it if it is meant"
            ),
            Self::Expansion(sign) => {
                write!(f, "`{sign}` expands to nothing here; write the value itself, or put it in '…'")
            }
            Self::Pattern(sign) => {
                write!(f, "`{sign}` is no pattern here; find the names with `file_find` and give them, or quote it")
            }
            Self::Tilde => {
                f.write_str("`~` is not replaced here; write the name from the folder `dir` on, or quote it")
            }
            Self::Parenthesis(sign) => {
                write!(f, "`{sign}` groups nothing here; plain argv only, quote it if it is meant")
            }
            Self::Comment => f.write_str("`#` would begin a comment; drop it, or quote it if it is meant"),
            Self::Reserved(word) => write!(f, "`{word}` is a word of shells, not a program; plain argv only"),
            Self::Assignment(name) => {
                write!(f, "`{name}=` would set a variable; variables cannot be set, name the program first")
            }
            Self::OpenQuote(quote) => {
                write!(f, "this {quote} is never closed; close it, or escape it with a backslash")
            }
            Self::TrailingBackslash => f.write_str("a backslash ends the line; drop it, or write it twice"),
            Self::Continuation => f.write_str("a backslash joins two lines; write one line"),
            Self::Empty => f.write_str("there is no program; name one"),
            Self::Character(c) => write!(f, "the character U+{:04X} cannot stand here; remove it", u32::from(*c)),
            Self::Program(name) => write!(
                f,
                "`{}` does not name a program plainly; write the bare name, without folder, quotes or backslash",
                name.escape_debug()
            ),
            Self::TooLong => {
                write!(f, "the line is longer than {LINE_BYTES} bytes; give long text as `stdin` or a file")
            }
            Self::TooManyWords => write!(f, "the line has more than {WORDS} words; give names in a file"),
        }
    }
}

/// Program and arguments of a line.
///
/// Blanks part words; `'…'` is opaque; in `"…"` a backslash escapes `"`, `\`, `$` and the backquote alone; elsewhere it
/// takes the next character.
pub fn split(line: &str) -> Result<Vec<String>, ArgvFault> {
    if line.len() > LINE_BYTES {
        return Err(ArgvFault { column: 1, kind: FaultKind::TooLong });
    }
    let mut splitter = Splitter::new(line);
    splitter.run()?;
    splitter.finish()
}

/// Checks program and arguments that were given as a list, by the same rules as far as they concern single words.
pub fn check_list(argv: &[String]) -> Result<(), ArgvFault> {
    let Some(program) = argv.first() else {
        return Err(ArgvFault { column: 1, kind: FaultKind::Empty });
    };
    if argv.iter().map(|word| word.len() + 1).sum::<usize>() > LINE_BYTES {
        return Err(ArgvFault { column: 1, kind: FaultKind::TooLong });
    }
    if argv.len() > WORDS {
        return Err(ArgvFault { column: 1, kind: FaultKind::TooManyWords });
    }
    if let Some(bad) = argv.iter().flat_map(|word| word.chars()).find(|c| *c != '\n' && is_unseen(*c)) {
        return Err(ArgvFault { column: 1, kind: FaultKind::Character(bad) });
    }
    check_program(program)
}

/// Whether a program is named plainly.
fn check_program(name: &str) -> Result<(), ArgvFault> {
    let kind = match name {
        _ if is_bare(name) && !RESERVED.contains(&name) => return Ok(()),
        _ if RESERVED.contains(&name) => FaultKind::Reserved(name.to_owned()),
        _ => match assigned(name) {
            Some(variable) => FaultKind::Assignment(variable.to_owned()),
            None => FaultKind::Program(name.to_owned()),
        },
    };
    Err(ArgvFault { column: 1, kind })
}

/// `[A-Za-z0-9_][A-Za-z0-9._+-]*`.
fn is_bare(name: &str) -> bool {
    let mut letters = name.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphanumeric() || first == b'_')
        && letters.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'+' | b'-'))
}

/// The variable that a word would set in front of a program (POSIX XCU 2.9.1).
fn assigned(word: &str) -> Option<&str> {
    let (name, _) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (begins && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')).then_some(name)
}

/// Words that a shell takes for grammar when they come first (POSIX XCU 2.4, and those of bash, ksh and zsh).
const RESERVED: &[&str] = &[
    "!",
    "[[",
    "]]",
    "{",
    "}",
    "case",
    "coproc",
    "do",
    "done",
    "elif",
    "else",
    "end",
    "esac",
    "fi",
    "for",
    "foreach",
    "function",
    "if",
    "in",
    "namespace",
    "nocorrect",
    "repeat",
    "select",
    "then",
    "time",
    "until",
    "while",
];

/// Characters that nobody sees, or that change how the others are shown: control (the tab excepted, which is a blank),
/// format with the directional ones among them, and the line ends of Unicode.
fn is_unseen(c: char) -> bool {
    c != '\t' && (c.is_control() || is_format(c) || matches!(c, '\u{2028}' | '\u{2029}'))
}

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

struct Splitter {
    line: Vec<char>,
    at: usize,
    quote: Quote,
    opened: usize,
    word: Option<Word>,
    words: Vec<Word>,
}

impl Splitter {
    fn new(line: &str) -> Self {
        Self { line: line.chars().collect(), at: 0, quote: Quote::None, opened: 0, word: None, words: Vec::new() }
    }

    fn run(&mut self) -> Result<(), ArgvFault> {
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

    fn finish(mut self) -> Result<Vec<String>, ArgvFault> {
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

#[cfg(test)]
mod tests;
