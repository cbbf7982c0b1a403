//! Breaks the spellings of control tokens in content, for engines elsewhere that render a template themselves: there,
//! nothing marks what is content (LOOP-20). Where Riad renders the template, content is told by its span instead and stays
//! as it is.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::dialect::Dialect;

/// Tokens of templates that no dialect has for a marker.
const OTHERS: [&str; 30] = [
    "<s>",
    "</s>",
    "<bos>",
    "<eos>",
    "<sop>",
    "[gMASK]",
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[CALL_ID]",
    "<|end_header_id|>",
    "<|begin_of_text|>",
    "<|im_middle|>",
    "<|system|>",
    "<|assistant|>",
    "<|user|>",
    "<|observation|>",
    "<|message|>",
    "<|constrain|>",
    "<|\"|>",
    "<escape>",
    "<|tool>",
    "<tool|>",
    "｜DSML｜",
    "<|channel>",
];

/// True for a spelling that a template could read as control. Markers of bare calls are no tokens of any template.
#[must_use]
pub fn is_control(marker: &str) -> bool {
    marker.len() > 2 && marker.starts_with(['<', '[', '◁']) && marker.ends_with(['>', ']', '▷', '\n'])
}

/// The text with a zero-width blank behind the first letter of each control token, in any case of its letters.
#[must_use]
pub fn defused(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '[', '◁', '｜']) {
        return Cow::Borrowed(text);
    }
    let lower = text.to_ascii_lowercase();
    let starts: BTreeSet<usize> =
        controls().iter().flat_map(|control| lower.match_indices(control.as_str()).map(|(at, _)| at)).collect();
    if starts.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 3 * starts.len());
    let mut from = 0;
    for start in starts {
        let behind = start + text[start..].chars().next().map_or(0, char::len_utf8);
        safe.push_str(&text[from..behind]);
        safe.push('\u{200B}');
        from = behind;
    }
    safe.push_str(&text[from..]);
    Cow::Owned(safe)
}

fn controls() -> &'static [String] {
    static CONTROLS: OnceLock<Vec<String>> = OnceLock::new();
    CONTROLS.get_or_init(|| {
        let markers = Dialect::ALL.into_iter().flat_map(Dialect::markers).filter(|marker| is_control(marker));
        let all: BTreeSet<String> = markers.chain(OTHERS).map(|token| token.trim_end().to_ascii_lowercase()).collect();
        // In JSON, and in JSON within JSON, a quote in a token has a backslash.
        let quoted = all.iter().filter(|token| token.contains('"'));
        let escaped = quoted.flat_map(|token| [token.replace('"', "\\\""), token.replace('"', "\\\\\\\"")]);
        let escaped: Vec<String> = escaped.collect();
        all.into_iter().chain(escaped).collect()
    })
}
