//! The setting of a frame: what both its caller and its profile leave. It narrows, never widens.

use std::sync::Arc;

use super::{BACKGROUND_MS, DelegateProfile, Delegation, MOST_DEPTH, TOOL, is_delegate};
use crate::context::Prefix;
use crate::limits::Limits;
use crate::scratchpad::is_scratchpad;
use crate::setting::Setting;
use crate::tool::{ToolSet, ToolSpec};

/// Stands between what the tool says of itself and the profiles that can be run.
const PROFILES: &str = "\n\nProfiles:";

impl Setting {
    /// What the whole tree of frames may use.
    pub fn purse(&self) -> &Limits {
        self.delegation.purse.as_ref().unwrap_or(&self.limits)
    }

    /// The profiles at work down to this frame, where it is that of a delegate.
    pub(crate) fn path_of_delegate(&self) -> Vec<String> {
        if self.delegation.depth == 0 { Vec::new() } else { self.delegation.path.clone() }
    }

    /// The profiles that can be run as delegates from here: allowed, there, not at work already, not too deep.
    pub fn delegates(&self) -> Vec<&DelegateProfile> {
        let Delegation { path, allowed, profiles, depth, .. } = &self.delegation;
        if *depth >= MOST_DEPTH {
            return Vec::new();
        }
        let may = |profile: &&DelegateProfile| allowed.contains(&profile.id) && !path.contains(&profile.id);
        profiles.iter().filter(may).collect()
    }

    /// The profile of that name, if it can be run from here.
    pub fn delegate(&self, id: &str) -> Option<&DelegateProfile> {
        self.delegates().into_iter().find(|profile| profile.id == id)
    }

    /// This setting with these delegates. The tool for them is there only where one can be run, and names those; the
    /// scratchpad is there where it is shared.
    #[must_use]
    pub fn delegating(mut self, delegation: Delegation) -> Self {
        self.delegation = delegation;
        let legal = self.delegates();
        let shown = |spec: &Arc<ToolSpec>| match is_delegate(&spec.name) {
            true if legal.is_empty() => None,
            true => {
                let listed = legal.iter().map(|profile| (profile.id.as_str(), profile.description.as_str()));
                Some(Arc::new(described(spec, listed)))
            }
            // Who works alone has nobody to share notes with.
            false if is_scratchpad(&spec.name) && legal.is_empty() && self.delegation.depth == 0 => None,
            false => Some(Arc::clone(spec)),
        };
        let tools: ToolSet = self.tools.iter().filter_map(shown).collect();
        let block: ToolSet = self.prefix.tools.iter().filter_map(shown).collect();
        let prefix = Prefix::new(self.prefix.system.clone(), &block);
        Self { tools: Arc::new(tools), prefix: Arc::new(prefix), ..self }
    }

    /// The setting of a frame in which that profile works for this one; `None` if it cannot be run from here.
    pub fn inside(&self, id: &str) -> Option<Self> {
        let profile = self.delegate(id)?;
        let has = |spec: &&Arc<ToolSpec>| profile.tools.as_ref().is_none_or(|tools| tools.contains(&spec.name));
        let tools: ToolSet = self.tools.iter().filter(has).cloned().collect();
        let block: ToolSet = self.prefix.tools.iter().filter(has).cloned().collect();
        let reply_tokens = Limits::for_window(profile.model.window).reply_tokens.min(self.limits.reply_tokens);
        let narrowed = Self {
            prefix: Arc::new(Prefix::new(profile.system.clone(), &block)),
            tools: Arc::new(tools),
            limits: profile.limits.lower(Limits { reply_tokens, ..self.limits.clone() }),
            model: Arc::clone(&profile.model),
            fallbacks: profile.fallbacks.clone(),
            ..self.clone()
        };
        Some(narrowed.delegating(self.delegation_within(profile)))
    }

    /// The same for a delegate in the background, which has a purse of its own.
    pub fn behind(&self, id: &str) -> Option<Self> {
        let profile = self.delegate(id)?;
        let inner = self.inside(id)?;
        let purse = Limits { active_ms: BACKGROUND_MS, ..Limits::default() };
        let limits = profile.limits.lower(Limits { active_ms: BACKGROUND_MS, ..inner.limits });
        let delegation = Delegation { purse: Some(purse), ..inner.delegation };
        Some(Self { limits, delegation, ..inner })
    }

    fn delegation_within(&self, profile: &DelegateProfile) -> Delegation {
        Delegation {
            path: self.delegation.path.iter().cloned().chain([profile.id.clone()]).collect(),
            allowed: profile.delegates.clone(),
            profiles: Arc::clone(&self.delegation.profiles),
            depth: self.delegation.depth + 1,
            purse: Some(self.purse().clone()),
        }
    }
}

/// The tool as a model reads it that may run these profiles, each with what it is good for.
pub fn described<'a>(spec: &ToolSpec, profiles: impl IntoIterator<Item = (&'a str, &'a str)>) -> ToolSpec {
    let own = spec.description.split(PROFILES).next().unwrap_or(TOOL);
    let listed: String = profiles.into_iter().map(|(id, description)| format!("\n- {id}: {description}")).collect();
    ToolSpec { description: format!("{own}{PROFILES}{listed}"), ..spec.clone() }
}
