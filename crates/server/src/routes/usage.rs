//! Tokens and times of a conversation. Unknown numbers are absent, never 0.

use axum::Json;
use axum::extract::Path;
use domain::conversation::Conversation;
use domain::effect::Effect;
use domain::entry::{Body, Entry};
use domain::id::{ConversationId, EntryNumber};
use domain::model::{Sampled, Usage};
use harness::ports::Journal as _;

use super::conversations::{find, journal_problem};
use crate::extract::Unlocked;
use crate::problem::Problem;
use crate::room::Room;
use crate::wire::usage::{ConversationUsage, RoundUsage, UsageTotals};

/// Rounds with their numbers, totals, the window, and the tokens of the next prompt where they are known.
pub(super) async fn show(Unlocked(room): Unlocked, Path(id): Path<String>) -> Result<Json<ConversationUsage>, Problem> {
    let id = find(&room, &id).await?.id;
    of(&room, id).await.map(Json)
}

/// The same, for whoever asks.
pub(super) async fn of(room: &Room, id: ConversationId) -> Result<ConversationUsage, Problem> {
    let entries = room.vault.load(&id, EntryNumber::default()).await.map_err(journal_problem)?;
    let replies: Vec<_> = entries.iter().filter_map(reply).collect();
    let sum = |part: fn(&Usage) -> Option<u32>| {
        let known: Vec<u64> = replies.iter().filter_map(|said| part(&said.usage)).map(u64::from).collect();
        (!known.is_empty()).then(|| known.iter().sum::<u64>())
    };
    let totals = UsageTotals { prompt: sum(|usage| usage.prompt), decoded: sum(|usage| usage.decoded) };
    let rounds = replies.iter().enumerate().map(|(index, said)| round(index, said)).collect();
    let conversation = Conversation::fold(id, &entries);
    let setting = room.ports().settings.current(conversation.id(), conversation.live()).await;
    let setting = setting.map_err(Problem::internal)?;
    let mut next_prompt = None;
    if let Effect::Sample(request) = conversation.next(&setting)
        && let Some(model) = room.ports().model(&request.model)
    {
        next_prompt = model.count(&request.prompt).await.ok().flatten();
    }
    Ok(ConversationUsage { rounds, totals, window: setting.model.window, next_prompt })
}

fn reply(entry: &Entry) -> Option<&Sampled> {
    let Body::Replied(reply) = &entry.body else { return None };
    Some(&reply.sampled)
}

fn round(index: usize, said: &Sampled) -> RoundUsage {
    RoundUsage { round: index + 1, model: said.model.clone(), usage: (&said.usage).into() }
}
