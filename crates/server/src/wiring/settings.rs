//! What holds now, read anew before every effect: which profile and models answer, by what was chosen, and the rules in
//! force.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use domain::delegate::Delegation;
use domain::id::ConversationId;
use domain::limits::Limits;
use domain::message::Wanted;
use domain::model::{ModelDescription, Tier};
use domain::profile::{Choice, Layers, LineUp, ModelWish, Reach, Resolved, Wishes, line_up, resolve};
use domain::rule::RuleSet;
use domain::setting::Setting;
use domain::turn::Turn;
use harness::ports::Settings;

use super::agents::{Agents, Ready};
use super::choices::Choices;
use super::model::Models;

/// The settings of one person.
pub(crate) struct OfPerson {
    /// Profiles and commands.
    pub(crate) agents: Arc<Agents>,
    /// What was chosen.
    pub(crate) choices: Arc<Choices>,
    /// Who can answer.
    pub(crate) models: Models,
    pub(super) rules: Arc<RuleSet>,
}

/// What was chosen, all layers of it.
pub(crate) struct Chosen {
    /// For the conversation.
    pub(crate) conversation: Choice,
    /// For all conversations of the person.
    pub(crate) person: Choice,
    /// The profile that answers.
    pub(crate) ready: Arc<Ready>,
    /// All of it joined.
    resolved: Resolved,
}

impl OfPerson {
    /// What is chosen for a conversation, or, for none, for a new one. What a message wants holds for the turn that it
    /// opens.
    pub(crate) async fn chosen(&self, id: Option<&ConversationId>, wanted: &Wanted) -> Result<Chosen, String> {
        let get = async |id| self.choices.get(id).await.map_err(|error| error.to_string());
        let person = get(None).await?;
        let conversation = if id.is_some() { get(id).await? } else { Choice::default() };
        self.joined(conversation, person, wanted).await
    }

    async fn joined(&self, conversation: Choice, person: Choice, wanted: &Wanted) -> Result<Chosen, String> {
        let ready = match &wanted.profile {
            Some(version) => self.agents.at(version).await?,
            None => {
                let ids = [&conversation.profile, &person.profile].into_iter().flatten().cloned();
                self.agents.first(ids).await?
            }
        };
        let message = Wishes { model: wanted.model.as_ref().map(ModelWish::pinned), ..Wishes::default() };
        let resolved = resolve(&Layers {
            message,
            conversation: conversation.wishes(),
            person: person.wishes(),
            profile: ready.profile.wishes(),
            instance: self.models.wishes(),
            ..Layers::default()
        });
        Ok(Chosen { conversation, person, ready, resolved })
    }

    /// How far a conversation may travel by what others than itself say.
    pub(crate) fn reach(&self, person: &Choice) -> Reach {
        Reach { person: person.tier, usual: self.models.usual().tier(), farthest: self.models.farthest() }
    }

    /// How far it may travel.
    pub(crate) fn tier(&self, chosen: &Chosen) -> Tier {
        self.reach(&chosen.person).of(chosen.conversation.tier)
    }

    /// The models that answer, the first one first.
    pub(crate) fn line_up(&self, chosen: &Chosen) -> (Arc<ModelDescription>, Vec<Arc<ModelDescription>>) {
        self.models_for(chosen.resolved.model.as_ref(), self.tier(chosen))
    }

    /// The same by this wish and tier.
    pub(super) fn models_for(
        &self,
        wish: Option<&ModelWish>,
        tier: Tier,
    ) -> (Arc<ModelDescription>, Vec<Arc<ModelDescription>>) {
        let LineUp { first, fallbacks } = line_up(self.models.offers(), wish, tier);
        (self.describe(first), fallbacks.into_iter().map(|place| self.describe(place)).collect())
    }

    fn describe(&self, place: usize) -> Arc<ModelDescription> {
        let name = self.models.offers().get(place).map(|offer| offer.name.as_str());
        let model = name.and_then(|name| self.models.named(name)).unwrap_or_else(|| self.models.usual());
        Arc::new(model.model.describe())
    }
}

#[async_trait]
impl Settings for OfPerson {
    async fn current(&self, id: &ConversationId, turn: Option<&Turn>) -> Result<Setting, String> {
        let opening = turn.and_then(|turn| turn.opening().last()).map(|message| message.wanted.clone());
        let chosen = self.chosen(Some(id), &opening.unwrap_or_default()).await?;
        let (model, fallbacks) = self.line_up(&chosen);
        let setting = Setting {
            prefix: Arc::clone(&chosen.ready.prefix),
            tools: Arc::clone(&chosen.ready.tools),
            rules: Arc::clone(&self.rules),
            // A local model knows its window only once it is loaded.
            limits: chosen.resolved.limits.lower(Limits::for_window(model.window)),
            tier: self.tier(&chosen),
            resting: BTreeSet::new(),
            delegation: Delegation::default(),
            model,
            fallbacks,
        };
        Ok(self.with_delegates(setting, &chosen))
    }
}
