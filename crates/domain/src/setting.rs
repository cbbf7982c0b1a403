//! What holds at this moment: read anew before every effect, so that a revoked tool or rule counts at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::context::Prefix;
use crate::delegate::Delegation;
use crate::limits::Limits;
use crate::model::{ModelDescription, Tier};
use crate::rule::RuleSet;
use crate::tool::ToolSet;

/// Everything outside the entries that a decision may depend on.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// System text and tool block.
    pub prefix: Arc<Prefix>,
    /// The tools there are.
    pub tools: Arc<ToolSet>,
    /// The rules in force.
    pub rules: Arc<RuleSet>,
    /// The purse of a turn.
    pub limits: Limits,
    /// The model that answers.
    pub model: Arc<ModelDescription>,
    /// The models that may answer when that one cannot, in order; at most [`MOST_FALLBACKS`] of them are asked.
    pub fallbacks: Vec<Arc<ModelDescription>>,
    /// How far what is said here may travel.
    pub tier: Tier,
    /// The names of models that failed several times in a row and are not to be asked at the moment.
    pub resting: BTreeSet<String>,
    /// Which profiles may be run as delegates.
    pub delegation: Delegation,
}

/// Models that are asked when the first one cannot answer.
pub const MOST_FALLBACKS: usize = 3;

impl Setting {
    /// The models that may answer, the first one first.
    pub fn models(&self) -> impl Iterator<Item = &Arc<ModelDescription>> {
        std::iter::once(&self.model).chain(self.fallbacks.iter().take(MOST_FALLBACKS))
    }

    /// The model of that name.
    pub fn model_named(&self, name: &str) -> Option<&Arc<ModelDescription>> {
        self.models().find(|model| model.name == name)
    }
}
