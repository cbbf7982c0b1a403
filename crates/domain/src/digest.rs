//! SHA-256 over canonical JSON: what an approval is bound to. Not a password hash and not a signature.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// A SHA-256 value (FIPS 180-4), written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of a JSON value in canonical form: keys sorted by code point, no blanks, numbers as `serde_json`
    /// prints them. Two values that differ only in the order of their keys have the same digest.
    pub fn of_json(value: &Value) -> Self {
        let mut text = String::new();
        write_canonical(value, &mut text);
        Self::of_bytes(text.as_bytes())
    }

    /// The 32 bytes.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// The 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        let halves = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        halves.map(|half| char::from(DIGITS[usize::from(half)])).collect()
    }

    /// Reads 64 hexadecimal digits; anything else is `None`.
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (index, (key, member)) in sorted.into_iter().enumerate() {
                separate(index, out);
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_canonical(member, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, out);
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => out.push_str(&value.to_string()),
    }
}

fn separate(index: usize, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex()[..12])
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.hex())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_hex(&text).ok_or_else(|| serde::de::Error::custom("a digest has 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Digest;

    #[test]
    fn the_order_of_keys_does_not_count_and_the_order_of_items_does() {
        let one: serde_json::Value = serde_json::from_str(r#"{"a":[1,2],"b":{"x":1,"y":2}}"#).unwrap();
        let two: serde_json::Value = serde_json::from_str(r#"{ "b":{"y":2,"x":1}, "a":[1,2] }"#).unwrap();
        assert_eq!(Digest::of_json(&one), Digest::of_json(&two));
        assert_ne!(Digest::of_json(&json!([1, 2])), Digest::of_json(&json!([2, 1])));
    }

    #[test]
    fn a_digest_reads_back_from_its_hexadecimal_form() {
        let digest = Digest::of_bytes(b"abc");
        assert_eq!(digest.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Digest::from_hex(&digest.hex()), Some(digest));
        assert_eq!(Digest::from_hex("ba78"), None);
    }
}
