//! The marks: letters of a private plane of Unicode that no text of the prompt holds.

use super::{Borders, Part};

/// The two planes that belong to nobody, without the two places at their ends that are no letters.
const PLANES: [(u32, u32); 2] = [(0xF_0000, 0xF_FFFD), (0x10_0000, 0x10_FFFD)];
/// Marks that belong to no turn.
const FIXED: usize = 3;

/// One mark for each part of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    first: u32,
    last: u32,
}

impl Marks {
    /// Marks for so many turns, of a plane that has no letter in this text; `None` if there is none.
    pub fn unused_in(text: &str, turns: usize) -> Option<Self> {
        let wanted = u32::try_from(turns + FIXED).ok()?;
        let free = |(first, last): &(u32, u32)| {
            last - first >= wanted && !text.chars().any(|letter| holds(*first, *last, letter))
        };
        PLANES.into_iter().find(free).map(|(first, last)| Self { first, last })
    }

    /// A text with the mark of its part behind its last word. A blank text has no place for one.
    pub fn put(&self, part: Part, text: &str) -> String {
        let words = text.trim_end();
        let Some(mark) = self.mark(part).filter(|_| !words.is_empty()) else { return text.to_owned() };
        format!("{words}{mark}{}", &text[words.len()..])
    }

    /// Where the parts end in a rendering, told by the same rendering with marks; `None` if the marks changed more than
    /// they should. A part ends with the last of its marks; one whose words the template left out has no end.
    pub fn borders(&self, marked: &str, plain: &str) -> Option<Borders> {
        let (mut ends, mut at): (Vec<(usize, Part)>, usize) = (Vec::new(), 0);
        for letter in marked.chars() {
            if holds(self.first, self.last, letter) {
                let part = self.part(letter);
                ends.retain(|(_, known)| *known != part);
                ends.push((at, part));
            } else {
                let rest = plain.get(at..)?;
                at += rest.starts_with(letter).then_some(letter.len_utf8())?;
            }
        }
        (at == plain.len()).then_some(Borders(ends))
    }

    fn mark(&self, part: Part) -> Option<char> {
        let index = match part {
            Part::System => 0,
            Part::Tools => 1,
            Part::Summary => 2,
            Part::Turn(index) => index + FIXED,
            Part::Around => return None,
        };
        char::from_u32(self.first + u32::try_from(index).ok()?).filter(|mark| holds(self.first, self.last, *mark))
    }

    fn part(&self, mark: char) -> Part {
        match usize::try_from(u32::from(mark) - self.first).unwrap_or(usize::MAX) {
            0 => Part::System,
            1 => Part::Tools,
            2 => Part::Summary,
            index => Part::Turn(index - FIXED),
        }
    }
}

fn holds(first: u32, last: u32, letter: char) -> bool {
    (first..=last).contains(&u32::from(letter))
}
