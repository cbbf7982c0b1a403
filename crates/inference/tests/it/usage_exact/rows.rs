//! What a journal says of the tokens of each round, and whether it adds up.

use domain::compact::Fold;
use domain::entry::{Body, Entry};
use domain::model::Reply;
use domain::plan::Measure;

/// What the rounds of a journal say.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Prompts before the first fold, and after it.
    pub(super) before: usize,
    pub(super) after: usize,
    /// Prompts with a summary.
    pub(super) summaries: usize,
    /// What was not as it should be.
    pub(super) off: Vec<String>,
}

pub(super) fn differences(entries: &[Entry]) -> Seen {
    let (mut seen, mut folded) = (Seen::default(), false);
    for entry in entries {
        match &entry.body {
            Body::Compacted(compacted) if !matches!(compacted.fold, Fold::Unchanged(_)) => folded = true,
            Body::Replied(reply) => {
                *(if folded { &mut seen.after } else { &mut seen.before }) += 1;
                seen.round(reply);
            }
            _ => {}
        }
    }
    seen
}

impl Seen {
    fn round(&mut self, reply: &Reply) {
        let counted = reply.counted.expect("each prompt is planned");
        let rows = counted.segments.expect("each plan has segments");
        let decoded = reply.sampled.usage.prompt;
        self.summaries += usize::from(rows.summary > 0);
        let exact = (counted.measure, rows.measure) == (Measure::Exact, Measure::Exact);
        if !exact || rows.total() != counted.tokens || Some(rows.total()) != decoded || rows.message == 0 {
            self.off.push(format!("{rows:?} of {counted:?}, decoded {decoded:?}"));
        }
    }
}
