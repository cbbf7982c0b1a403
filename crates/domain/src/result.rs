//! What came back from a call.

use serde::{Deserialize, Serialize};

use crate::context::view;
use crate::id::CallId;
use crate::limits::RESULT_BYTES;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It did what it says.
    Done,
    /// It ran and did not reach its end.
    Failed,
    /// It did not run: rule, hook, person or host said no.
    Refused,
    /// It was stopped.
    Cancelled,
    /// The process died while it ran: it may have happened.
    Interrupted,
}

/// The one result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call.
    pub call: CallId,
    /// How it ended.
    pub status: Status,
    /// What came back, whole up to 256 KiB.
    pub text: String,
    /// What the model reads instead where that is too long: fixed when the result returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// Names that the target gave to what was made, for the list of side effects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
}

impl ToolResult {
    /// A result whose text is capped: the beginning and the end are kept, whole lines where possible, with a line
    /// between them that says how much was left out.
    pub fn new(call: CallId, status: Status, text: &str) -> Self {
        Self { call, status, text: cap(text, RESULT_BYTES), view: None, made: Vec::new() }
    }

    /// The same with its view for a model with a window of so many tokens.
    pub fn viewed(self, window: u32) -> Self {
        let view = view::view(&self.text, view::most_tokens(window), self.call.as_str());
        Self { view, ..self }
    }
}

/// Keeps head and tail (2 to 3) of a text that is longer than `most` bytes.
pub fn cap(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = floor_boundary(text, most * 2 / 5);
    let tail = ceil_boundary(text, text.len() - most * 3 / 5);
    let head = text[..head].rfind('\n').map_or(head, |end| end + 1);
    let tail = text[tail..].find('\n').map_or(tail, |start| tail + start + 1);
    let out = tail - head;
    format!("{}\n[{out} bytes left out here]\n{}", text[..head].trim_end_matches('\n'), &text[tail..])
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::cap;

    #[test]
    fn a_short_text_is_kept_and_a_long_one_keeps_head_and_tail() {
        assert_eq!(cap("short", 10), "short");
        let long: String = (0..1000).map(|n| format!("line {n}\n")).collect();
        let capped = cap(&long, 1000);
        assert!(capped.starts_with("line 0\n") && capped.ends_with("line 999\n"));
        assert!(capped.contains("bytes left out here"));
        assert!(capped.len() < 1100);
    }

    #[test]
    fn the_cut_never_splits_a_character() {
        let text = "é".repeat(500);
        for most in 10..60 {
            assert!(cap(&text, most).contains("left out"));
        }
    }
}
