//! Settings that hold what the test says, until the test says otherwise.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use domain::context::Prefix;
use domain::delegate::{DelegateProfile, Delegation};
use domain::id::ConversationId;
use domain::limits::Limits;
use domain::model::{ModelDescription, Tier};
use domain::profile::LimitWishes;
use domain::rule::RuleSet;
use domain::setting::Setting;
use domain::tool::{ToolName, ToolSet};
use domain::turn::Turn;
use harness::ports::Settings;

/// One setting for all conversations.
#[derive(Debug)]
pub struct FixedSetting {
    setting: Mutex<Setting>,
    gone: Mutex<Option<String>>,
}

impl FixedSetting {
    /// These tools, no rules, the default limits and the scripted model.
    pub fn new(tools: ToolSet) -> Self {
        Self { setting: Mutex::new(plain(tools)), gone: Mutex::default() }
    }

    /// What holds at the moment.
    pub fn get(&self) -> Setting {
        lock(&self.setting).clone()
    }

    /// Changes it.
    pub fn change(&self, change: impl FnOnce(&mut Setting)) {
        change(&mut lock(&self.setting));
    }

    /// From now on the setting cannot be had.
    pub fn lose(&self, reason: &str) {
        *lock(&self.gone) = Some(reason.to_owned());
    }

    /// It can be had again.
    pub fn find(&self) {
        *lock(&self.gone) = None;
    }
}

#[async_trait]
impl Settings for FixedSetting {
    async fn current(&self, _: &ConversationId, _: Option<&Turn>) -> Result<Setting, String> {
        match lock(&self.gone).clone() {
            Some(reason) => Err(reason),
            None => Ok(self.get()),
        }
    }
}

/// A setting with these tools, no rules and the default limits.
pub fn plain(tools: ToolSet) -> Setting {
    let prefix = Arc::new(Prefix::new("You work for one person.".to_owned(), &tools));
    let (tools, rules, model) = (Arc::new(tools), Arc::new(RuleSet::default()), Arc::new(description()));
    let (fallbacks, tier, resting) = (Vec::new(), model.tier, BTreeSet::new());
    Setting {
        prefix,
        tools,
        rules,
        limits: Limits::default(),
        model,
        fallbacks,
        tier,
        resting,
        delegation: Delegation::default(),
    }
}

/// What is known of the scripted model.
pub fn description() -> ModelDescription {
    ModelDescription {
        name: "scripted".to_owned(),
        fingerprint: "scripted-1".to_owned(),
        window: 32_768,
        output_cap: None,
        dialect: "native".to_owned(),
        constrained: false,
        continues: true,
        tier: Tier::Device,
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A setting with profiles that can be run as delegates: `helper` has all tools and may run `scout` and `helper`, `scout`
/// only reads. `tools` holds the tool for delegates.
pub fn with_delegates(tools: ToolSet) -> Setting {
    let profile = |id: &str, about: &str, tools: Option<&[&str]>, delegates: &[&str]| DelegateProfile {
        id: id.to_owned(),
        description: about.to_owned(),
        system: format!("You are {id}."),
        tools: tools.map(|names| names.iter().map(|name| ToolName::new(*name)).collect()),
        delegates: delegates.iter().map(|id| (*id).to_owned()).collect(),
        limits: LimitWishes::default(),
        model: Arc::new(description()),
        fallbacks: Vec::new(),
    };
    let helper = profile("helper", "does what is to be done", None, &["scout", "helper"]);
    let scout = profile("scout", "looks", Some(&["read", "look_up"]), &[]);
    plain(tools).delegating(Delegation {
        path: vec!["outer".to_owned()],
        allowed: vec!["helper".to_owned(), "scout".to_owned()],
        profiles: Arc::new([helper, scout]),
        ..Delegation::default()
    })
}
