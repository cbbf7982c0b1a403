//! Where the head of a file ends and its body begins: two lines of `---`, with or without a mark of byte order and with
//! either end of line. A colon in the value of a line is taken as written, which YAML itself refuses.

use std::borrow::Cow;

use super::Fault;
use super::fields::fault_at;
use crate::yaml::{self, Node};

/// A file with a head.
pub(crate) struct File<'a> {
    head: &'a str,
    /// What stands below the head, without blanks around it.
    pub(crate) body: &'a str,
    /// The line in which it begins, from 1.
    pub(crate) body_line: usize,
}

/// Parts a text.
pub(crate) fn split(text: &str) -> Result<File<'_>, Fault> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != FENCE {
        return Err(fault_at((1, 1), "the file begins with a line `---`, the head and another line `---`"));
    }
    let mut end = first.len();
    for (number, line) in lines.enumerate() {
        if line.trim_end() == FENCE {
            let (head, body) = (&text[first.len()..end], &text[end + line.len()..]);
            let blank = body.len() - body.trim_start().len();
            let skipped = body[..blank].matches('\n').count();
            return Ok(File { head, body: body.trim(), body_line: number + 3 + skipped });
        }
        end += line.len();
    }
    Err(fault_at((1, 1), "the head has no end; close it with a line `---`"))
}

const FENCE: &str = "---";

impl File<'_> {
    /// The head as a tree, with the lines of the file.
    pub(crate) fn head(&self) -> Result<Node, Vec<Fault>> {
        let mut text = "\n".to_owned();
        for line in self.head.lines() {
            text.push_str(&with_colons(line));
            text.push('\n');
        }
        yaml::parse(&text).map_err(|fault| vec![fault_at((fault.line, fault.column.unwrap_or(1)), fault.says)])
    }
}

/// The line of a field as YAML takes it: a value with a colon in it is put into quotes. Lines that are indented may
/// belong to a text of several lines and stay as they are.
fn with_colons(line: &str) -> Cow<'_, str> {
    let Some((key, rest)) = line.split_once(':') else { return line.into() };
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let value = rest.trim_start_matches([' ', '\t']);
    if !is_key || value.len() == rest.len() || value.starts_with(|letter| SPECIAL.contains(letter)) {
        return line.into();
    }
    let (words, remark) = value.split_at(value.find(" #").unwrap_or(value.len()));
    let words = words.trim_end();
    if !words.contains(": ") && !words.contains(":\t") && !words.ends_with(':') {
        return line.into();
    }
    let before = &line[..line.len() - value.len()];
    format!("{before}'{}'{remark}", words.replace('\'', "''")).into()
}

/// What a value begins with that is no plain text.
const SPECIAL: &str = "'\"[{|>&*!#%@`";
