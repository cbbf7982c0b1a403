//! Lines of policy that people read, each with examples that it must and must not match.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::facts::Facts;
use crate::id::RuleId;
use crate::tool::{EffectClass, ToolName};

/// What a rule says. The strictest rule that matches holds, whatever their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleVerdict {
    /// Let it run.
    Allow,
    /// Ask the person.
    Ask,
    /// Never.
    Deny,
}

/// One line of policy. All conditions that are given must hold; a rule without any is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name.
    pub id: RuleId,
    /// What it says.
    pub verdict: RuleVerdict,
    /// Tools by name, or `group.*` for all whose name begins with `group_`.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Effect classes.
    #[serde(default)]
    pub classes: BTreeSet<EffectClass>,
    /// Places: `*` within a segment, `**` across segments, `dir/` for all beneath.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Programs by name.
    #[serde(default)]
    pub programs: Vec<String>,
    /// Why it is there, for people.
    #[serde(default)]
    pub note: String,
    /// What it must and must not match.
    pub examples: Vec<Example>,
}

/// A written call and whether the rule must match it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Whether the rule must match.
    pub matches: bool,
    /// The tool.
    pub tool: ToolName,
    /// The facts.
    pub facts: Facts,
}

/// Why a set of rules is refused as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleFault {
    /// A rule has no condition.
    #[error("rule {0} has no condition; name a tool, a class, a path or a program")]
    Empty(RuleId),
    /// A rule lacks an example of one kind.
    #[error("rule {0} needs one example that matches and one that does not")]
    TooFewExamples(RuleId),
    /// An example contradicts its rule.
    #[error("rule {rule}: example {example} does not hold")]
    Contradicted {
        /// The rule.
        rule: RuleId,
        /// The example, counted from 1.
        example: usize,
    },
}

/// Rules that have been checked against their examples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSet(Vec<Rule>);

impl RuleSet {
    /// Checks each rule; one that fails refuses the whole set.
    pub fn new(rules: Vec<Rule>) -> Result<Self, RuleFault> {
        rules.iter().try_for_each(Rule::check)?;
        Ok(Self(rules))
    }

    /// All rules, in the order in which they were written.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }

    /// The strictest verdict among the rules that match, with the first rule that says so.
    pub fn strictest(&self, tool: &ToolName, facts: &Facts) -> Option<(RuleVerdict, &Rule)> {
        let matching = self.0.iter().filter(|rule| rule.matches(tool, facts)).map(|rule| (rule.verdict, rule));
        // Among equals the first in order of ids stands, so that shuffling the rules changes nothing.
        matching.min_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)))
    }
}

impl Rule {
    fn check(&self) -> Result<(), RuleFault> {
        if self.tools.is_empty() && self.classes.is_empty() && self.paths.is_empty() && self.programs.is_empty() {
            return Err(RuleFault::Empty(self.id.clone()));
        }
        let has = |wanted| self.examples.iter().any(|example| example.matches == wanted);
        if !has(true) || !has(false) {
            return Err(RuleFault::TooFewExamples(self.id.clone()));
        }
        let failing = self.examples.iter().position(|e| self.matches(&e.tool, &e.facts) != e.matches);
        match failing {
            None => Ok(()),
            Some(index) => Err(RuleFault::Contradicted { rule: self.id.clone(), example: index + 1 }),
        }
    }

    /// Whether the rule speaks about this call.
    ///
    /// A rule that allows must cover every class, place and program of the call; one that asks or denies speaks up
    /// for any of them. So a call never slips past a rule by doing more than the rule names.
    pub fn matches(&self, tool: &ToolName, facts: &Facts) -> bool {
        if self.verdict == RuleVerdict::Allow && !facts.known {
            return false;
        }
        self.fits_tool(tool) && self.fits_classes(facts) && self.fits_paths(facts) && self.fits_program(facts)
    }

    fn fits_tool(&self, tool: &ToolName) -> bool {
        let fits = |pattern: &String| match pattern.strip_suffix(".*") {
            Some(group) => tool.as_str().strip_prefix(group).is_some_and(|rest| rest.starts_with('_')),
            None => pattern == tool.as_str(),
        };
        self.tools.is_empty() || self.tools.iter().any(fits)
    }

    fn fits_classes(&self, facts: &Facts) -> bool {
        self.classes.is_empty() || self.covers(facts.classes.iter(), |class| self.classes.contains(class))
    }

    fn fits_paths(&self, facts: &Facts) -> bool {
        let fits = |path: &&str| self.paths.iter().any(|pattern| path_fits(pattern, path));
        self.paths.is_empty() || self.covers(facts.paths.iter().map(|fact| fact.path.as_str()), |path| fits(&path))
    }

    fn fits_program(&self, facts: &Facts) -> bool {
        let program = facts.command.as_ref().and_then(|command| command.argv.first());
        self.programs.is_empty() || program.is_some_and(|name| self.programs.contains(name))
    }

    fn covers<T>(&self, mut items: impl Iterator<Item = T>, fits: impl Fn(T) -> bool) -> bool {
        match self.verdict {
            RuleVerdict::Allow => {
                let mut any = false;
                items.all(|item| {
                    any = true;
                    fits(item)
                }) && any
            }
            RuleVerdict::Ask | RuleVerdict::Deny => items.any(fits),
        }
    }
}

/// Whether a place of the agent namespace fits a pattern. Both are split at `/`.
fn path_fits(pattern: &str, path: &str) -> bool {
    let whole_folder = pattern.strip_suffix('/').map(|folder| format!("{folder}/**"));
    let pattern = whole_folder.as_deref().unwrap_or(pattern);
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    segments_fit(&pattern, &path)
}

fn segments_fit(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=path.len()).any(|skipped| segments_fit(rest, &path[skipped..])),
        (Some((first, rest)), Some((segment, others))) => segment_fits(first, segment) && segments_fit(rest, others),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

fn segment_fits(pattern: &str, segment: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == segment };
    let Some(rest) = segment.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| segment_fits(after, &rest[at..]))
}

#[cfg(test)]
mod tests;
