//! The lines of a start: number, name, result and milliseconds, at most 120 characters each (OPS-20). Inner crates
//! report facts, the words are made here.

use std::io::Write;
use std::time::Instant;

use serde_json::json;

use crate::config::LogFormat;
use crate::terminal;

/// Writes the lines of one start.
pub struct Boot<'a> {
    out: &'a mut (dyn Write + Send),
    format: LogFormat,
    number: usize,
    since: Instant,
    degraded: Vec<&'static str>,
}

impl<'a> Boot<'a> {
    /// Lines go to `out`.
    pub fn new(out: &'a mut (dyn Write + Send), format: LogFormat) -> Self {
        Self { out, format, number: 0, since: Instant::now(), degraded: Vec::new() }
    }

    /// A stage is done; `detail` says what came of it.
    pub fn done(&mut self, stage: &'static str, detail: String) {
        self.line(stage, "ok", &detail);
    }

    /// A stage failed, and the server goes on without it.
    pub fn degraded(&mut self, stage: &'static str, detail: String) {
        if !self.degraded.contains(&stage) {
            self.degraded.push(stage);
        }
        self.line(stage, "degraded", &detail);
    }

    /// The stages that failed.
    pub fn degraded_names(&self) -> Vec<&'static str> {
        self.degraded.clone()
    }

    fn line(&mut self, stage: &str, result: &str, detail: &str) {
        self.number += 1;
        let took = self.since.elapsed().as_millis();
        self.since = Instant::now();
        let (number, detail) = (self.number, terminal::line(detail));
        let line = match self.format {
            LogFormat::Text => {
                let text = format!("{number:>2} {stage:<10} {result:<8} {took:>5} ms  {detail}");
                cut(text.trim_end())
            }
            LogFormat::Json => {
                json!({ "stage": number, "name": stage, "result": result, "detail": detail, "ms": took }).to_string()
            }
        };
        // Nobody may read the lines; the start goes on all the same.
        let _ = writeln!(self.out, "{line}");
    }
}

/// The longest line, in characters.
const LONGEST: usize = 120;

/// A line that is too long ends in a mark that says so.
fn cut(line: &str) -> String {
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let kept: String = line.chars().take(LONGEST - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, cut};

    #[test]
    fn a_line_that_was_cut_says_so() {
        let fits = "x".repeat(LONGEST);
        assert_eq!(cut(&fits), fits);
        let long = "ab ".repeat(LONGEST);
        assert!(cut(&long).ends_with("ab…") && cut(&long).chars().count() <= LONGEST);
    }
}
