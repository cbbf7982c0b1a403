//! Words to look for: as the index knows them, and where they stand in a text. Scripts that put no blanks between words are
//! taken letter by letter, so that any stretch of them can be found.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::Piece;

/// Characters of an excerpt.
const EXCERPT: usize = 300;
/// Of these, before the first word.
const BEFORE: usize = 80;

/// What is looked for, word by word.
pub(super) struct Words(Vec<String>);

impl Words {
    /// The words of what was typed. Marks between letters part words, as they do in the index.
    pub(super) fn of(typed: &str) -> Self {
        let words = typed.split(|letter: char| !letter.is_alphanumeric() && !is_combining_mark(letter));
        Self(words.filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }

    /// The question to the index; none without a word. Each word in quotes, so that no operator is heard.
    pub(super) fn query(&self) -> Option<String> {
        let quoted: Vec<_> = self.0.iter().map(|word| format!("\"{}\"*", indexed(word).trim())).collect();
        (!quoted.is_empty()).then(|| quoted.join(" "))
    }

    /// The text around the first of the words, with all of them in it told apart.
    pub(super) fn excerpt(&self, text: &str) -> Vec<Piece> {
        let letters = Letter::all(text);
        let marks = self.marks(&letters);
        let first = marks.iter().position(|hit| *hit).unwrap_or(0);
        let from = first.saturating_sub(BEFORE);
        let to = (from + EXCERPT).min(letters.len());
        let mut pieces: Vec<Piece> = Vec::new();
        for (letter, hit) in letters[from..to].iter().zip(&marks[from..to]) {
            match pieces.last_mut().filter(|piece| piece.hit == *hit) {
                Some(piece) => piece.text.push_str(letter.written),
                None => pieces.push(Piece { text: letter.written.to_owned(), hit: *hit }),
            }
        }
        pieces
    }

    /// Which letters belong to one of the words.
    fn marks(&self, letters: &[Letter<'_>]) -> Vec<bool> {
        let mut marks = vec![false; letters.len()];
        for word in &self.0 {
            let word: Vec<_> = Letter::all(word).into_iter().map(|letter| letter.folded).collect();
            let places = 0..(letters.len() + 1).saturating_sub(word.len());
            for place in places.filter(|place| begins_word(letters, *place)) {
                let stretch = place..place + word.len();
                if letters[stretch.clone()].iter().map(|letter| &letter.folded).eq(&word) {
                    marks[stretch].fill(true);
                }
            }
        }
        marks
    }
}

/// One letter with the marks on it.
struct Letter<'a> {
    written: &'a str,
    /// Without case and without marks.
    folded: String,
}

impl<'a> Letter<'a> {
    fn all(text: &'a str) -> Vec<Self> {
        let mut starts: Vec<_> =
            text.char_indices().filter(|(_, letter)| !is_combining_mark(*letter)).map(|(start, _)| start).collect();
        // Marks at the very beginning stand alone.
        if starts.first() != Some(&0) && !text.is_empty() {
            starts.insert(0, 0);
        }
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        starts.iter().zip(ends).map(|(start, end)| Self::new(&text[*start..end])).collect()
    }

    fn new(written: &'a str) -> Self {
        let plain = written.nfd().filter(|letter| !is_combining_mark(*letter));
        Self { written, folded: plain.flat_map(char::to_lowercase).collect() }
    }

    fn is_word(&self) -> bool {
        self.folded.chars().any(char::is_alphanumeric)
    }

    fn stands_alone(&self) -> bool {
        self.folded.chars().any(is_spaceless)
    }
}

fn begins_word(letters: &[Letter<'_>], place: usize) -> bool {
    let alone = |letter: &Letter<'_>| letter.stands_alone();
    let Some(before) = place.checked_sub(1).map(|before| &letters[before]) else { return true };
    !before.is_word() || alone(before) || letters.get(place).is_some_and(alone)
}

/// A text as it goes into the index: letters of scripts without blanks each as a word.
pub(super) fn indexed(text: &str) -> String {
    let mut spread = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_spaceless(letter) {
            spread.extend([' ', letter, ' ']);
        } else {
            spread.push(letter);
        }
    }
    spread
}

/// Whether a letter is of a script that is written without blanks between words: Thai, Lao, Burmese, Khmer, Chinese and
/// Japanese.
fn is_spaceless(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

#[cfg(test)]
mod tests;
