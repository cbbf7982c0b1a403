//! What holds now, read anew before every effect.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use domain::context::Prefix;
use domain::id::ConversationId;
use domain::limits::Limits;
use domain::profile::{Known, Layers, Profile, Resolved, resolve};
use domain::rule::RuleSet;
use domain::setting::Setting;
use domain::tool::ToolSet;
use domain::turn::Turn;
use harness::ports::{Model, Settings, Tool};

use super::bundled;

/// The setting of one profile: its text, the tools and limits it leaves, the rules in force.
pub(super) struct OfProfile {
    setting: Setting,
    resolved: Resolved,
    model: Arc<dyn Model>,
}

impl OfProfile {
    /// Fails if the profile names a tool that does not exist.
    pub(super) fn new(
        profile: &Profile,
        tools: &[Arc<dyn Tool>],
        rules: Arc<RuleSet>,
        model: Arc<dyn Model>,
    ) -> Result<Self, String> {
        let names = tools.iter().map(|tool| tool.spec().name.to_string()).collect();
        bundled::check_names(profile, &Known { tools: names, ..Known::default() })?;
        let resolved = resolve(&Layers { profile: profile.wishes(), ..Layers::default() });
        let left = tools.iter().map(|tool| tool.spec()).filter(|spec| resolved.permits(spec.name.as_str()));
        let tools = ToolSet::new(left.cloned());
        let prefix = Prefix::new(profile.prompt.clone(), &tools);
        let description = Arc::new(model.describe());
        let setting = Setting {
            prefix: Arc::new(prefix),
            tools: Arc::new(tools),
            rules,
            limits: resolved.limits.lower(Limits::for_window(description.window)),
            fallbacks: Vec::new(),
            tier: description.tier,
            resting: BTreeSet::new(),
            model: description,
        };
        Ok(Self { setting, resolved, model })
    }

    /// What every prompt begins with.
    pub(super) fn prefix(&self) -> Arc<Prefix> {
        Arc::clone(&self.setting.prefix)
    }
}

#[async_trait]
impl Settings for OfProfile {
    async fn current(&self, _: &ConversationId, _: Option<&Turn>) -> Result<Setting, String> {
        let model = self.model.describe();
        if model == *self.setting.model {
            return Ok(self.setting.clone());
        }
        // A local model knows its window only once it is loaded.
        let limits = self.resolved.limits.lower(Limits::for_window(model.window));
        Ok(Setting { limits, model: Arc::new(model), ..self.setting.clone() })
    }
}

#[cfg(test)]
mod tests {
    use domain::profile;
    use testkit::model::ScriptedModel;

    use super::*;
    use crate::wiring::rules;

    fn check(head: &str) -> Result<OfProfile, String> {
        let profile = profile::read(&format!("---\nname: x\n{head}\n---\nprompt")).unwrap();
        OfProfile::new(&profile, &[], Arc::new(rules::seeds()?), Arc::new(ScriptedModel::new([])))
    }

    #[tokio::test]
    async fn a_profile_lowers_limits_and_raises_none() {
        let setting = check("limits: {rounds: 3, calls: 9999}").unwrap();
        let now = setting.current(&ConversationId::new("c"), None).await.unwrap();
        assert_eq!((now.limits.rounds, now.limits.calls), (3, Limits::default().calls));
        assert_eq!(now.prefix.system, "prompt");
    }

    #[test]
    fn a_tool_that_does_not_exist_is_told_with_its_place() {
        let fault = check("tools: [file_red]").map(drop).unwrap_err();
        assert!(fault.contains("line 3, column 9: there is no tool `file_red`"), "{fault}");
    }
}
