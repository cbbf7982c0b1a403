//! Tokens and times of a conversation, and what its next prompt would take. Unknown numbers are absent, never 0.

use axum::Json;
use axum::extract::Path;
use domain::conversation::Conversation;
use domain::entry::{Body as Fact, Entry};
use domain::id::{ConversationId, EntryNumber, MessageId};
use domain::message::Message;
use domain::model::{Reply, Usage};
use domain::slash::{self, Meaning};
use harness::ports::Journal as _;

use super::conversations::{find, journal_problem};
use crate::aside::aside;
use crate::extract::{Body, Unlocked};
use crate::panel::{self, PATIENCE, Panel};
use crate::problem::Problem;
use crate::room::Room;
use crate::wire::usage::{ConversationUsage, DraftForm, PromptUsage, RoundUsage, UsageTotals};

/// Rounds with their numbers, totals, the window, and the next prompt by segment.
pub(super) async fn show(Unlocked(room): Unlocked, Path(id): Path<String>) -> Result<Json<ConversationUsage>, Problem> {
    let id = find(&room, &id).await?.id;
    of(&room, id).await.map(Json)
}

/// The same, for whoever asks.
pub(super) async fn of(room: &Room, id: ConversationId) -> Result<ConversationUsage, Problem> {
    let entries = room.vault.load(&id, EntryNumber::default()).await.map_err(journal_problem)?;
    let replies: Vec<_> = entries.iter().filter_map(reply).collect();
    let sum = |part: fn(&Usage) -> Option<u32>| {
        let known: Vec<u64> = replies.iter().filter_map(|reply| part(&reply.sampled.usage)).map(u64::from).collect();
        (!known.is_empty()).then(|| known.iter().sum::<u64>())
    };
    let totals = UsageTotals { prompt: sum(|usage| usage.prompt), decoded: sum(|usage| usage.decoded) };
    let failed = entries.iter().filter(|entry| matches!(entry.body, Fact::Faltered(_))).count();
    let rounds = replies.iter().enumerate().map(|(index, reply)| round(index, reply)).collect();
    let next = planned(room, &Conversation::fold(id, &entries)).await?;
    Ok(ConversationUsage { rounds, totals, failed, window: next.budget.window, next: PromptUsage::from(&next) })
}

/// What the next prompt would take if a draft were said now. A command of Riad is no message and adds nothing.
pub(super) async fn preview(
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Body { value: form, .. }: Body<DraftForm>,
) -> Result<Json<PromptUsage>, Problem> {
    let id = find(&room, &id).await?.id;
    let conversation = room.fold(&id).await.map_err(journal_problem)?;
    let commands = room.settings.agents.spoken().await?;
    let text = match slash::meaning(&form.text, &commands) {
        Meaning::Words(text) => text.into_owned(),
        Meaning::Command(command, args) => command.expand(args),
        Meaning::BuiltIn(..) | Meaning::Unknown { .. } => String::new(),
    };
    let now = room.ports().clock.now();
    let said = match Message::new(MessageId::new("draft"), text, Some(aside(now, &room.zone))) {
        Ok(message) => panel::with_draft(&conversation, message, now),
        Err(_) => conversation,
    };
    let next = planned(&room, &said).await?;
    Ok(Json(PromptUsage::from(&next)))
}

async fn planned(room: &Room, conversation: &Conversation) -> Result<Panel, Problem> {
    let setting = room.ports().settings.current(conversation.id(), conversation.live()).await;
    Ok(panel::of(room.ports(), conversation, &setting.map_err(Problem::internal)?, PATIENCE).await)
}

fn reply(entry: &Entry) -> Option<&Reply> {
    let Fact::Replied(reply) = &entry.body else { return None };
    Some(reply)
}

fn round(index: usize, reply: &Reply) -> RoundUsage {
    let planned = reply.counted.and_then(|counted| counted.segments);
    RoundUsage {
        round: index + 1,
        model: reply.sampled.model.clone(),
        counted: reply.counted.map(|counted| counted.tokens),
        segments: planned.as_ref().map(Into::into),
        usage: (&reply.sampled.usage).into(),
    }
}
