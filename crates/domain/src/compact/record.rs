//! The conversation as a summariser reads it: who said what, as plain text that is data to it.

use std::fmt::Write as _;

use crate::context::{Item, estimate};

/// The text of one item, of which at most so many tokens are shown.
pub(super) fn text(item: &Item, most: u32) -> String {
    let mut text = match item {
        // The earlier summary is given apart.
        Item::Summary { .. } => String::new(),
        Item::Person { text, aside: None } => format!("[the person]\n{}\n", clip(text, most)),
        Item::Person { text, aside: Some(aside) } => format!("[the person, {aside}]\n{}\n", clip(text, most)),
        Item::Model { text, .. } if text.trim().is_empty() => String::new(),
        Item::Model { text, .. } => format!("[the assistant]\n{}\n", clip(text, most)),
        Item::Result { call, tool, text } => format!("[result of {tool}, {call}]\n{}\n", clip(text, most)),
    };
    if let Item::Model { calls, .. } = item {
        for call in calls {
            // Writing to a string cannot fail.
            let _ =
                writeln!(text, "[the assistant calls {}, {}]\n{}", call.tool, call.id, clip(&call.arguments, most / 2));
        }
    }
    text
}

fn clip(text: &str, most: u32) -> String {
    let end = estimate::bytes_within(text, most);
    if end == text.len() { text.to_owned() } else { format!("{}… [{} more bytes]", &text[..end], text.len() - end) }
}
