//! Reads `sed` scripts for commands that start programs or write files. A script that cannot be read closes the call.

use super::options::{LOADS, OUTSIDE, RUNS, WRITES};
use super::special::Violation;
use super::words::{self, Word, abbreviates, stays_inside};

const UNREADABLE: &str = "its script cannot be read here; write it more plainly, one command with each -e";
const VALUED: &str = "efli?";

/// What closes a call of `sed`.
pub(super) fn violation(arguments: &[String]) -> Violation<'_> {
    let words = with_long_values(arguments);
    if let Some((raw, _)) = words.iter().find(|(_, word)| is_script_file(*word)) {
        return Some((raw, LOADS));
    }
    let mut scripts: Vec<&str> = words.iter().filter_map(|(_, word)| script(*word)).collect();
    let mut operands: Vec<&str> = words.iter().filter_map(|(_, word)| operand(*word)).collect();
    if scripts.is_empty() && !operands.is_empty() {
        scripts.push(operands.remove(0));
    }
    let joined = scripts.join("\n");
    if let Some(because) = Reader::new(&joined).violation() {
        return Some((scripts.first().copied().unwrap_or(""), because));
    }
    in_place(&words, &operands)
}

/// The words, with `--expression` and `--file` taking the next argument where they have no `=`.
fn with_long_values(arguments: &[String]) -> Vec<(&str, Word<'_>)> {
    let mut words = Vec::new();
    let mut left = words::read(arguments, VALUED).into_iter();
    while let Some((raw, word)) = left.next() {
        let takes_next = matches!(word, Word::Long(name, None) if takes_value(name));
        match word {
            Word::Long(name, None) if takes_next => {
                words.push((raw, Word::Long(name, left.next().map(|(value, _)| value))));
            }
            Word::Letter(..) | Word::Long(..) | Word::Operand(_) => words.push((raw, word)),
        }
    }
    words
}

fn takes_value(name: &str) -> bool {
    ["expression", "file", "line-length"].iter().any(|long| abbreviates(name, long))
}

fn is_script_file(word: Word<'_>) -> bool {
    match word {
        Word::Letter(letter, _) => letter == 'f',
        Word::Long(name, _) => abbreviates(name, "file") && name != "follow-symlinks",
        Word::Operand(_) => false,
    }
}

fn script(word: Word<'_>) -> Option<&str> {
    match word {
        Word::Letter('e', value) => value,
        Word::Long(name, value) if abbreviates(name, "expression") => value,
        Word::Letter(..) | Word::Long(..) | Word::Operand(_) => None,
    }
}

fn operand(word: Word<'_>) -> Option<&str> {
    match word {
        Word::Operand(text) => Some(text),
        Word::Letter(..) | Word::Long(..) => None,
    }
}

/// `-i` changes its operands, and its suffix may name another folder.
fn in_place<'a>(words: &[(&'a str, Word<'a>)], operands: &[&'a str]) -> Violation<'a> {
    let suffix = words.iter().find_map(|(raw, word)| match word {
        Word::Letter('i', suffix) => Some((*raw, *suffix)),
        Word::Long(name, suffix) if abbreviates(name, "in-place") => Some((*raw, *suffix)),
        Word::Letter(..) | Word::Long(..) | Word::Operand(_) => None,
    });
    let (raw, suffix) = suffix?;
    if suffix.is_some_and(|suffix| suffix.contains('/')) {
        return Some((raw, OUTSIDE));
    }
    operands.iter().find(|file| !stays_inside(file)).map(|file| (*file, OUTSIDE))
}

/// Reads a script command by command (POSIX `sed`, with the commands of GNU).
struct Reader<'a> {
    left: std::iter::Peekable<std::str::Chars<'a>>,
}

impl<'a> Reader<'a> {
    fn new(script: &'a str) -> Self {
        Self { left: script.chars().peekable() }
    }

    /// What the first bad command does. `None`: all commands are known and harmless.
    fn violation(&mut self) -> Option<&'static str> {
        loop {
            self.skip(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
            self.left.peek()?;
            if !self.addresses() {
                return Some(UNREADABLE);
            }
            match self.left.next() {
                None => return Some(UNREADABLE),
                Some(command) => match self.command(command) {
                    Ok(()) => {}
                    Err(because) => return Some(because),
                },
            }
        }
    }

    fn command(&mut self, command: char) -> Result<(), &'static str> {
        match command {
            'e' => Err(RUNS),
            'w' | 'W' => Err(WRITES),
            's' => self.substitution(),
            'y' => self.pair().map(|_| ()).ok_or(UNREADABLE),
            'a' | 'i' | 'c' => self.text(),
            'r' | 'R' | '#' => {
                self.skip(|c| c != '\n');
                Ok(())
            }
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.label();
                Ok(())
            }
            'q' | 'Q' | 'l' | 'L' => {
                self.skip(|c| c == ' ' || c.is_ascii_digit());
                Ok(())
            }
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => Ok(()),
            _ => Err(UNREADABLE),
        }
    }

    /// `s/…/…/flags`; the flag `e` runs the result, `w` writes it.
    fn substitution(&mut self) -> Result<(), &'static str> {
        self.pair().ok_or(UNREADABLE)?;
        while let Some(&flag) = self.left.peek() {
            match flag {
                'e' => return Err(RUNS),
                'w' | 'W' => return Err(WRITES),
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {
                    self.left.next();
                }
                ' ' | '\t' | ';' | '\n' | '}' | '#' => return Ok(()),
                _ => return Err(UNREADABLE),
            }
        }
        Ok(())
    }

    /// Two texts between three equal delimiters.
    fn pair(&mut self) -> Option<()> {
        let delimiter = self.left.next().filter(|c| !matches!(c, '\n' | '\\'))?;
        self.until(delimiter)?;
        self.until(delimiter)
    }

    /// Text up to an unescaped delimiter. A bracket is read both ways, as GNU and POSIX differ about a delimiter in
    /// it: where the ways part the script counts as unreadable.
    fn until(&mut self, delimiter: char) -> Option<()> {
        let mut bracket = false;
        let mut first_in_bracket = false;
        while let Some(c) = self.left.next() {
            match c {
                '\\' => {
                    self.left.next()?;
                    first_in_bracket = false;
                }
                _ if c == delimiter && bracket => return None,
                _ if c == delimiter => return Some(()),
                '[' if !bracket => {
                    bracket = true;
                    first_in_bracket = true;
                }
                ']' if bracket && !first_in_bracket => bracket = false,
                '^' if first_in_bracket => {}
                _ => first_in_bracket = false,
            }
        }
        None
    }

    /// Addresses before a command: numbers, `$`, `/re/`, `\cREc`, with `,`, `~`, `+` and `!` between them.
    fn addresses(&mut self) -> bool {
        loop {
            match self.left.peek() {
                Some('/') => {
                    self.left.next();
                    if self.until('/').is_none() {
                        return false;
                    }
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                Some('\\') => {
                    self.left.next();
                    let Some(delimiter) = self.left.next() else { return false };
                    if self.until(delimiter).is_none() {
                        return false;
                    }
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                Some('0'..='9' | '$' | ',' | '~' | '+' | '!' | ' ' | '\t') => {
                    self.left.next();
                }
                Some(_) | None => return true,
            }
        }
    }

    /// The text of `a`, `i`, `c`: to the end of the line, and on while lines end in a backslash.
    fn text(&mut self) -> Result<(), &'static str> {
        while let Some(c) = self.left.next() {
            match c {
                '\\' => {
                    self.left.next();
                }
                '\n' => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// A label. It ends at a blank too: GNU `sed` reads what follows as a command.
    fn label(&mut self) {
        self.skip(|c| matches!(c, ' ' | '\t'));
        self.skip(|c| !c.is_whitespace() && !matches!(c, ';' | '}'));
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        while self.left.next_if(|c| wanted(*c)).is_some() {}
    }
}
