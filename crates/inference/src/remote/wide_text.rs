//! Text of JSON strings as servers cut them: a code point written as two escapes may be split over two strings, and a
//! lone half may stand anywhere. Halves that meet become one code point, lone ones one U+FFFD (LOOP-24).

use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::value::RawValue;

/// A JSON string that may hold lone halves; they are kept as three bytes each (WTF-8).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WideText(Vec<u8>);

impl WideText {
    /// A text as it is.
    pub(super) fn new(text: &str) -> WideText {
        WideText(text.as_bytes().to_vec())
    }

    /// Arguments as engines give them: the text of a JSON string, or the JSON itself where it is an object.
    pub(super) fn of_arguments(raw: &RawValue) -> WideText {
        match raw.get() {
            "null" => WideText::default(),
            text if text.starts_with('"') => serde_json::from_str(text).unwrap_or_default(),
            json => WideText::new(json),
        }
    }

    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for WideText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WideText, D::Error> {
        // `serde_json` gives strings with lone halves only to those who ask for bytes.
        deserializer.deserialize_bytes(BytesOfText)
    }
}

struct BytesOfText;

impl Visitor<'_> for BytesOfText {
    type Value = WideText;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<WideText, E> {
        Ok(WideText(bytes.to_vec()))
    }

    fn visit_str<E>(self, text: &str) -> Result<WideText, E> {
        Ok(WideText(text.as_bytes().to_vec()))
    }
}

/// Joins such strings into text.
#[derive(Debug, Default)]
pub(super) struct WideJoiner {
    first_half: Option<u32>,
}

impl WideJoiner {
    /// Adds a string and gives the text that is whole by now.
    pub(super) fn push(&mut self, wide: &WideText) -> String {
        let mut text = String::with_capacity(wide.0.len());
        let mut rest = wide.0.as_slice();
        while !rest.is_empty() {
            if let Some((half, after)) = split_half(rest) {
                self.take_half(half, &mut text);
                rest = after;
                continue;
            }
            let whole = (1..=rest.len()).find(|at| split_half(&rest[*at..]).is_some()).unwrap_or(rest.len());
            self.flush(&mut text);
            text.push_str(&String::from_utf8_lossy(&rest[..whole]));
            rest = &rest[whole..];
        }
        text
    }

    /// Ends the stream: a half that stayed alone is one U+FFFD.
    pub(super) fn finish(&mut self) -> String {
        let mut text = String::new();
        self.flush(&mut text);
        text
    }

    fn take_half(&mut self, half: u32, text: &mut String) {
        match (self.first_half.take(), half) {
            (Some(first), 0xDC00..=0xDFFF) => {
                let code = 0x1_0000 + ((first - 0xD800) << 10) + (half - 0xDC00);
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (before, 0xD800..=0xDBFF) => {
                text.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                self.first_half = Some(half);
            }
            _ => text.push(char::REPLACEMENT_CHARACTER),
        }
    }

    fn flush(&mut self, text: &mut String) {
        text.extend(self.first_half.take().map(|_| char::REPLACEMENT_CHARACTER));
    }
}

/// The half at the start of the bytes, if one is there.
fn split_half(bytes: &[u8]) -> Option<(u32, &[u8])> {
    match bytes {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, rest @ ..] => {
            let half = 0xD000 | (u32::from(second & 0x3F) << 6) | u32::from(third & 0x3F);
            Some((half, rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(strings: &[&str]) -> String {
        let mut joiner = WideJoiner::default();
        let mut text = String::new();
        for json in strings {
            text.push_str(&joiner.push(&serde_json::from_str(json).unwrap()));
        }
        text + &joiner.finish()
    }

    #[test]
    fn halves_that_meet_are_one_code_point_and_lone_ones_one_mark() {
        assert_eq!(join(&[r#""a\ud834\udd1eb""#]), "a𝄞b");
        assert_eq!(join(&[r#""a\ud834""#, r#""\udd1eb""#]), "a𝄞b");
        assert_eq!(join(&[r#""a\ud834""#, r#""""#, r#""\udd1eb""#]), "a𝄞b");
        assert_eq!(join(&[r#""a\ud834""#, r#""b""#]), "a\u{FFFD}b");
        assert_eq!(join(&[r#""a\udd1e\ud834""#]), "a\u{FFFD}\u{FFFD}");
        assert_eq!(join(&[r#""é中 𝄞""#]), "é中 𝄞");
    }
}
