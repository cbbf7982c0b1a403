//! Entity tags (RFC 9110, 8.8.3): strong, quoted, made from a digest of what they stand for.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use domain::digest::Digest;

/// Digits of a digest that stand in a tag: 80 bits.
const DIGITS: usize = 20;

/// The tag of these bytes.
pub fn of(bytes: &[u8]) -> String {
    format!("\"{}\"", &Digest::of_bytes(bytes).hex()[..DIGITS])
}

/// A tag as a header's value.
pub fn value(tag: &str) -> HeaderValue {
    HeaderValue::from_str(tag).expect("a tag is digits between quotes")
}

/// Whether the client has what the tag stands for.
pub fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    names(headers, &header::IF_NONE_MATCH, tag)
}

/// Whether that header names this tag.
pub fn names(headers: &HeaderMap, header: &HeaderName, tag: &str) -> bool {
    headers.get(header).is_some_and(|value| value.as_bytes() == tag.as_bytes())
}
