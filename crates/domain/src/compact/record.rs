//! The conversation as a summariser reads it: who said what, as plain text that is data to it. Each line of what was said
//! bears a mark, so that nothing in it can pass for the line that names its speaker.

use std::fmt::Write as _;

use crate::context::{Item, estimate};

/// The text of one item, of which at most so many tokens are shown.
pub(super) fn text(item: &Item, most: u32) -> String {
    let mut text = match item {
        // The earlier summary is given apart.
        Item::Summary { .. } => String::new(),
        Item::Person { text, aside: None } => format!("[the person]\n{}\n", marked(text, most)),
        Item::Person { text, aside: Some(aside) } => format!("[the person, {aside}]\n{}\n", marked(text, most)),
        Item::Model { text, .. } if text.trim().is_empty() => String::new(),
        Item::Model { text, .. } => format!("[the assistant]\n{}\n", marked(text, most)),
        Item::Result { call, tool, text } => {
            format!("[result of {}, {}]\n{}\n", named(tool.as_str()), named(call.as_str()), marked(text, most))
        }
    };
    if let Item::Model { calls, .. } = item {
        for call in calls {
            // Writing to a string cannot fail.
            let (tool, id) = (named(call.tool.as_str()), named(call.id.as_str()));
            let _ = writeln!(text, "[the assistant calls {tool}, {id}]\n{}", marked(&call.arguments, most / 2));
        }
    }
    text
}

/// What was said, each line of it marked, and no more of it than that.
fn marked(text: &str, most: u32) -> String {
    let mut lines = String::from("| ");
    for letter in text.chars() {
        lines.push(letter);
        if matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            lines.push_str("| ");
        }
    }
    clip(&lines, most)
}

/// A name that a model wrote, on one line.
fn named(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_control() && !matches!(letter, '\u{2028}' | '\u{2029}')).take(64).collect()
}

fn clip(text: &str, most: u32) -> String {
    let end = estimate::bytes_within(text, most);
    if end == text.len() { text.to_owned() } else { format!("{}… [{} more bytes]", &text[..end], text.len() - end) }
}
