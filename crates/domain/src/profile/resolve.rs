//! Which value holds when several layers have set one (LOOP-109). Of values the first that is set wins; of permissions,
//! limits and the privacy tier the strictest holds, in whatever layer it stands.

use super::known::means;
use super::{LimitWishes, ModelWish, Named, Profile, Reasoning, SamplingWishes};
use crate::model::Tier;

/// What one layer sets. Nothing is set by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wishes {
    /// Which model answers, and those that stand in for it: two values.
    pub model: Option<ModelWish>,
    /// How much it thinks.
    pub reasoning: Option<Reasoning>,
    /// How its tokens are drawn: each key is a value.
    pub sampling: SamplingWishes,
    /// The model that writes summaries.
    pub compaction_model: Option<String>,
    /// The tools that are left: names, or `group.*`.
    pub tools: Option<Vec<String>>,
    /// Limits.
    pub limits: LimitWishes,
    /// How far it may travel.
    pub tier: Option<Tier>,
}

/// All layers, the nearest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layers {
    /// This message alone.
    pub message: Wishes,
    /// The conversation.
    pub conversation: Wishes,
    /// The person.
    pub person: Wishes,
    /// The person's role.
    pub role: Wishes,
    /// The profile.
    pub profile: Wishes,
    /// The instance.
    pub instance: Wishes,
}

/// What holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolved {
    /// Which model answers, if any layer says so.
    pub model: Option<ModelWish>,
    /// How much it thinks.
    pub reasoning: Option<Reasoning>,
    /// How its tokens are drawn.
    pub sampling: SamplingWishes,
    /// The model that writes summaries.
    pub compaction_model: Option<String>,
    /// The lists of tools, all of which a tool must stand in.
    tools: Vec<Vec<String>>,
    /// Limits.
    pub limits: LimitWishes,
    /// How far it may travel, if any layer says so.
    pub tier: Option<Tier>,
}

/// Joins the layers.
pub fn resolve(layers: &Layers) -> Resolved {
    let Layers { message, conversation, person, role, profile, instance } = layers;
    let mut resolved = Resolved::default();
    for wishes in [message, conversation, person, role, profile, instance] {
        resolved.take(wishes);
    }
    resolved
}

impl Resolved {
    /// Takes in the next layer behind those before.
    fn take(&mut self, wishes: &Wishes) {
        self.model = joined(self.model.take(), wishes.model.as_ref());
        self.reasoning = self.reasoning.or(wishes.reasoning);
        self.sampling = self.sampling.or(wishes.sampling);
        self.compaction_model = self.compaction_model.take().or_else(|| wishes.compaction_model.clone());
        self.tools.extend(wishes.tools.clone());
        self.limits = self.limits.and(wishes.limits);
        self.tier = self.tier.into_iter().chain(wishes.tier).min();
    }

    /// Whether every layer leaves this tool.
    pub fn permits(&self, tool: &str) -> bool {
        self.tools.iter().all(|words| words.iter().any(|word| means(word, tool)))
    }
}

/// Who answers and who stands in are wished apart: whoever chooses a model for one message says nothing of the others.
fn joined(nearer: Option<ModelWish>, further: Option<&ModelWish>) -> Option<ModelWish> {
    let (Some(mut nearer), Some(further)) = (nearer.clone(), further) else { return nearer.or(further.cloned()) };
    if nearer.pin.is_none() && nearer.strength.is_none() {
        (nearer.pin, nearer.strength) = (further.pin.clone(), further.strength);
    }
    if nearer.fallbacks.is_empty() {
        nearer.fallbacks.clone_from(&further.fallbacks);
    }
    Some(nearer)
}

impl Profile {
    /// What the profile sets.
    pub fn wishes(&self) -> Wishes {
        let names = |names: &Vec<Named>| names.iter().map(|named| named.name.clone()).collect();
        Wishes {
            model: (self.model != ModelWish::default()).then(|| self.model.clone()),
            reasoning: self.reasoning,
            sampling: self.sampling,
            compaction_model: self.compaction_model.clone(),
            tools: self.tools.as_ref().map(names),
            limits: self.limits,
            tier: None,
        }
    }
}
