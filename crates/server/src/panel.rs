//! What the next prompt of a conversation would take, by segment, before it is sent: the rows of the usage panel. It
//! records nothing and sends nothing to anybody but the model on this machine that counts.

use std::time::Duration;

use domain::conversation::Conversation;
use domain::entry::{Body, Entry};
use domain::id::{FrameId, TurnId};
use domain::message::Message;
use domain::model::Tier;
use domain::plan::{Budget, Counts, Measure, Segments};
use domain::setting::Setting;
use domain::time::Timestamp;
use harness::ports::Ports;

/// How long a model may take to count before its tokens are estimated: a person waits for it (UI-52).
pub const PATIENCE: Duration = Duration::from_millis(250);

/// A prompt by segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    /// The model that would answer.
    pub model: String,
    /// How far the prompt would travel.
    pub tier: Tier,
    /// Tokens by segment; they add up to `total`.
    pub rows: Segments,
    /// Tokens of the prompt.
    pub total: u32,
    /// How the total is known.
    pub measure: Measure,
    /// Of the total, what the model has in memory; where it does not say, `None`.
    pub cached: Option<u32>,
    /// Tokens that prompt and reply share, and those of them that are kept for the reply.
    pub budget: Budget,
}

impl Panel {
    /// Whether something is folded before this prompt is sent.
    pub fn folds_first(&self) -> bool {
        self.total > self.budget.room(self.measure)
    }
}

/// The prompt that would be next. A model that does not count within `patience`, or not at all, is estimated.
pub async fn of(ports: &Ports, conversation: &Conversation, setting: &Setting, patience: Duration) -> Panel {
    let (prompt, model) = (conversation.prompt(setting), &setting.model);
    let correction = conversation.standing().correction(&model.name);
    let counted = match ports.model(&model.name) {
        Some(answering) => tokio::time::timeout(patience, answering.counts(&prompt)).await.ok().and_then(Result::ok),
        None => None,
    };
    let counts = counted.flatten().unwrap_or_else(|| Counts::estimated(&prompt, correction));
    let stated = correction.and_then(|correction| correction.window).unwrap_or(model.window);
    Panel {
        model: model.name.clone(),
        tier: model.tier,
        rows: Segments::of(&counts, conversation.thread().places(), conversation.live().is_some()),
        total: counts.total(),
        measure: counts.measure,
        cached: counts.cached,
        budget: Budget::new(stated.min(model.window), model.output_cap, setting.limits.reply_tokens),
    }
}

/// The conversation as it would be if this were said now.
pub fn with_draft(conversation: &Conversation, message: Message, now: Timestamp) -> Conversation {
    let mut said = conversation.clone();
    let (turn, number) = (TurnId::new("draft"), conversation.head().next());
    let version = domain::entry::VERSION;
    said.apply(&Entry { number, version, at: now, turn, frame: FrameId::outer(), body: Body::Said(message) });
    said
}
