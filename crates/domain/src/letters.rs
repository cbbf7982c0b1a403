//! Classes of characters that text of foreigners is judged by. Not a font and not a spell checker.

use unicode_normalization::UnicodeNormalization as _;

/// Characters of the general category Cf (Unicode 16): invisible, and some of them turn the order of what is shown.
const FORMAT: &[(u32, u32)] = &[
    (0x00AD, 0x00AD),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x180E, 0x180E),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0001, 0xE0001),
    (0xE0020, 0xE007F),
];

/// Whether a character only formats others.
pub fn is_format(c: char) -> bool {
    let code = u32::from(c);
    FORMAT.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// Whether a character turns the direction of the text around it (UAX 9).
pub fn is_bidi(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Format characters that are drawn: marks of numbers and verses (`Prepended_Concatenation_Mark`, UAX 44).
fn is_drawn_format(c: char) -> bool {
    matches!(c, '\u{0600}'..='\u{0605}' | '\u{06DD}' | '\u{070F}' | '\u{0890}' | '\u{0891}' | '\u{08E2}')
        || matches!(c, '\u{110BD}' | '\u{110CD}')
}

/// Whether a character is obeyed or swallowed where text is shown, and not drawn: control and format characters, ends
/// of lines and paragraphs, and the places that are kept for more of them.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || (is_format(c) && !is_drawn_format(c))
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{2065}' | '\u{E0000}'..='\u{E007F}')
}

/// What a text could hide where a person decides by what stands there: control, direction, zero-width, variation and tag
/// characters, fillers, and all blanks but the usual one. The same table is in `web/src/escape.ts`; a test compares them.
const HIDDEN: &[(u32, u32)] = &[
    (0x0000, 0x001F),
    (0x007F, 0x00A0),
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
];

/// Whether a character is named rather than drawn on what a person approves (GATE-48). Wider than [`is_unseen`]: there a
/// blank of another width or the look of an emoji is worth its place.
pub fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&code)) || is_unseen(c)
}

/// A name as it is compared: compatibility forms made one (NFKC), letter case gone, invisible characters dropped.
pub fn fold(name: &str) -> String {
    let seen = name.chars().filter(|c| !is_format(*c) && !matches!(*c, '\u{FE00}'..='\u{FE0F}' | '\u{034F}'));
    let lower: String = seen.nfkc().flat_map(char::to_lowercase).collect();
    lower.nfkc().collect()
}

/// A name as a hasty reader sees it: folded, letters of other scripts that look Latin made Latin, marks between words
/// dropped. Two names with one skeleton are easily taken for each other.
pub fn skeleton(name: &str) -> String {
    let decomposed: String = fold(name).nfd().filter(|c| !matches!(*c, '\u{0300}'..='\u{036F}')).collect();
    decomposed.chars().filter(|c| !matches!(c, '-' | '_' | '.' | ' ' | '\u{2010}'..='\u{2015}')).map(latin).collect()
}

/// The Latin letter that a letter or digit looks like (a part of UTS 39, confusables).
fn latin(c: char) -> char {
    match c {
        'а' | 'α' => 'a',
        'ь' | 'в' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'є' => 'e',
        'һ' | 'н' => 'h',
        'і' | 'ι' | 'ı' | 'ӏ' | '1' | '|' => 'l',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' | 'μ' => 'm',
        'п' | 'η' => 'n',
        'о' | 'ο' | '0' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'г' => 'r',
        'ѕ' | '5' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' | 'ц' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' | 'ш' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'i' => 'l',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::{HIDDEN, is_hidden};

    /// `[0x0000, 0x001f], // control` and the like.
    fn row(line: &str) -> Option<(u32, u32)> {
        let (first, last) = line.trim().strip_prefix("[0x")?.split_once("],")?.0.split_once(", 0x")?;
        Some((u32::from_str_radix(first, 16).ok()?, u32::from_str_radix(last, 16).ok()?))
    }

    #[test]
    fn the_page_and_the_terminal_name_the_same_characters() {
        let page: Vec<_> = include_str!("../../../web/src/escape.ts").lines().filter_map(row).collect();
        assert_eq!(page, HIDDEN);
    }

    #[test]
    fn fillers_selectors_and_tags_are_hidden_and_letters_are_not() {
        let hidden = ['\u{FE0F}', '\u{3164}', '\u{115F}', '\u{1160}', '\u{FFA0}', '\u{2800}', '\u{AD}', '\u{E0041}'];
        assert!(hidden.into_iter().chain(['\u{A0}', '\u{3000}', '\t', '\u{202E}']).all(is_hidden));
        assert!(!" aZ9~/·日é😀".chars().any(is_hidden));
    }
}
