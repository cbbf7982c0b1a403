//! Why a line is not plain argv, in words that say how to write it.

use std::fmt;

use thiserror::Error;

use super::{LINE_BYTES, WORDS};

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
