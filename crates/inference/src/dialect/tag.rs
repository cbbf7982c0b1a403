//! Reads single tags at the start of a text that may still grow. What they mean is their dialect's matter.

use super::tagged::Token;

/// What a tag is that has a name in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// It cannot be told yet.
    Wait,
    /// It is no such tag.
    No,
    /// It is: the name, the bytes of the tag.
    Is(String, usize),
}

/// A tag without anything in it, and what it means, given its length.
pub(super) type Plain = (&'static str, fn(usize) -> Token);

/// Which of several plain tags stands there: none, or it cannot be told yet, or this one.
pub(super) fn plain_tag(rest: &str, tags: &[Plain]) -> Token {
    if let Some((tag, token)) = tags.iter().find(|(tag, _)| rest.starts_with(tag)) {
        return token(tag.len());
    }
    if tags.iter().any(|(tag, _)| tag.starts_with(rest)) { Token::Wait } else { Token::Other }
}

/// No name is longer.
const LONGEST_NAME: usize = 256;

/// Reads a tag such as `<function=NAME>`, given its head up to the name; quotes around the name are a known slip.
pub(super) fn named_tag(rest: &str, head: &str) -> Named {
    let Some(inside) = rest.strip_prefix(head) else {
        return if head.starts_with(rest) { Named::Wait } else { Named::No };
    };
    let name = |end: usize| inside[..end].trim_matches([' ', '"', '\'']).to_owned();
    match inside.find(['>', '\n', '<']) {
        Some(end) if inside.as_bytes()[end] == b'>' && !name(end).is_empty() => {
            Named::Is(name(end), head.len() + end + 1)
        }
        None if inside.len() <= LONGEST_NAME => Named::Wait,
        Some(_) | None => Named::No,
    }
}
