//! Which models there are, and which model and profile answer where. What a choice may be is decided in `domain`;
//! translated here.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use domain::id::ConversationId;
use domain::message::Wanted;
use domain::model::Tier;
use domain::profile::choice::for_one_message;
use domain::profile::{Choice, ChoiceFault, Kind, Profile};

use super::conversations::find;
use super::once::finished;
use crate::extract::{Authenticated, Body, Unlocked};
use crate::problem::Problem;
use crate::room::Room;
use crate::state::App;
use crate::wire::choice::{ChoiceForm, ChoiceView, HoldsView, ModelList};
use crate::wiring::OfPerson;

/// All models, and whether they can answer now.
pub(super) async fn models(State(app): State<Arc<App>>, _: Authenticated) -> Json<ModelList> {
    let resting = app.wiring.rests.at(app.now());
    Json(ModelList { models: app.wiring.models.views(&resting) })
}

/// What is chosen for a conversation.
pub(super) async fn show(Unlocked(room): Unlocked, Path(id): Path<String>) -> Result<Json<ChoiceView>, Problem> {
    let id = find(&room, &id).await?.id;
    view(&room, Some(&id)).await.map(Json)
}

/// What is chosen where nothing else is.
pub(super) async fn show_usual(Unlocked(room): Unlocked) -> Result<Json<ChoiceView>, Problem> {
    view(&room, None).await.map(Json)
}

/// Chooses for a conversation. A turn in it that was held goes on.
pub(super) async fn change(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Body { value: form, .. }: Body<ChoiceForm>,
) -> Result<Json<ChoiceView>, Problem> {
    let id = find(&room, &id).await?.id;
    finished(async move {
        choose(&app, &room, Some(&id), form).await?;
        view(&room, Some(&id)).await.map(Json)
    })
    .await
}

/// Chooses for all conversations of which nothing else is chosen.
pub(super) async fn change_usual(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Body { value: form, .. }: Body<ChoiceForm>,
) -> Result<Json<ChoiceView>, Problem> {
    finished(async move {
        choose(&app, &room, None, form).await?;
        view(&room, None).await.map(Json)
    })
    .await
}

/// Writes a choice down if it can be one.
pub(super) async fn choose(
    app: &App,
    room: &Room,
    id: Option<&ConversationId>,
    form: ChoiceForm,
) -> Result<(), Problem> {
    let settings = &room.settings;
    let before = settings.choices.get(id).await?;
    let person = if id.is_some() { settings.choices.get(None).await? } else { Choice::default() };
    let mut choice = before.clone();
    taken(&mut choice.model, form.model);
    taken(&mut choice.profile, form.profile);
    if let Some(word) = form.tier {
        choice.tier = tier(&word)?;
    }
    let choice = choice.fitted(&before, settings.models.offers(), &settings.reach(&person)).map_err(fault)?;
    if choice.profile != before.profile {
        check_profile(settings, choice.profile.as_deref()).await?;
    }
    settings.choices.put(id, choice, app.now()).await?;
    room.hub.hint("choice", id.map(ToString::to_string));
    if let Some(id) = id {
        room.sessions.wake(id);
    }
    Ok(())
}

/// What is absent stays; an empty word takes the choice back.
fn taken(choice: &mut Option<String>, word: Option<String>) {
    if let Some(word) = word {
        *choice = Some(word).filter(|word| !word.is_empty());
    }
}

fn tier(word: &str) -> Result<Option<Tier>, Problem> {
    match word {
        "" => Ok(None),
        "device" => Ok(Some(Tier::Device)),
        "trusted" => Ok(Some(Tier::Trusted)),
        "any" => Ok(Some(Tier::Any)),
        _ => Err(Problem::field("/tier", "How far it may travel is one of device, trusted, any.")),
    }
}

fn fault(fault: ChoiceFault) -> Problem {
    match fault {
        ChoiceFault::NoModel { .. } | ChoiceFault::ModelTooFar { .. } => Problem::field("/model", fault),
        ChoiceFault::TierTooFar { .. } => Problem::field("/tier", fault),
    }
}

async fn check_profile(settings: &OfPerson, id: Option<&str>) -> Result<(), Problem> {
    let Some(id) = id else { return Ok(()) };
    let ready = settings.agents.newest(id).await.map_err(|reason| Problem::field("/profile", reason))?;
    match ready.map(|ready| ready.profile.kind) {
        Some(Kind::Chat | Kind::Task) => Ok(()),
        Some(Kind::System) => {
            Err(Problem::field("/profile", "This profile is used by Riad itself. Choose another one."))
        }
        None => Err(Problem::field("/profile", "There is no such profile. Look at the list.")),
    }
}

/// Who is to answer a message that is said now.
pub(super) async fn wanted(room: &Room, id: &ConversationId, model: Option<String>) -> Result<Wanted, Problem> {
    let settings = &room.settings;
    let chosen = settings.chosen(Some(id), &Wanted::default()).await.map_err(Problem::internal)?;
    if let Some(name) = &model {
        for_one_message(name, settings.models.offers(), settings.tier(&chosen)).map_err(fault)?;
    }
    Ok(Wanted { model, profile: Some(chosen.ready.version.clone()) })
}

/// What is chosen and what holds by it.
pub(super) async fn view(room: &Room, id: Option<&ConversationId>) -> Result<ChoiceView, Problem> {
    let settings = &room.settings;
    let chosen = settings.chosen(id, &Wanted::default()).await.map_err(Problem::internal)?;
    let (model, fallbacks) = settings.line_up(&chosen);
    let own = if id.is_some() { &chosen.conversation } else { &chosen.person };
    let others = if id.is_some() { chosen.person.clone() } else { Choice::default() };
    let named = chosen.conversation.profile.clone().or_else(|| chosen.person.profile.clone());
    let holds = HoldsView {
        model: model.name.clone(),
        model_tier: model.tier.into(),
        fallbacks: fallbacks.iter().map(|model| model.name.clone()).collect(),
        profile: chosen.ready.version.id.clone(),
        profile_title: title(&chosen.ready.profile),
        tier: settings.tier(&chosen).into(),
        most: settings.reach(&others).most().into(),
        missing: named.filter(|named| *named != chosen.ready.version.id),
    };
    Ok(ChoiceView { model: own.model.clone(), profile: own.profile.clone(), tier: own.tier.map(Into::into), holds })
}

/// A profile's name with its sign.
pub(super) fn title(profile: &Profile) -> String {
    match &profile.icon {
        Some(icon) => format!("{icon} {}", profile.name),
        None => profile.name.clone(),
    }
}
