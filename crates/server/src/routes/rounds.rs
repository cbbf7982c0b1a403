//! The figures of each round of a conversation, without any text of a message (LOOP-105). Computed in `domain`; the list
//! price of the model that answered is put beside them.

use axum::Json;
use axum::extract::Path;
use domain::id::EntryNumber;
use domain::rounds::{self, RoundFigures};
use harness::ports::Journal as _;
use serde::Serialize;

use super::conversations::{find, journal_problem};
use crate::extract::Unlocked;
use crate::problem::Problem;
use crate::wiring::Models;

/// All rounds, oldest first. A document for programs; no page reads it.
#[derive(Debug, Serialize)]
pub(super) struct RoundsDocument {
    schema: u32,
    conversation: String,
    rounds: Vec<Priced>,
}

#[derive(Debug, Serialize)]
struct Priced {
    #[serde(flatten)]
    figures: RoundFigures,
    /// By the list price, in the provider's currency; `null` where it is not known.
    cost: Option<f64>,
}

/// The figures of a conversation.
pub(super) async fn show(Unlocked(room): Unlocked, Path(id): Path<String>) -> Result<Json<RoundsDocument>, Problem> {
    let id = find(&room, &id).await?.id;
    let entries = room.vault.load(&id, EntryNumber::default()).await.map_err(journal_problem)?;
    let models = &room.settings.models;
    let rounds = rounds::of(&entries).into_iter().map(|figures| Priced { cost: cost(models, &figures), figures });
    Ok(Json(RoundsDocument { schema: 1, conversation: id.to_string(), rounds: rounds.collect() }))
}

fn cost(models: &Models, figures: &RoundFigures) -> Option<f64> {
    models.named(&figures.model)?.price?.of(&figures.usage)
}
