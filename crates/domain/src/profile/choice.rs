//! What a person chooses for a conversation, or for all of which nothing else is chosen, and what such a choice may be: a
//! model is not chosen beyond where the conversation may travel, and no conversation travels beyond what others allow.

use thiserror::Error;

use super::{ModelWish, Offer, Wishes};
use crate::model::Tier;
use crate::slash::nearest;

/// What was chosen. `None`: nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Which model answers.
    pub model: Option<String>,
    /// Which profile answers, with its scope.
    pub profile: Option<String>,
    /// How far it may travel.
    pub tier: Option<Tier>,
}

/// How far a conversation may travel by what others than itself say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// What its person chose for all of theirs.
    pub person: Option<Tier>,
    /// As far as the usual model is; it holds where nobody chose.
    pub usual: Tier,
    /// What the operator allows.
    pub farthest: Tier,
}

/// Why a choice is none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ChoiceFault {
    /// No model has that name.
    #[error("There is no model {name} here.{}", near(.nearest))]
    NoModel {
        /// The name, clipped.
        name: String,
        /// The names that are nearest.
        nearest: Vec<String>,
    },
    /// The model is further away than the conversation may travel.
    #[error("{model} is {}, and {}. Let it travel further first, or choose another model.", away(*.tier), stays(*.may))]
    ModelTooFar {
        /// The model.
        model: String,
        /// Where it is.
        tier: Tier,
        /// How far it may travel.
        may: Tier,
    },
    /// Others say that it stays nearer.
    #[error("{}: that is {}.", stays(*.most), .whose)]
    TierTooFar {
        /// The most there is.
        most: Tier,
        /// Who says so.
        whose: &'static str,
    },
}

impl Reach {
    /// The most that can be chosen for a conversation.
    pub fn most(&self) -> Tier {
        self.person.unwrap_or(Tier::Any).min(self.farthest)
    }

    /// How far a conversation travels of which this was chosen.
    pub fn of(&self, tier: Option<Tier>) -> Tier {
        tier.or(self.person).unwrap_or(self.usual).min(self.most())
    }
}

impl Choice {
    /// What it wishes, as one layer of several.
    pub fn wishes(&self) -> Wishes {
        Wishes { model: self.model.as_ref().map(ModelWish::pinned), tier: self.tier, ..Wishes::default() }
    }

    /// The choice, if it can be one. A model that was chosen earlier gives way where the conversation is to stay nearer
    /// now.
    pub fn fitted(mut self, before: &Choice, offers: &[Offer], reach: &Reach) -> Result<Self, ChoiceFault> {
        if let Some(tier) = self.tier.filter(|tier| *tier > reach.most()) {
            let operator = tier > reach.farthest;
            let whose = if operator { "what the operator allows" } else { "what you chose for all your conversations" };
            return Err(ChoiceFault::TierTooFar { most: reach.most(), whose });
        }
        let may = reach.of(self.tier);
        if let Some(name) = self.model.clone() {
            match offers.iter().find(|offer| offer.name == name) {
                Some(offer) if offer.tier <= may => {}
                Some(_) if before.model.as_ref() == Some(&name) => self.model = None,
                Some(offer) => return Err(ChoiceFault::ModelTooFar { model: name, tier: offer.tier, may }),
                None if before.model.as_ref() == Some(&name) => self.model = None,
                None => return Err(no_model(&name, offers)),
            }
        }
        Ok(self)
    }
}

/// A model for one message: it has to be there, and near enough.
pub fn for_one_message(name: &str, offers: &[Offer], may: Tier) -> Result<(), ChoiceFault> {
    match offers.iter().find(|offer| offer.name == name) {
        Some(offer) if offer.tier <= may => Ok(()),
        Some(offer) => Err(ChoiceFault::ModelTooFar { model: name.to_owned(), tier: offer.tier, may }),
        None => Err(no_model(name, offers)),
    }
}

/// The name of a model as a person may write it: whole, or a part that only one of them has.
pub fn meant<'a>(written: &str, offers: &'a [Offer]) -> Option<&'a Offer> {
    let written = written.to_lowercase();
    let whole = offers.iter().find(|offer| offer.name.to_lowercase() == written);
    let mut parts = offers.iter().filter(|offer| offer.name.to_lowercase().contains(&written));
    whole.or_else(|| parts.next().filter(|_| parts.next().is_none()))
}

fn no_model(name: &str, offers: &[Offer]) -> ChoiceFault {
    let nearest = nearest(name, offers.iter().map(|offer| offer.name.as_str()));
    let name = name.chars().take(100).collect();
    ChoiceFault::NoModel { name, nearest: nearest.into_iter().map(str::to_owned).collect() }
}

fn near(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!(" Near are {}.", nearest.join(", ")) }
}

fn away(tier: Tier) -> &'static str {
    match tier {
        Tier::Device => "on this machine",
        Tier::Trusted => "on another machine",
        Tier::Any => "at a service elsewhere",
    }
}

/// A sentence without its end.
fn stays(tier: Tier) -> &'static str {
    match tier {
        Tier::Device => "what is said here stays on this machine",
        Tier::Trusted => "what is said here stays on machines that are trusted",
        Tier::Any => "what is said here may go anywhere",
    }
}

#[cfg(test)]
mod tests;
