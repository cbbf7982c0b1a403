//! What a clock promises.

use std::collections::BTreeSet;

use harness::ports::Clock;

/// Names are 26 characters, never used before, and sorted by time.
pub fn check(clock: &dyn Clock) {
    let names: Vec<String> = (0..1000).map(|_| clock.new_id()).collect();
    assert!(names.iter().all(|name| name.len() == 26 && name.is_ascii()), "a name has 26 characters: {names:?}");
    let different: BTreeSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "a name is never used twice");
    let before = clock.now();
    let after = clock.now();
    assert!(before <= after, "a clock that nobody sets does not go back");
}
