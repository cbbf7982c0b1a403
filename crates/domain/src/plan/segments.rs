//! Tokens of a prompt by what they are to the person whose prompt it is. What does not exist has no segment: skills,
//! project and attachments come with what they are for.

use serde::{Deserialize, Serialize};

use super::{Counts, Measure};
use crate::context::{Part, Place};

/// Tokens by segment. They add up to those of the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segments {
    /// The system text.
    pub system: u32,
    /// The tool block.
    pub tools: u32,
    /// What stands for the beginning of the conversation.
    pub summary: u32,
    /// What was said, called and returned before the last message.
    pub history: u32,
    /// What the person says in the turn that runs, with what the host put beside it.
    pub message: u32,
    /// What belongs to none: what opens the prompt and the reply.
    pub around: u32,
    /// How they are known. A whole can be exact where its segments are not.
    pub measure: Measure,
}

impl Segments {
    /// The segments of a prompt that was counted. `places` are those of its items; `running` says whether the turn of
    /// the last of them has not ended, so that its messages are what is being said.
    pub fn of(counts: &Counts, places: &[Place], running: bool) -> Self {
        let turn = places.last().map(|place| &place.turn).filter(|_| running);
        let (system, tools, around, measure) = (counts.system, counts.tools, counts.around, counts.parts);
        let mut segments = Self { system, tools, around, measure, ..Self::default() };
        for (index, tokens) in counts.items.iter().enumerate() {
            let segment = match places.get(index) {
                Some(place) if place.part == Part::Summary => &mut segments.summary,
                Some(place) if Some(&place.turn) == turn && matches!(place.part, Part::Message(_)) => {
                    &mut segments.message
                }
                Some(_) | None => &mut segments.history,
            };
            *segment = segment.saturating_add(*tokens);
        }
        segments
    }

    /// All of them.
    pub fn total(&self) -> u32 {
        let all = [self.system, self.tools, self.summary, self.history, self.message, self.around];
        all.iter().fold(0, |sum: u32, tokens| sum.saturating_add(*tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::Segments;
    use crate::context::{Part, Place};
    use crate::id::{CallId, MessageId, TurnId};
    use crate::plan::{Counts, Measure};

    fn place(turn: &str, part: Part) -> Place {
        Place::new(TurnId::new(turn), 0, part)
    }

    #[test]
    fn the_messages_of_the_turn_that_runs_are_this_message_and_all_else_is_history() {
        let message = |id: &str| Part::Message(MessageId::new(id));
        let result = Part::Result(CallId::new("c"));
        let places = [
            place("", Part::Summary),
            place("a", message("m1")),
            place("a", Part::Reply),
            place("b", message("m2")),
            place("b", Part::Reply),
            place("b", result),
            place("b", message("m3")),
        ];
        let items = vec![1, 20, 300, 4_000, 50_000, 600_000, 7_000];
        let counts = Counts { system: 3, tools: 5, items, around: 2, parts: Measure::Estimated, ..Counts::default() };
        let known = (Measure::Estimated, 3, 5, 2, 1);
        let of = |running| {
            let it = Segments::of(&counts, &places, running);
            assert_eq!(it.total(), counts.total());
            assert_eq!((it.measure, it.system, it.tools, it.around, it.summary), known);
            (it.history, it.message)
        };
        assert_eq!(of(true), (650_320, 11_000));
        assert_eq!(of(false), (661_320, 0));
    }
}
