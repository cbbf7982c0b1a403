//! B2, first form: adding a rule that asks or denies never loosens a verdict, and shuffling rules changes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::call::{ToolCall, ValidCall};
use domain::facts::Facts;
use domain::gate::{Tally, Verdict, judge};
use domain::id::{CallId, RuleId};
use domain::rule::{Example, Rule, RuleSet, RuleVerdict};
use domain::tool::{EffectClass, ToolName};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::random::{self, Random, facts, times};

const CLASSES: [EffectClass; 7] = [
    EffectClass::Read,
    EffectClass::Create,
    EffectClass::Modify,
    EffectClass::Delete,
    EffectClass::Send,
    EffectClass::Spend,
    EffectClass::Execute,
];

/// The conditions of a rule; its examples are found by trying facts until one fits and one does not.
#[derive(Debug, Clone)]
struct Conditions {
    verdict: RuleVerdict,
    tools: Vec<String>,
    classes: BTreeSet<EffectClass>,
    paths: Vec<String>,
    programs: Vec<String>,
}

fn conditions() -> impl Strategy<Value = Conditions> {
    let verdict = prop::sample::select(vec![RuleVerdict::Allow, RuleVerdict::Ask, RuleVerdict::Deny]);
    let texts =
        |of: &'static [&'static str]| prop::collection::vec(prop::sample::select(of).prop_map(str::to_owned), 0..2);
    let tools = texts(&["write", "read", "write.*", "file.*"]);
    let classes = prop::collection::btree_set(prop::sample::select(CLASSES.to_vec()), 0..3);
    let paths = texts(&["~/a", "~/notes/", "~/**", "~/*", "~/c d/*.md", "~/none"]);
    let programs = texts(&["ls", "rm"]);
    (verdict, tools, classes, paths, programs).prop_map(|(verdict, tools, classes, paths, programs)| Conditions {
        verdict,
        tools,
        classes,
        paths,
        programs,
    })
}

/// The rule, if it has a condition and there is something that it does and does not match.
fn rule(id: usize, conditions: &Conditions) -> Option<Rule> {
    let Conditions { verdict, tools, classes, paths, programs } = conditions.clone();
    let (id, note) = (RuleId::new(format!("r{id}")), String::new());
    let mut rule = Rule { id, verdict, tools, classes, paths, programs, note, examples: Vec::new() };
    let mut random = Random(1);
    for _ in 0..60 {
        let tool = ToolName::new(["write", "read", "file_x", "other"][random.below(4)]);
        let facts = facts(&mut random);
        let matches = rule.matches(&tool, &facts);
        if rule.examples.iter().all(|example| example.matches != matches) {
            rule.examples.push(Example { matches, tool, facts });
        }
    }
    RuleSet::new(vec![rule.clone()]).is_ok().then_some(rule)
}

fn rules(all: &[Conditions]) -> Vec<Rule> {
    all.iter().enumerate().filter_map(|(index, conditions)| rule(index, conditions)).collect()
}

fn call(tool: &str, recovered: bool) -> ValidCall {
    let setting = random::setting();
    let call = ToolCall {
        id: CallId::new("c"),
        tool: ToolName::new(tool),
        arguments: r#"{"path":"a"}"#.to_owned(),
        fault: None,
        wire_id: None,
        recovered,
    };
    ValidCall::check(&call, &Arc::clone(&setting.tools)).expect("it fits")
}

fn verdict(tool: &str, facts: &Facts, rules: &[Rule]) -> Verdict {
    let rules = RuleSet::new(rules.to_vec()).expect("each was checked");
    judge(&call(tool, false), facts, &rules, Tally::default())
}

fn verdict_of_recovered(tool: &str, facts: &Facts, rules: &[Rule]) -> Verdict {
    let rules = RuleSet::new(rules.to_vec()).expect("each was checked");
    judge(&call(tool, true), facts, &rules, Tally::default())
}

fn cases() -> u32 {
    u32::try_from(times(100, 20_000)).expect("it is small")
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(2), failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn a_rule_that_asks_or_denies_never_loosens(
        all in prop::collection::vec(conditions(), 0..6),
        added in conditions(),
        strict in prop::sample::select(vec![RuleVerdict::Ask, RuleVerdict::Deny]),
        seeds in prop::collection::vec(any::<u64>(), 20),
    ) {
        let before = rules(&all);
        let added = Conditions { verdict: strict, ..added };
        let Some(added) = rule(99, &added) else { return Ok(()) };
        let after: Vec<Rule> = before.iter().cloned().chain([added]).collect();
        for seed in seeds {
            let facts = facts(&mut Random(seed));
            for tool in ["write", "read"] {
                let (one, two) = (verdict(tool, &facts, &before), verdict(tool, &facts, &after));
                prop_assert!(two.rank() >= one.rank(), "{one:?} became {two:?} for {facts:?}");
            }
        }
    }

    #[test]
    fn a_recovered_call_is_never_judged_looser_and_runs_unasked_only_if_it_reads(
        all in prop::collection::vec(conditions(), 0..6),
        seeds in prop::collection::vec(any::<u64>(), 20),
    ) {
        let rules = rules(&all);
        for seed in seeds {
            let facts = facts(&mut Random(seed));
            for tool in ["write", "read"] {
                let (own, recovered) = (verdict(tool, &facts, &rules), verdict_of_recovered(tool, &facts, &rules));
                prop_assert!(recovered.rank() >= own.rank(), "{own:?} became {recovered:?} for {facts:?}");
                let reads = facts.known && facts.classes == [EffectClass::Read].into();
                prop_assert!(recovered.rank() > 0 || reads, "{recovered:?} for {facts:?}");
                prop_assert!(recovered == own || !reads, "{own:?} became {recovered:?} for {facts:?}");
            }
        }
    }

    #[test]
    fn the_order_of_rules_changes_nothing(
        all in prop::collection::vec(conditions(), 0..6),
        order in any::<u64>(),
        seeds in prop::collection::vec(any::<u64>(), 20),
    ) {
        let in_order = rules(&all);
        let mut shuffled = in_order.clone();
        let mut random = Random(order);
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, random.below(at + 1));
        }
        for seed in seeds {
            let facts = facts(&mut Random(seed));
            prop_assert_eq!(verdict("write", &facts, &in_order), verdict("write", &facts, &shuffled));
        }
    }

    #[test]
    fn a_fact_more_never_loosens_without_rules(seed in any::<u64>(), class in prop::sample::select(CLASSES.to_vec())) {
        let facts = facts(&mut Random(seed));
        let mut more = facts.clone();
        more.classes.insert(class);
        let (one, two) = (verdict("write", &facts, &[]), verdict("write", &more, &[]));
        prop_assert!(two.rank() >= one.rank(), "{:?} became {:?} with {:?}", one, two, class);
        let unknown = Facts { known: false, ..facts };
        prop_assert!(verdict("write", &unknown, &[]).rank() >= 1, "what is not known is asked");
    }
}
