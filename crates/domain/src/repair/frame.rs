//! What may stand around the one object of a call's arguments: a byte-order mark, one code fence, words. Words that hold
//! brackets, tags or a second fence are no words, since then something else could be meant.

use std::rc::Rc;

use super::read::{Fault, Read, Reader, Room, excerpt};
use super::step::Did;
use super::tree::{Node, Object, What};

/// What stands before the value.
struct Lead<'t> {
    /// Where the value begins.
    value: usize,
    fence: Option<&'t str>,
    words: bool,
}

/// The text of a call's arguments as one value.
pub(super) fn arguments(text: &str) -> Result<Read, Fault> {
    let source: Rc<str> = Rc::from(text);
    let mut reader = Reader::new(&source, Room::default());
    if reader.take("\u{feff}") {
        reader.slip(Did::ByteOrderMark);
    }
    if reader.rest().trim().is_empty() {
        reader.slip(Did::NoArguments);
        let node = Node::new(Rc::clone(&source), 0..0, What::Object(Object::default()));
        return Ok(reader.done(node));
    }
    if !begins_value(reader.rest())
        && let Ok(read) = Reader::new(&source, Room::default()).whole()
    {
        return Ok(read);
    }
    let Some(lead) = lead(&source, reader.at()) else { return Err(no_object(reader.rest())) };
    around(reader, &lead)
}

fn around(mut reader: Reader<'_>, lead: &Lead<'_>) -> Result<Read, Fault> {
    reader.skip_to(lead.value);
    if lead.fence.is_some() {
        reader.slip(Did::Fence);
    }
    let node = reader.value()?;
    let tail = tail(&mut reader, lead.fence)?;
    if lead.words || tail {
        if !matches!(node.what, What::Object(_)) {
            return Err(no_object(node.slice()));
        }
        reader.slip(Did::Prose);
    }
    Ok(reader.done(node))
}

fn no_object(found: &str) -> Fault {
    let reason = format!("found {}, where one JSON object is allowed", excerpt(found.trim()));
    Fault::Bad { path: String::new(), reason }
}

fn begins_value(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['{', '[', '"', '\'', '“', '„', '‘', '‚', '\\', '/', '#'])
}

fn lead(source: &str, from: usize) -> Option<Lead<'_>> {
    let text = &source[from..];
    if begins_value(text) {
        return Some(Lead { value: from, fence: None, words: false });
    }
    let start = text.find(['{', '[']).unwrap_or(text.len());
    let (before, fence) = match fence_in(&text[..start]) {
        Some((at, fence)) => (&text[..at], Some(fence)),
        None => (&text[..start], None),
    };
    let value = fence.map_or(start, |fence| before.len() + fence.len() + info(&text[before.len() + fence.len()..]));
    let words = !before.trim().is_empty();
    let parted = fence.is_some() || before.ends_with(|letter: char| letter.is_whitespace() || letter == ':');
    let fits = start < text.len() || (fence.is_some() && !words);
    (fits && are_words(before) && (parted || !words)).then_some(Lead { value: from + value, fence, words })
}

/// The one fence before a value: it opens the line or the text, and only the name of a language stands behind it.
fn fence_in(before: &str) -> Option<(usize, &str)> {
    let at = ["```", "~~~"].iter().filter_map(|fence| before.find(fence)).min()?;
    let mark = before[at..].chars().next()?;
    let length = before[at..].find(|letter| letter != mark).unwrap_or(before.len() - at);
    let fence = &before[at..at + length];
    let behind = &before[at + length..];
    // Without a bracket ahead the whole value stands behind the fence, so it is not looked at here.
    let is_info = behind[info(behind)..].trim().is_empty();
    (is_info || at == 0).then_some((at, fence))
}

/// The length of the name of a language behind a fence.
fn info(behind: &str) -> usize {
    let length = behind.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(behind.len());
    if behind[length..].starts_with(['\n', '\r', ' ', '{', '[']) { length } else { 0 }
}

/// Reads to the end; says whether words stood there.
fn tail(reader: &mut Reader<'_>, fence: Option<&str>) -> Result<bool, Fault> {
    let end = reader.at();
    reader.blank()?;
    if let Some(fence) = fence {
        if !reader.take(fence) {
            return Err(reader.unexpected("the end of the code fence"));
        }
        let words = reader.rest();
        return if are_words(words) { Ok(!words.trim().is_empty()) } else { Err(reader.unexpected("nothing more")) };
    }
    let words = reader.rest();
    let parted = reader.at() > end || words.starts_with('.');
    if words.is_empty() {
        return Ok(false);
    }
    let goes_on = words.starts_with([',', ':', ';', '=', '+', '*', '/', '\\', '"', '\'', '“', '‘', '„', '‚', '`', '~'])
        || words.starts_with(|letter: char| letter.is_ascii_digit());
    if parted && !goes_on && are_words(words) { Ok(true) } else { Err(reader.unexpected("nothing more")) }
}

/// Whether a text is plain words: no brackets, tags or fences.
fn are_words(text: &str) -> bool {
    let tag = text.match_indices('<').any(|(at, _)| {
        text[at + 1..].starts_with(|letter: char| letter.is_alphabetic() || matches!(letter, '/' | '|' | '!' | '｜'))
    });
    !tag && !text.contains(['{', '}', '[', ']']) && !text.contains("```") && !text.contains("~~~")
}
