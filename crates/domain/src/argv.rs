//! Splits a command line that a model wrote into program and arguments, and expands nothing. Not a shell, and not a
//! judge of programs: that is [`crate::program`].
//!
//! Operators are looked for first, character by character, so a line either is plain argv or is rejected with the way
//! to write it. Quotes around an operator make it literal; legal text always passes unchanged.

mod fault;
mod splitter;

use crate::letters::is_format;

pub use fault::{ArgvFault, FaultKind};
use splitter::Splitter;

/// The longest line, in bytes (32 KiB).
pub const LINE_BYTES: usize = 32 * 1024;
/// The most words of a line, the program included.
pub const WORDS: usize = 1024;

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

#[cfg(test)]
mod tests;
