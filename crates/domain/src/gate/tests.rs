//! The gate: class defaults, the order of verdicts, the purse of a turn.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::{FREE_BYTES, FREE_FILES, Tally, Verdict, judge};
use crate::call::{Clearance, ValidCall};
use crate::facts::{CommandFact, Content, Facts, PathFact, Root};
use crate::id::{CallId, RuleId};
use crate::rule::{Example, Rule, RuleSet, RuleVerdict};
use crate::tool::{EffectClass, Replay, Schema, ToolName, ToolSpec};

fn call() -> ValidCall {
    let spec = ToolSpec {
        name: ToolName::new("write"),
        description: String::new(),
        schema: Schema::new(json!({})).expect("it is a schema"),
        replay: Replay::Never,
        parallel: false,
        asks_person: false,
        uses: None,
        deadline_ms: 1000,
    };
    ValidCall::with_arguments(CallId::new("c1"), Arc::new(spec), json!({})).expect("it fits")
}

fn place(root: Root, class: EffectClass, bytes: u64) -> PathFact {
    PathFact { path: "~/a".to_owned(), root, class, now: Content::Absent, bytes }
}

fn touching(root: Root, class: EffectClass, undo: bool) -> Facts {
    Facts { paths: vec![place(root, class, 10)], undo, ..Facts::of(class) }
}

fn check(facts: &Facts, rank: u8) {
    let verdict = judge(&call(), facts, &RuleSet::default(), Tally::default());
    assert_eq!(verdict.rank(), rank, "{verdict:?} for {facts:?}");
}

const ALLOW: u8 = 0;
const ASK: u8 = 1;
const DENY: u8 = 2;

#[test]
fn each_class_has_its_default() {
    check(&Facts::of(EffectClass::Read), ALLOW);
    check(&touching(Root::Home, EffectClass::Create, true), ALLOW);
    check(&touching(Root::Home, EffectClass::Create, false), ASK);
    check(&touching(Root::Home, EffectClass::Modify, true), ASK);
    check(&touching(Root::Work, EffectClass::Modify, true), ALLOW);
    check(&touching(Root::Notes, EffectClass::Modify, true), ALLOW);
    check(&touching(Root::Work, EffectClass::Modify, false), ASK);
    check(&touching(Root::Work, EffectClass::Delete, true), ASK);
    check(&Facts::of(EffectClass::Send), ASK);
    check(&Facts::of(EffectClass::Spend), ASK);
    check(&Facts::of(EffectClass::Execute), ASK);
}

#[test]
fn a_program_is_free_only_in_the_quiet_sandbox() {
    let running = |quiet| {
        let command = CommandFact { argv: vec!["ls".to_owned()], program: None, quiet };
        Facts { command: Some(command), ..Facts::of(EffectClass::Execute) }
    };
    check(&running(true), ALLOW);
    check(&running(false), ASK);
}

#[test]
fn the_strictest_class_holds() {
    let both = BTreeSet::from([EffectClass::Read, EffectClass::Send]);
    check(&Facts { classes: both, ..Facts::of(EffectClass::Read) }, ASK);
    check(&Facts { classes: BTreeSet::new(), ..Facts::of(EffectClass::Read) }, ASK);
    check(&Facts::unknown(), ASK);
    check(&Facts { known: false, ..Facts::of(EffectClass::Read) }, ASK);
}

#[test]
fn private_places_count_only_if_all_are_private() {
    let mut facts = touching(Root::Work, EffectClass::Modify, true);
    facts.paths.push(place(Root::Home, EffectClass::Modify, 1));
    check(&facts, ASK);
    // Without a place nothing is known to be private.
    check(&Facts { undo: true, ..Facts::of(EffectClass::Modify) }, ASK);
}

#[test]
fn new_files_are_free_up_to_the_purse_of_the_turn() {
    let facts = touching(Root::Home, EffectClass::Create, true);
    let after = |files, bytes| judge(&call(), &facts, &RuleSet::default(), Tally { files, bytes }).rank();
    assert_eq!(after(FREE_FILES - 1, 0), ALLOW);
    assert_eq!(after(FREE_FILES, 0), ASK);
    assert_eq!(after(0, FREE_BYTES - 10), ALLOW);
    assert_eq!(after(0, FREE_BYTES - 9), ASK);
    assert_eq!(after(0, u64::MAX), ASK);
}

fn rule(id: &str, verdict: RuleVerdict) -> Rule {
    let example =
        |matches, tool: &str| Example { matches, tool: ToolName::new(tool), facts: Facts::of(EffectClass::Read) };
    Rule {
        id: RuleId::new(id),
        verdict,
        tools: vec!["write".to_owned()],
        classes: BTreeSet::new(),
        paths: Vec::new(),
        programs: Vec::new(),
        note: "as agreed".to_owned(),
        examples: vec![example(true, "write"), example(false, "read")],
    }
}

fn by_rules(facts: &Facts, rules: &[RuleVerdict]) -> Verdict {
    let rules = rules.iter().enumerate().map(|(index, verdict)| rule(&format!("r{index}"), *verdict)).collect();
    judge(&call(), facts, &RuleSet::new(rules).expect("they hold"), Tally::default())
}

#[test]
fn deny_stands_over_ask_and_ask_over_allow_in_any_order() {
    let send = Facts::of(EffectClass::Send);
    let (allow, ask, deny) = (RuleVerdict::Allow, RuleVerdict::Ask, RuleVerdict::Deny);
    assert_eq!(by_rules(&send, &[allow]), Verdict::Allow(Clearance::Rule(RuleId::new("r0"))));
    for rules in [[allow, ask], [ask, allow]] {
        assert_eq!(by_rules(&send, &rules), Verdict::Ask("a rule asks for it: as agreed".to_owned()));
    }
    for rules in [[allow, ask, deny], [deny, ask, allow], [ask, deny, allow]] {
        assert_eq!(by_rules(&send, &rules).rank(), DENY);
    }
}

#[test]
fn a_rule_that_asks_holds_for_what_would_be_free() {
    assert_eq!(by_rules(&Facts::of(EffectClass::Read), &[RuleVerdict::Ask]).rank(), ASK);
}

#[test]
fn no_rule_spends_money_unasked_or_lets_the_unknown_pass() {
    assert_eq!(by_rules(&Facts::of(EffectClass::Spend), &[RuleVerdict::Allow]).rank(), ASK);
    assert_eq!(by_rules(&Facts::unknown(), &[RuleVerdict::Allow]).rank(), ASK);
}
