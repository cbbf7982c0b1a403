//! Reads `awk` programs for pipes, redirects and calls of other programs. What cannot be read closes the call.

use super::options::{LOADS, RUNS, WRITES};
use super::special::Violation;

const UNREADABLE: &str = "its program cannot be read here; write it more plainly, without `/` behind `)`";

/// What closes a call of `awk`.
pub(super) fn violation(arguments: &[String]) -> Violation<'_> {
    let mut left = arguments.iter().map(String::as_str);
    while let Some(argument) = left.next() {
        match argument {
            "--" => return left.next().and_then(|program| Some((program, judge(program)?))),
            "-v" | "-F" | "--assign" | "--field-separator" => {
                left.next();
            }
            "-e" | "--source" => {
                let program = left.next()?;
                if let Some(because) = judge(program) {
                    return Some((program, because));
                }
                // With a program in an option the operands are files.
                if let Some(found) = left.clone().find_map(|word| Some((word, closed(word)?))) {
                    return Some(found);
                }
            }
            _ if argument.starts_with('-') && argument.len() > 1 => {
                if let Some(because) = closed(argument) {
                    return Some((argument, because));
                }
            }
            program => return judge(program).map(|because| (program, because)),
        }
    }
    None
}

/// Options: those that are known and harmless pass, all others load code, write or change what runs.
fn closed(option: &str) -> Option<&'static str> {
    let harmless = [
        "-v",
        "-F",
        "--assign=",
        "--field-separator=",
        "--version",
        "--posix",
        "-P",
        "--traditional",
        "-c",
        "--csv",
        "-k",
        "--characters-as-bytes",
        "-b",
        "--sandbox",
        "-S",
        "--re-interval",
        "-r",
        "--non-decimal-data",
        "-n",
        "-W version",
        "--help",
        "-h",
        "-V",
    ];
    let passes = !option.starts_with('-')
        || option == "-"
        || harmless.contains(&option)
        || ["-v", "-F", "--assign=", "--field-separator="].iter().any(|start| option.starts_with(start));
    (!passes).then_some(LOADS)
}

/// What a program text would do that is closed.
fn judge(program: &str) -> Option<&'static str> {
    if calls(&program.replace("\\\n", " ").replace("\\\r\n", " "), "system") {
        return Some(RUNS);
    }
    match tokens(program) {
        Some(tokens) => in_tokens(&tokens),
        None => program.contains(['|', '>', '@']).then_some(UNREADABLE),
    }
}

/// Whether a function of that name is called anywhere, in text and comments too.
fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].trim_start();
        behind.starts_with('(') && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Name(&'a str),
    Value,
    Sign(char),
}

/// The tokens of a program, strings and patterns as values. `None` where a `/` could be read both ways.
fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut left = text.char_indices().peekable();
    while let Some((at, c)) = left.next() {
        match c {
            '"' => {
                skip_to(&mut left, '"')?;
                tokens.push(Token::Value);
            }
            '/' => match tokens.last() {
                Some(Token::Sign(')' | ']' | '$') | Token::Sign('+' | '-') | Token::Name("getline")) => return None,
                Some(Token::Value) => tokens.push(Token::Sign('/')),
                Some(Token::Name(name)) if !KEYWORDS.contains(name) => tokens.push(Token::Sign('/')),
                Some(Token::Name(_) | Token::Sign(_)) | None => {
                    skip_pattern(&mut left)?;
                    tokens.push(Token::Value);
                }
            },
            // A comment ends with its line, also behind a backslash.
            '#' => while left.next_if(|(_, c)| *c != '\n').is_some() {},
            '\\' => joins(&mut left)?,
            _ if c.is_alphabetic() || c == '_' => {
                let mut end = at + c.len_utf8();
                while let Some((next, c)) = left.next_if(|(_, c)| c.is_alphanumeric() || *c == '_') {
                    end = next + c.len_utf8();
                }
                tokens.push(Token::Name(&text[at..end]));
            }
            _ if c.is_ascii_digit() => tokens.push(Token::Value),
            ' ' | '\t' | '\r' => {}
            _ => tokens.push(Token::Sign(c)),
        }
    }
    Some(tokens)
}

/// A backslash at the end of a line joins it to the next; anywhere else it means nothing that is known here.
fn joins(left: &mut std::iter::Peekable<std::str::CharIndices<'_>>) -> Option<()> {
    left.next_if(|(_, c)| *c == '\r');
    left.next_if(|(_, c)| *c == '\n').map(drop)
}

const KEYWORDS: &[&str] =
    &["print", "printf", "return", "case", "in", "if", "while", "else", "do", "for", "delete", "exit"];

/// A pattern up to its `/`. One that holds a `/` in brackets is read one way by some and another way by others.
fn skip_pattern(left: &mut impl Iterator<Item = (usize, char)>) -> Option<()> {
    let mut bracket = false;
    while let Some((_, c)) = left.next() {
        match c {
            '\\' => {
                left.next();
            }
            '\n' => return None,
            '/' if bracket => return None,
            '/' => return Some(()),
            '[' => bracket = true,
            ']' => bracket = false,
            _ => {}
        }
    }
    None
}

fn skip_to(left: &mut impl Iterator<Item = (usize, char)>, end: char) -> Option<()> {
    while let Some((_, c)) = left.next() {
        match c {
            '\\' => {
                left.next();
            }
            '\n' => return None,
            _ if c == end => return Some(()),
            _ => {}
        }
    }
    None
}

/// Whether a statement goes on behind a line that ends so.
fn goes_on(last: Token<'_>) -> bool {
    matches!(last, Token::Sign(',' | '&' | '|' | '\n' | '(' | '[' | '?' | ':'))
}

fn in_tokens(tokens: &[Token<'_>]) -> Option<&'static str> {
    let mut depth = 0_i32;
    // The depth of brackets at which a print statement stands, while one is open.
    let mut print: Option<i32> = None;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        match token {
            Token::Name("print" | "printf") => print = Some(depth),
            Token::Sign('@') => return Some(LOADS),
            Token::Sign('|') => {
                let doubled = next == Some(&Token::Sign('|')) || (at > 0 && tokens[at - 1] == Token::Sign('|'));
                if !doubled {
                    return Some(RUNS);
                }
            }
            Token::Sign('>') => {
                let append = next == Some(&Token::Sign('>'));
                if append || print == Some(depth) {
                    return Some(WRITES);
                }
            }
            Token::Sign('(' | '[') => depth += 1,
            Token::Sign(')' | ']') => depth -= 1,
            Token::Sign('\n') if at > 0 && goes_on(tokens[at - 1]) => {}
            Token::Sign(';' | '\n' | '}' | '{') => print = None,
            Token::Name(_) | Token::Value | Token::Sign(_) => {}
        }
    }
    None
}
