//! Tokens and times of a conversation. Unknown numbers are absent, never 0.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use domain::conversation::Conversation;
use domain::effect::Effect;
use domain::entry::{Body, Entry};
use domain::id::EntryNumber;
use domain::model::Usage;
use harness::ports::Journal as _;
use serde::Serialize;
use serde_json::{Value, json};

use super::conversations::{find, journal_problem};
use crate::extract::Unlocked;
use crate::problem::Problem;
use crate::state::App;

#[derive(Serialize)]
struct Round {
    round: usize,
    model: String,
    #[serde(flatten)]
    usage: Usage,
}

/// Rounds with their numbers, totals, the window, and the tokens of the next prompt where they are known.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let id = find(&room, &id).await?.id;
    let entries = room.vault.load(&id, EntryNumber::default()).await.map_err(journal_problem)?;
    let rounds = rounds(&entries);
    let sum = |part: fn(&Usage) -> Option<u32>| {
        let known: Vec<u64> = rounds.iter().filter_map(|round| part(&round.usage)).map(u64::from).collect();
        (!known.is_empty()).then(|| known.iter().sum::<u64>())
    };
    let mut answer = json!({
        "rounds": rounds,
        "totals": { "prompt": sum(|usage| usage.prompt), "decoded": sum(|usage| usage.decoded) },
        "window": app.model().describe().window,
    });
    let setting = room.ports().settings.current(&id).await.map_err(Problem::internal)?;
    if let Effect::Sample(request) = Conversation::fold(id, &entries).next(&setting)
        && let Ok(Some(tokens)) = app.model().count(&request.prompt).await
    {
        answer["next_prompt"] = tokens.into();
    }
    Ok(Json(answer))
}

fn rounds(entries: &[Entry]) -> Vec<Round> {
    let replies = entries.iter().filter_map(|entry| {
        let Body::Replied(reply) = &entry.body else { return None };
        Some(&reply.sampled)
    });
    replies
        .enumerate()
        .map(|(index, said)| Round { round: index + 1, model: said.model.clone(), usage: said.usage.clone() })
        .collect()
}
