//! What holds at this moment: read anew before every effect, so that a revoked tool or rule counts at once.

use std::sync::Arc;

use crate::context::Prefix;
use crate::limits::Limits;
use crate::model::ModelDescription;
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
}
