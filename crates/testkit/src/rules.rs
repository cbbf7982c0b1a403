//! Rules written short: the examples that a rule must carry are made from its own conditions.

use std::collections::BTreeSet;

use domain::facts::{Content, Facts, PathFact, Root};
use domain::id::RuleId;
use domain::rule::{Example, Rule, RuleVerdict};
use domain::tool::{EffectClass, ToolName};

/// A rule about one tool, and about one place if `path` is given.
pub fn rule(id: &str, verdict: RuleVerdict, tool: &str, path: Option<&str>) -> Rule {
    let fits = path.map(|path| if path.ends_with('/') { format!("{path}x") } else { path.to_owned() });
    let example =
        |matches, tool: &str| Example { matches, tool: ToolName::new(tool), facts: touching(fits.as_deref()) };
    Rule {
        id: RuleId::new(id),
        verdict,
        tools: vec![tool.to_owned()],
        classes: BTreeSet::new(),
        paths: path.map(str::to_owned).into_iter().collect(),
        programs: Vec::new(),
        note: String::new(),
        examples: vec![example(true, tool), example(false, "some_other_tool")],
    }
}

fn touching(path: Option<&str>) -> Facts {
    let fact = |path: &str| PathFact {
        path: path.to_owned(),
        root: Root::Home,
        class: EffectClass::Modify,
        now: Content::Absent,
        bytes: 0,
    };
    Facts { paths: path.map(fact).into_iter().collect(), ..Facts::of(EffectClass::Modify) }
}
