//! The pure judge of a call: facts and rules in, a verdict out. The strictest verdict that applies holds.
//!
//! It asks nobody and remembers nothing; an answer to a question is an entry, and the fold brings it back here.

use crate::call::{Clearance, ValidCall};
use crate::facts::{Facts, PathFact, Root};
use crate::rule::{RuleSet, RuleVerdict};
use crate::tool::EffectClass;

/// Files that one turn may create unasked.
pub const FREE_FILES: usize = 20;
/// Bytes that one turn may create unasked (50 MiB).
pub const FREE_BYTES: u64 = 50 * 1024 * 1024;

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may run.
    Allow(Clearance),
    /// A person is to be asked; says why.
    Ask(String),
    /// It may not run; says why.
    Deny(String),
}

impl Verdict {
    /// How strict the verdict is: a higher rank holds over a lower one.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Allow(_) => 0,
            Self::Ask(_) => 1,
            Self::Deny(_) => 2,
        }
    }

    /// The stricter of two verdicts; the first of equals.
    pub fn strictest(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }
}

/// What earlier calls of the same turn have used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Files created.
    pub files: usize,
    /// Bytes created.
    pub bytes: u64,
}

impl Tally {
    /// With one file more.
    pub(crate) fn and_file(self, bytes: u64) -> Self {
        Self { files: self.files + 1, bytes: self.bytes.saturating_add(bytes) }
    }
}

/// Judges a call: deny rules, ask rules, allow rules, then the default of its effect classes.
pub fn judge(call: &ValidCall, facts: &Facts, rules: &RuleSet, tally: Tally) -> Verdict {
    let verdict = judge_written(call, facts, rules, tally);
    if call.is_recovered() && (!facts.only_reads() || facts.classes.is_empty()) {
        // What reads like a call in another form may have been meant as an example.
        return verdict.strictest(Verdict::Ask("it was not written as this model writes calls".to_owned()));
    }
    verdict
}

fn judge_written(call: &ValidCall, facts: &Facts, rules: &RuleSet, tally: Tally) -> Verdict {
    let by_rule = rules.strictest(&call.spec().name, facts);
    match by_rule {
        Some((RuleVerdict::Deny, rule)) => Verdict::Deny(reason("a rule forbids it", &rule.note)),
        Some((RuleVerdict::Ask, rule)) => Verdict::Ask(reason("a rule asks for it", &rule.note)),
        Some((RuleVerdict::Allow, rule)) if !facts.classes.contains(&EffectClass::Spend) => {
            Verdict::Allow(Clearance::Rule(rule.id.clone()))
        }
        // No rule lifts the question about money.
        Some((RuleVerdict::Allow, _)) | None => class_default(facts, tally),
    }
}

fn reason(what: &str, note: &str) -> String {
    if note.is_empty() { what.to_owned() } else { format!("{what}: {note}") }
}

/// The default of a call's classes; the strictest holds. Facts that could not be had are asked.
fn class_default(facts: &Facts, tally: Tally) -> Verdict {
    if !facts.known || facts.classes.is_empty() {
        return Verdict::Ask("what it would do could not be found out".to_owned());
    }
    let verdicts = facts.classes.iter().map(|class| default_of(*class, facts, tally));
    verdicts.fold(Verdict::Allow(Clearance::Class), Verdict::strictest)
}

fn default_of(class: EffectClass, facts: &Facts, tally: Tally) -> Verdict {
    let allow = Verdict::Allow(Clearance::Class);
    match class {
        EffectClass::Read => allow,
        EffectClass::Create if facts.undo && within_purse(facts, tally) => allow,
        EffectClass::Create => Verdict::Ask("it makes something new that cannot be undone by itself".to_owned()),
        EffectClass::Modify if facts.undo && all_modified_are_private(facts) => allow,
        EffectClass::Modify => Verdict::Ask("it changes something that exists".to_owned()),
        EffectClass::Delete => Verdict::Ask("it takes something away".to_owned()),
        EffectClass::Send => Verdict::Ask("something would leave this machine".to_owned()),
        EffectClass::Spend => Verdict::Ask("it costs money".to_owned()),
        EffectClass::Execute if facts.command.as_ref().is_some_and(|command| command.quiet) => allow,
        EffectClass::Execute => Verdict::Ask("it runs a program outside the quiet sandbox".to_owned()),
    }
}

fn within_purse(facts: &Facts, tally: Tally) -> bool {
    let created = || facts.paths.iter().filter(|path| path.class == EffectClass::Create);
    let bytes: u64 = created().map(|path| path.bytes).sum();
    tally.files + created().count() <= FREE_FILES && tally.bytes.saturating_add(bytes) <= FREE_BYTES
}

fn all_modified_are_private(facts: &Facts) -> bool {
    let private = |path: &PathFact| matches!(path.root, Root::Work | Root::Notes);
    let mut modified = facts.paths.iter().filter(|path| path.class == EffectClass::Modify).peekable();
    modified.peek().is_some() && modified.all(private)
}

#[cfg(test)]
mod tests;
