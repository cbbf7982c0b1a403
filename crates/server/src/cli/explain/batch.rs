//! Many values, one a line: each gets one line of answer at once, in order, and a bad line stops nothing.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

use super::{SCHEMA, Said, broken};
use crate::exit::{Ended, Exit};
use crate::terminal;

/// The longest line, in bytes (1 MiB, as a JSON body). What is longer is an error of that line alone.
const LONGEST: usize = 1024 * 1024;

/// Answers all of standard input. Fails at the end when a line was not understood.
pub(super) async fn run(as_json: bool, judge: impl AsyncFn(Value) -> Result<Said, String>) -> Result<(), Ended> {
    let (mut input, mut bad) = (io::stdin().lock(), 0_usize);
    while let Some(line) = next_line(&mut input).map_err(broken)? {
        let said = match read(line) {
            Ok(value) => judge(value).await,
            Err(fault) => Err(fault),
        };
        bad += usize::from(said.is_err());
        match print(&said, as_json) {
            // Whoever reads has had enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            printed => printed.map_err(broken)?,
        }
    }
    if bad == 0 {
        return Ok(());
    }
    let lines = if bad == 1 { "1 line was".to_owned() } else { format!("{bad} lines were") };
    Err(Ended::new(Exit::Failed, format!("{lines} not understood; each says why.")))
}

fn read(line: Line) -> Result<Value, String> {
    let Line::Whole(bytes) = line else { return Err(format!("the line is longer than {LONGEST} bytes")) };
    serde_json::from_slice(&bytes).map_err(|fault| format!("not JSON: {fault}"))
}

fn print(said: &Result<Said, String>, as_json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let line = match said {
        Ok(said) if as_json => said.json(),
        Ok(said) => terminal::line(&said.line()),
        Err(fault) if as_json => terminal::json(&json!({ "schema": SCHEMA, "error": fault })),
        Err(fault) => terminal::line(&format!("error: {fault}")),
    };
    // Written out at once: somebody may wait for this answer before the next question.
    writeln!(out, "{line}")?;
    out.flush()
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// The next line without its end. A line that is too long is read over.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let (mut line, mut too_long, mut any) = (Vec::new(), false, false);
    loop {
        let piece = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        if piece.is_empty() {
            break;
        }
        any = true;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = &piece[..end.unwrap_or(piece.len())];
        too_long |= line.len() + taken.len() > LONGEST;
        if !too_long {
            line.extend_from_slice(taken);
        }
        let used = taken.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    if too_long {
        return Ok(Some(Line::TooLong));
    }
    Ok(any.then_some(Line::Whole(line)))
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Line, next_line};

    fn lines(text: &str) -> Vec<Option<String>> {
        let mut input = std::io::BufReader::with_capacity(7, text.as_bytes());
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input).unwrap() {
            lines.push(match line {
                Line::Whole(bytes) => Some(String::from_utf8(bytes).unwrap()),
                Line::TooLong => None,
            });
        }
        lines
    }

    #[test]
    fn each_line_is_one_and_the_last_needs_no_end() {
        let whole = |text: &str| Some(text.to_owned());
        assert_eq!(lines("a\n\nlonger than it\nlast"), [whole("a"), whole(""), whole("longer than it"), whole("last")]);
        assert_eq!(lines("a\n"), [whole("a")]);
        assert!(lines("").is_empty());
    }

    #[test]
    fn a_line_that_is_too_long_costs_only_itself() {
        let text = format!("{}\nnext", "x".repeat(LONGEST + 1));
        assert_eq!(lines(&text), [None, Some("next".to_owned())]);
    }
}
