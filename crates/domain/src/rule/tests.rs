//! Rules: conditions, patterns, examples.

use std::collections::BTreeSet;

use super::{Example, Rule, RuleFault, RuleSet, RuleVerdict, path_fits};
use crate::facts::{Content, Facts, PathFact, Root};
use crate::id::RuleId;
use crate::tool::{EffectClass, ToolName};

fn touching(class: EffectClass, paths: &[&str]) -> Facts {
    let fact =
        |path: &&str| PathFact { path: (*path).to_owned(), root: Root::Home, class, now: Content::Absent, bytes: 0 };
    Facts { paths: paths.iter().map(fact).collect(), ..Facts::of(class) }
}

fn rule(verdict: RuleVerdict, paths: &[&str], yes: Facts, no: Facts) -> Rule {
    let tool = ToolName::new("file_write");
    Rule {
        id: RuleId::new("r"),
        verdict,
        tools: vec!["file.*".into()],
        classes: BTreeSet::new(),
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        programs: Vec::new(),
        note: String::new(),
        examples: vec![
            Example { matches: true, tool: tool.clone(), facts: yes },
            Example { matches: false, tool, facts: no },
        ],
    }
}

#[test]
fn patterns_match_by_segment() {
    for (pattern, path, fits) in [
        ("~/notes/", "~/notes/a/b.md", true),
        ("~/notes/", "~/notes", true),
        ("~/notes/", "~/notes-old/a.md", false),
        ("~/*.md", "~/a.md", true),
        ("~/*.md", "~/a/b.md", false),
        ("~/**/b.md", "~/a/c/b.md", true),
        ("~/a*c*e", "~/abcde", true),
        ("~/a*c*e", "~/abde", false),
    ] {
        assert_eq!(path_fits(pattern, path), fits, "{pattern} on {path}");
    }
}

#[test]
fn an_allow_covers_all_places_and_a_deny_speaks_up_for_one() {
    let both = touching(EffectClass::Modify, &["~/notes/a", "~/other/b"]);
    let inside = touching(EffectClass::Modify, &["~/notes/a"]);
    let outside = touching(EffectClass::Modify, &["~/other/b"]);
    let tool = ToolName::new("file_write");
    let allow = rule(RuleVerdict::Allow, &["~/notes/"], inside.clone(), outside.clone());
    let deny = rule(RuleVerdict::Deny, &["~/notes/"], inside, outside);
    assert!(!allow.matches(&tool, &both));
    assert!(deny.matches(&tool, &both));
}

#[test]
fn an_example_that_does_not_hold_refuses_the_set() {
    let inside = touching(EffectClass::Modify, &["~/notes/a"]);
    let bad = rule(RuleVerdict::Deny, &["~/notes/"], inside.clone(), inside);
    assert_eq!(RuleSet::new(vec![bad]), Err(RuleFault::Contradicted { rule: RuleId::new("r"), example: 2 }));
}

#[test]
fn a_rule_without_condition_or_example_is_refused() {
    let inside = touching(EffectClass::Modify, &["~/notes/a"]);
    let mut empty = rule(RuleVerdict::Deny, &[], inside.clone(), touching(EffectClass::Read, &[]));
    empty.tools.clear();
    assert_eq!(RuleSet::new(vec![empty]), Err(RuleFault::Empty(RuleId::new("r"))));
    let mut bare = rule(RuleVerdict::Deny, &["~/notes/"], inside, touching(EffectClass::Read, &[]));
    bare.examples.pop();
    assert_eq!(RuleSet::new(vec![bare]), Err(RuleFault::TooFewExamples(RuleId::new("r"))));
}

#[test]
fn an_allow_never_matches_facts_that_could_not_be_had() {
    let inside = touching(EffectClass::Modify, &["~/notes/a"]);
    let allow = rule(RuleVerdict::Allow, &["~/notes/"], inside.clone(), touching(EffectClass::Read, &[]));
    assert!(!allow.matches(&ToolName::new("file_write"), &Facts { known: false, ..inside }));
}
