//! What changes around the loop of a script: rules, models, tools, limits, files, the clock. The person is beside.

use std::sync::Arc;

use domain::limits::Limits;
use domain::model::Tier;
use domain::rule::RuleSet;
use domain::setting::Setting;
use domain::tool::ToolSet;
use harness::ports::Model;

use super::Stage;
use crate::model::StandIn;
use crate::rules::rule;
use crate::setting::with_delegates;
use crate::transcript::parse::Step;

impl Stage {
    pub(super) fn set_rule(&mut self, added: Option<&(domain::rule::RuleVerdict, String, Option<String>)>) {
        match added {
            None => self.rules.clear(),
            Some((verdict, tool, path)) => {
                let id = format!("r{}", self.rules.len() + 1);
                self.rules.push(rule(&id, *verdict, tool, path.as_deref()));
            }
        }
        let rules = RuleSet::new(self.rules.clone()).expect("the examples of a short rule hold");
        self.setting.change(|setting| setting.rules = Arc::new(rules));
    }

    /// Another model over the same script. A process sees it from the next time on that it begins to drive.
    pub(super) fn add_model(&mut self, name: &str, far: bool) {
        let tier = if far { Tier::Any } else { Tier::Device };
        let model = Arc::new(StandIn::new(name, tier, Arc::clone(&self.model)));
        let description = Arc::new(model.describe());
        self.setting.change(|setting| setting.fallbacks.push(description));
        self.ports.models = self.ports.models.iter().cloned().chain([model as Arc<dyn Model>]).collect();
    }

    pub(super) fn change_world(&self, step: &Step) {
        match step {
            Step::Summary(line) => self.model.summarise_as(line.clone()),
            Step::Hook(tool, does) => self.hook.set(tool.as_deref(), does.clone()),
            Step::Limit(name, value) => self.set_limit(name, *value),
            Step::Without(gone) => {
                let there = |name: &str| !gone.iter().any(|gone| gone == name);
                let specs = self.ports.tools.iter().map(|tool| tool.spec().clone());
                let tools = ToolSet::new(specs.filter(|spec| there(spec.name.as_str())));
                self.setting.change(|setting| setting.tools = Arc::new(tools));
            }
            Step::Delegates(true) => {
                let made = with_delegates(self.world.whole_tool_set());
                self.setting.change(|setting| {
                    let Setting { tools, prefix, delegation, .. } = made;
                    (setting.tools, setting.prefix, setting.delegation) = (tools, prefix, delegation);
                });
            }
            Step::Delegates(false) => self.setting.change(|setting| setting.delegation.allowed.clear()),
            Step::Setting(Some(reason)) => self.setting.lose(reason),
            Step::Setting(None) => self.setting.find(),
            Step::Time(millis) => self.clock.advance(*millis),
            Step::Target(path, Some(text)) => self.world.put(path, text),
            Step::Target(path, None) => self.world.remove(path),
            Step::NewerEntry => self.journal.plant(&self.id, domain::entry::VERSION + 1, r#"{"unheard_of":1}"#),
            Step::DiskFails => self.journal.fail(1),
            other => panic!("{other:?} is no change of the world"),
        }
    }

    fn set_limit(&self, name: &str, value: u32) {
        let count = usize::try_from(value).unwrap_or(usize::MAX);
        let set = |limits: &mut Limits| match name {
            "rounds" => limits.rounds = count,
            "tokens" => limits.decoded_tokens = u64::from(value),
            "seconds" => limits.active_ms = u64::from(value) * 1000,
            "calls" => limits.calls = count,
            "cards" => limits.cards = count,
            "parallel" => limits.parallel = count,
            "delegates" => limits.delegates = count,
            other => panic!("there is no limit {other:?}"),
        };
        self.setting.change(|setting| match name {
            "window" => Arc::make_mut(&mut setting.model).window = value,
            _ => set(&mut setting.limits),
        });
    }
}
