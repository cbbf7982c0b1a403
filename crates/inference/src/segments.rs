//! Which part of a prompt each of its tokens belongs to, so that the tokens of the parts add up to those of the prompt.
//! A mark is put behind the last words of every part and the template renders them a second time: a part ends where its
//! mark comes out, and what the template writes in front of a part is the part's own. A token that stands across such a
//! border belongs to the part in which its first byte stands. This module renders and tokenises nothing itself.

mod marks;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use marks::Marks;

/// A part of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The system text.
    System,
    /// The tool block.
    Tools,
    /// What stands for the beginning of the conversation.
    Summary,
    /// One turn, counted from 0.
    Turn(usize),
    /// None of these: what opens the prompt, and what closes the last turn and opens the reply.
    Around,
}

/// Where parts end in a rendered prompt, in bytes and in order. What stands behind the last end is around.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Borders(Vec<(usize, Part)>);

impl Borders {
    /// The part in which a byte stands.
    fn part_at(&self, byte: usize) -> Part {
        let index = self.0.partition_point(|(end, _)| *end <= byte);
        self.0.get(index).map_or(Part::Around, |(_, part)| *part)
    }

    /// The same with a stretch that belongs to this part, whatever it stands in.
    #[must_use]
    pub fn with(self, stretch: Range<usize>, part: Part) -> Self {
        if stretch.is_empty() {
            return self;
        }
        let (before, after) = (self.part_at(stretch.start), self.0.iter().filter(|(end, _)| *end > stretch.end));
        let mut ends: Vec<_> = self.0.iter().filter(|(end, _)| *end <= stretch.start).copied().collect();
        ends.push((stretch.start, before));
        ends.push((stretch.end, part));
        ends.extend(after);
        Self(ends)
    }
}

/// Tokens of each part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// The system text.
    pub system: u32,
    /// The tool block.
    pub tools: u32,
    /// What stands for the beginning of the conversation.
    pub summary: u32,
    /// Each turn, in order.
    pub turns: Vec<u32>,
    /// What belongs to none.
    pub around: u32,
}

impl Parts {
    /// Counts tokens by the bytes at which they begin.
    pub fn count(borders: &Borders, starts: impl IntoIterator<Item = usize>, turns: usize) -> Self {
        let mut parts = Self { turns: vec![0; turns], ..Self::default() };
        starts.into_iter().for_each(|start| *parts.of(borders.part_at(start)) += 1);
        parts
    }

    fn of(&mut self, part: Part) -> &mut u32 {
        match part {
            Part::System => &mut self.system,
            Part::Tools => &mut self.tools,
            Part::Summary => &mut self.summary,
            Part::Turn(index) if index < self.turns.len() => &mut self.turns[index],
            Part::Turn(_) | Part::Around => &mut self.around,
        }
    }

    /// All of them.
    pub fn total(&self) -> u32 {
        let whole = [self.system, self.tools, self.summary, self.around];
        whole.iter().chain(&self.turns).fold(0, |sum: u32, tokens| sum.saturating_add(*tokens))
    }
}

/// The stretch of `whole` that `without` lacks, if that is one stretch.
pub fn inserted(whole: &str, without: &str) -> Option<Range<usize>> {
    let more = whole.len().checked_sub(without.len())?;
    let start = whole.bytes().zip(without.bytes()).take_while(|(one, other)| one == other).count();
    let behind = start + more;
    (whole.as_bytes().get(behind..) == without.as_bytes().get(start..)).then_some(start..behind)
}

#[cfg(test)]
mod tests;
