//! Markdown. What people and models wrote stands as they wrote it; what tools returned stands in fences that it cannot
//! close.

use super::Source;
use super::part::{Part, What};

pub(super) fn write(source: &Source<'_>, parts: &[Part<'_>]) -> String {
    let mut text = format!("# {}\n\nExported from Riad at {}.\n", one_line(source.title), source.now.rfc3339());
    for part in parts {
        text.push('\n');
        text.push_str(&piece(part));
        text.push('\n');
    }
    text
}

fn piece(part: &Part<'_>) -> String {
    let at = part.at.rfc3339();
    match &part.what {
        What::Said(text) => format!("## Person, {at}\n\n{text}"),
        What::Thought(text) => quoted(text),
        What::Replied { model, text } => format!("## {}, {at}\n\n{text}", one_line(model)),
        What::Called { tool, label } => format!("- Call: `{}`", code(label.unwrap_or(tool))),
        What::Returned { tool, text } => format!("Result of `{}`:\n\n{}", code(tool), fenced(text)),
        What::Host(line) => format!("*{}*", one_line(line)),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text for a span of code, which a backtick would end.
fn code(text: &str) -> String {
    one_line(text).replace('`', "'")
}

fn quoted(text: &str) -> String {
    let lines: Vec<_> = text.trim().lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// A block that the text cannot close: its fence is longer than any run of backticks in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}
