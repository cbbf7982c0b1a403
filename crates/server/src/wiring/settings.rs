//! What holds now, read anew before every effect.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use domain::context::Prefix;
use domain::id::ConversationId;
use domain::limits::Limits;
use domain::rule::RuleSet;
use domain::setting::Setting;
use domain::tool::ToolSet;
use harness::ports::{Model, Settings, Tool};

use super::instructions;

/// The setting of the default profile: its text, all tools, the rules in force.
pub(super) struct DefaultProfile {
    setting: Setting,
    model: Arc<dyn Model>,
}

impl DefaultProfile {
    pub(super) fn new(tools: &[Arc<dyn Tool>], rules: Arc<RuleSet>, model: Arc<dyn Model>) -> Result<Self, String> {
        let tools = ToolSet::new(tools.iter().map(|tool| tool.spec().clone()));
        let prefix = Prefix::new(instructions::assistant().to_owned(), &tools);
        let description = Arc::new(model.describe());
        let setting = Setting {
            prefix: Arc::new(prefix),
            tools: Arc::new(tools),
            rules,
            limits: Limits::for_window(description.window),
            fallbacks: Vec::new(),
            tier: description.tier,
            resting: BTreeSet::new(),
            model: description,
        };
        Ok(Self { setting, model })
    }

    /// What every prompt begins with.
    pub(super) fn prefix(&self) -> Arc<Prefix> {
        Arc::clone(&self.setting.prefix)
    }
}

#[async_trait]
impl Settings for DefaultProfile {
    async fn current(&self, _: &ConversationId) -> Result<Setting, String> {
        let model = self.model.describe();
        if model == *self.setting.model {
            return Ok(self.setting.clone());
        }
        // A local model knows its window only once it is loaded.
        Ok(Setting { limits: Limits::for_window(model.window), model: Arc::new(model), ..self.setting.clone() })
    }
}
