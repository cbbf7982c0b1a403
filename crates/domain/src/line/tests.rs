//! Which entry belongs to which line.

use proptest::prelude::*;

use super::{LineId, Lines, Span};
use crate::id::EntryNumber;

fn record(lines: &mut Lines, numbers: std::ops::RangeInclusive<u64>) {
    numbers.for_each(|number| lines.recorded(EntryNumber(number)));
}

/// A line is started by the entry `number`, which is the first of its own.
fn fork(lines: &mut Lines, number: u64, after: u64) -> LineId {
    lines.fork(EntryNumber(number), EntryNumber(after));
    lines.recorded(EntryNumber(number));
    lines.active()
}

fn path(lines: &Lines, line: LineId) -> Vec<(u64, u64)> {
    lines.path(line).iter().map(|span| (span.first.0, span.last.0)).collect()
}

#[test]
fn a_conversation_without_forks_is_one_line() {
    let mut lines = Lines::default();
    record(&mut lines, 1..=5);
    assert_eq!(path(&lines, LineId::default()), [(1, 5)]);
}

#[test]
fn a_new_line_shares_what_stands_before_it() {
    let mut lines = Lines::default();
    record(&mut lines, 1..=6);
    let second = fork(&mut lines, 7, 3);
    record(&mut lines, 8..=9);
    assert_eq!(path(&lines, second), [(1, 3), (7, 9)]);
    assert_eq!(path(&lines, LineId::default()), [(1, 6)]);
}

#[test]
fn a_line_that_is_taken_up_again_goes_on_behind_its_own_end() {
    let mut lines = Lines::default();
    record(&mut lines, 1..=4);
    let second = fork(&mut lines, 5, 2);
    record(&mut lines, 6..=6);
    assert!(lines.switch(LineId::default()));
    record(&mut lines, 7..=8);
    assert_eq!(path(&lines, LineId::default()), [(1, 4), (7, 8)]);
    assert_eq!(path(&lines, second), [(1, 2), (5, 6)]);
}

#[test]
fn a_fork_of_a_fork_before_its_start_shares_only_the_trunk() {
    let mut lines = Lines::default();
    record(&mut lines, 1..=6);
    fork(&mut lines, 7, 4);
    let third = fork(&mut lines, 8, 2);
    assert_eq!(path(&lines, third), [(1, 2), (8, 8)]);
}

#[test]
fn a_line_that_there_is_not_is_not_gone_to() {
    let mut lines = Lines::default();
    assert!(!lines.switch(LineId(EntryNumber(3))));
    assert_eq!(lines.active(), LineId::default());
    assert_eq!(lines.path(LineId(EntryNumber(3))), Vec::<Span>::new());
}

proptest! {
    /// However lines are started and switched, each path is in order, and each entry is on the line it was recorded on.
    #[test]
    fn paths_are_ordered_and_lose_nothing(acts in prop::collection::vec((0u8..4, any::<prop::sample::Index>()), 1..80)) {
        let mut lines = Lines::default();
        let mut recorded = Vec::new();
        for ((act, index), number) in acts.into_iter().zip(1u64..) {
            match act {
                0 => lines.fork(EntryNumber(number), EntryNumber(index.index(usize::try_from(number).unwrap()) as u64)),
                1 => prop_assert!(lines.switch(lines.all()[index.index(lines.all().len())].id)),
                _ => {}
            }
            lines.recorded(EntryNumber(number));
            recorded.push((lines.active(), EntryNumber(number)));
        }
        for (line, number) in recorded {
            prop_assert!(lines.holds(line, number));
        }
        for line in lines.all() {
            let path = lines.path(line.id);
            prop_assert!(path.iter().all(|span| span.first <= span.last));
            prop_assert!(path.windows(2).all(|pair| pair[0].last < pair[1].first));
        }
    }
}
