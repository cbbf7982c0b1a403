//! The seeded rules: data with examples, checked when the server starts.

use domain::rule::{Rule, RuleSet};

const SEEDS: &str = include_str!("../../assets/rules/seeds.json");

/// The rules that hold from the first start.
pub(crate) fn seeds() -> Result<RuleSet, String> {
    let rules: Vec<Rule> = serde_json::from_str(SEEDS).map_err(|fault| format!("the seeded rules: {fault}"))?;
    RuleSet::new(rules).map_err(|fault| format!("the seeded rules: {fault}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_seeded_rules_agree_with_their_examples() {
        super::seeds().unwrap();
    }
}
