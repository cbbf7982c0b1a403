//! Whether the names in a profile exist: tools, skills, delegates, hooks. Read is without knowing them; a profile is used
//! only once this says nothing.

use std::collections::BTreeSet;

use super::fields::fault_at;
use super::{Fault, Named, Profile};
use crate::slash::nearest;

/// The names there are.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Tools.
    pub tools: BTreeSet<String>,
    /// Skills.
    pub skills: BTreeSet<String>,
    /// Ids of profiles.
    pub profiles: BTreeSet<String>,
    /// Hooks.
    pub hooks: BTreeSet<String>,
    /// Notes.
    pub notes: BTreeSet<String>,
    /// Models.
    pub models: BTreeSet<String>,
}

impl Profile {
    /// The names in it that do not exist, each with its place.
    pub fn unknown(&self, known: &Known) -> Vec<Fault> {
        let mut faults = Vec::new();
        let tools = self.tools.iter().flatten().filter(|named| !is_tool(&named.name, &known.tools));
        faults.extend(tools.map(|named| missing("tool", named, &known.tools)));
        for (kind, names, there) in [
            ("skill", self.skills.as_deref().unwrap_or_default(), &known.skills),
            ("profile", &self.delegates, &known.profiles),
            ("hook", &self.hooks, &known.hooks),
            ("note", &self.notes, &known.notes),
            ("model", self.model.pin.as_slice(), &known.models),
            ("model", &self.model.fallbacks, &known.models),
        ] {
            let wrong = names.iter().filter(|named| !there.contains(&named.name));
            faults.extend(wrong.map(|named| missing(kind, named, there)));
        }
        faults.sort();
        faults
    }
}

/// Whether a word of the list `tools` means at least one tool.
fn is_tool(word: &str, tools: &BTreeSet<String>) -> bool {
    tools.iter().any(|tool| means(word, tool))
}

/// Whether a word of the list `tools` means this tool: its name, or `group.*` for all that begin with `group_`.
pub(super) fn means(word: &str, tool: &str) -> bool {
    match word.strip_suffix(".*") {
        Some(group) => tool.strip_prefix(group).is_some_and(|rest| rest.starts_with('_')),
        None => word == tool,
    }
}

fn missing(kind: &str, named: &Named, there: &BTreeSet<String>) -> Fault {
    let near = nearest(&named.name, there.iter().map(String::as_str)).join("`, `");
    let hint = if near.is_empty() { "there are none".to_owned() } else { format!("near are `{near}`") };
    fault_at((named.line, named.column), format!("there is no {kind} `{}`; {hint}", named.name))
}
