//! How often long tests repeat: the one place with their numbers. `RIAD_SLOW=1` (`./scripts/test --slow`) asks for the
//! numbers of the specification, everyone else gets numbers that fit a pause of some seconds.

#![expect(clippy::disallowed_methods, reason = "tests are asked by the environment how long they may take")]

/// The full number when long tests are wanted, else the small one.
pub fn pick(small: usize, full: usize) -> usize {
    if std::env::var_os("RIAD_SLOW").is_some_and(|value| value == "1") { full } else { small }
}

/// Random turns with edits and crashes: nothing runs with another digest than its clearance.
pub fn random_turns() -> usize {
    pick(1_000, 100_000)
}

/// Random faults over three models.
pub fn fault_scripts() -> usize {
    pick(400, 20_000)
}

/// Turns with 64 delegates that are cut at random.
pub fn delegate_turns() -> usize {
    pick(4, 100)
}

/// Random journals: each is folded and projected.
pub fn random_journals() -> usize {
    pick(1_000, 20_000)
}

/// Kills of the real server while it works.
pub fn kills() -> usize {
    pick(10, 500)
}

/// Stops of each kind of work; where one takes seconds, a part of them.
pub fn stops() -> usize {
    pick(12, 100)
}

/// Cuts of a stream of events.
pub fn stream_cuts() -> usize {
    pick(60, 500)
}

/// Cuts of each gold reply in each dialect.
pub fn gold_cuts() -> usize {
    pick(4, usize::MAX)
}

/// Kills in the middle of each write of a migration; it has two long ones.
pub fn migration_cuts() -> usize {
    pick(4, 50)
}

/// Conversations of which the rows of each round are added up, over a made-up tokenizer.
pub fn counted_talks() -> usize {
    pick(4, 60)
}

/// Prompts that a real model counts and decodes.
pub fn real_counts() -> usize {
    pick(10, 200)
}

/// Stops of a real model, each followed by another message.
pub fn reuses() -> usize {
    pick(4, 12)
}

/// Pairs of approvals that are open at once and answered out of order.
pub fn answered_pairs() -> usize {
    pick(12, 100)
}

/// Pairs of approvals that two devices answer at once.
pub fn raced_pairs() -> usize {
    pick(5, 50)
}
