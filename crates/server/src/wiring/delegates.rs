//! Which profiles the profile of a conversation may run as delegates, each with the models that answer for it. Who may do
//! what in a frame is decided in `domain`.

use domain::delegate::{DelegateProfile, Delegation};
use domain::model::Tier;
use domain::profile::{Layers, Profile, resolve};
use domain::setting::Setting;

use super::agents::plain;
use super::settings::{Chosen, OfPerson};

impl OfPerson {
    /// The setting with the delegates of the profile that answers, if it has any.
    pub(super) fn with_delegates(&self, setting: Setting, chosen: &Chosen) -> Setting {
        let ready = &chosen.ready;
        if ready.profile.delegates.is_empty() {
            return setting;
        }
        let all = self.agents.for_tasks().map(|(name, profile)| self.for_task(name, profile, setting.tier));
        let delegation = Delegation {
            path: vec![plain(&ready.version.id).to_owned()],
            allowed: ready.profile.delegates.iter().map(|named| named.name.clone()).collect(),
            profiles: all.collect(),
            ..Delegation::default()
        };
        // Its tools name them already.
        Setting { delegation, ..setting }
    }

    /// A profile as a delegate, which chooses its models by its own wishes.
    fn for_task(&self, name: &str, profile: &Profile, tier: Tier) -> DelegateProfile {
        let resolved =
            resolve(&Layers { profile: profile.wishes(), instance: self.models.wishes(), ..Layers::default() });
        let (model, fallbacks) = self.models_for(resolved.model.as_ref(), tier);
        DelegateProfile {
            id: name.to_owned(),
            description: profile.description.clone(),
            system: profile.prompt.clone(),
            tools: Some(self.agents.permitted(&resolved)),
            delegates: profile.delegates.iter().map(|named| named.name.clone()).collect(),
            limits: resolved.limits,
            model,
            fallbacks,
        }
    }
}
