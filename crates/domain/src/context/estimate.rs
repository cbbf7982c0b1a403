//! Tokens of texts where the model cannot count them. An estimate, corrected by what the model reports; never used where
//! an exact count is known.

use super::{Item, Prefix};
use crate::tool::ToolSpec;

/// Tokens that surround one item: its role and its markers.
const AROUND_ITEM: u32 = 8;
/// Tokens that surround one call or one tool.
const AROUND_CALL: u32 = 16;

/// Tokens of a text, rather too many than too few. The shares are those of common byte-pair vocabularies: a token holds
/// about four letters of English, two digits or marks, two letters of other alphabets, less than one sign of Chinese,
/// Japanese or Korean, and less than half a pictogram.
pub fn tokens(text: &str) -> u32 {
    let quarters: usize = text.chars().map(quarters).sum();
    u32::try_from(quarters.div_ceil(4)).unwrap_or(u32::MAX)
}

fn quarters(letter: char) -> usize {
    match letter {
        'a'..='z' | 'A'..='Z' | ' ' => 1,
        letter if letter.is_ascii() => 2,
        letter => match letter.len_utf8() {
            2 => 2,
            3 => 5,
            _ => 10,
        },
    }
}

/// Bytes of the longest beginning of `text` that has at most so many tokens.
pub fn bytes_within(text: &str, most: u32) -> usize {
    let mut left = usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(4);
    for (at, letter) in text.char_indices() {
        match left.checked_sub(quarters(letter)) {
            Some(rest) => left = rest,
            None => return at,
        }
    }
    text.len()
}

/// Tokens of one item.
pub fn item(item: &Item) -> u32 {
    let inner = match item {
        Item::Summary { text } | Item::Result { text, .. } => tokens(text),
        Item::Person { text, aside } => tokens(text) + aside.as_deref().map_or(0, tokens),
        Item::Model { text, calls, signed } => {
            let calls = calls.iter().map(|call| AROUND_CALL + tokens(call.tool.as_str()) + tokens(&call.arguments));
            tokens(text) + calls.sum::<u32>() + signed.as_ref().map_or(0, |signed| tokens(&signed.blocks))
        }
    };
    inner.saturating_add(AROUND_ITEM)
}

/// Tokens of the system text and of the tool block.
pub fn prefix(prefix: &Prefix) -> (u32, u32) {
    let system = if prefix.system.is_empty() { 0 } else { tokens(&prefix.system) + AROUND_ITEM };
    (system, prefix.tools.iter().map(|tool| self::tool(tool)).sum())
}

fn tool(tool: &ToolSpec) -> u32 {
    AROUND_CALL + tokens(tool.name.as_str()) + tokens(&tool.description) + tokens(&tool.schema.json().to_string())
}
