//! What a model is shown of a text that is too long: head and tail, whole lines, JSON that is still JSON, and the id by
//! which `recall` reads the rest. A view is fixed when its result returns; it is never made anew.

mod json;

use super::estimate;
use crate::result::{Status, ToolResult};

/// The most tokens that one result is shown with (LOOP-56).
const MOST_TOKENS: u32 = 6_000;
/// The most of the window that one result is shown with, in hundredths.
const MOST_OF_WINDOW: u32 = 15;
/// Tokens that the note at the end of a view may take.
const NOTE_TOKENS: u32 = 48;
/// Letters of a result that its one line keeps.
const LINE_LETTERS: usize = 80;

/// The most tokens of one result for a model with such a window.
pub fn most_tokens(window: u32) -> u32 {
    MOST_TOKENS.min(window / 100 * MOST_OF_WINDOW).max(2 * NOTE_TOKENS)
}

/// The view of a text of at most so many tokens, by estimate; `None` if the text itself fits.
pub fn view(text: &str, most: u32, id: &str) -> Option<String> {
    if estimate::tokens(text) <= most {
        return None;
    }
    let room = most.saturating_sub(NOTE_TOKENS);
    json::view(text, room, id).or_else(|| Some(head_and_tail(text, room, id)))
}

/// The same for a message of a person, which is never read as JSON.
pub fn excerpt(text: &str, most: u32, id: &str) -> Option<String> {
    (estimate::tokens(text) > most).then(|| head_and_tail(text, most.saturating_sub(NOTE_TOKENS), id))
}

/// One line that stands for a result: how it began, how long it is, and where it is read.
pub fn line(text: &str, id: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let begins: String = first.chars().take(LINE_LETTERS).collect();
    let more = if begins.len() < first.len() { "…" } else { "" };
    format!("{begins}{more} [{} bytes, no longer shown; recall {id} reads them]", text.len())
}

/// Two parts of the beginning and three of the end, since an end holds what went wrong.
fn head_and_tail(text: &str, room: u32, id: &str) -> String {
    let head = whole_lines(text, estimate::bytes_within(text, room * 2 / 5));
    let tail = text.len() - bytes_at_end(&text[head..], room * 3 / 5);
    let tail = text[tail..].find('\n').map_or(tail, |end| tail + end + 1);
    let (lines, bytes) = (text[head..tail].lines().count(), tail - head);
    let (head, tail) = (&text[..head], &text[tail..]);
    let gap = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let end = if tail.is_empty() || tail.ends_with('\n') { "" } else { "\n" };
    format!("{head}{gap}[{lines} lines, {bytes} bytes left out here]\n{tail}{end}[recall {id} reads what is left out]")
}

/// The end of the last line that ends before `at`; `at` itself where there is none.
fn whole_lines(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(at, |end| end + 1)
}

/// Bytes of the longest end of `text` that has at most so many tokens.
fn bytes_at_end(text: &str, most: u32) -> usize {
    let mut low = text.len() - (usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(4)).min(text.len());
    while low < text.len() && (!text.is_char_boundary(low) || estimate::tokens(&text[low..]) > most) {
        low += ((text.len() - low) / 8).max(1);
    }
    text.len() - low.min(text.len())
}

/// What a model reads of a result: the status comes first unless the call is done.
pub(crate) fn of_result(result: &ToolResult) -> String {
    let shown = result.view.as_ref().unwrap_or(&result.text);
    let word = match result.status {
        Status::Done => return shown.clone(),
        Status::Failed => "Failed",
        Status::Refused => "Refused",
        Status::Cancelled => "Cancelled",
        Status::Interrupted => "Interrupted",
    };
    format!("{word}: {shown}")
}

#[cfg(test)]
mod tests;
