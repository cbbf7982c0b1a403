//! Profiles and commands: the bundled ones to be read, those of the person to be written. What is in them is read in
//! `domain`; translated here.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use domain::profile::{Kind, ProfileId};
use domain::slash::CommandFault;
use store::{TextKind, Wrote};

use super::once::finished;
use crate::extract::{Body, Unlocked};
use crate::problem::{Code, Field, Problem};
use crate::room::Room;
use crate::state::App;
use crate::wire::choice::{AgentList, AgentView, CommandList, CommandView, OwnTextView, RemoveForm, TextForm};
use crate::wiring::agents::{Agents, Listed, OWN};

/// All profiles.
pub(super) async fn list(Unlocked(room): Unlocked) -> Result<Json<AgentList>, Problem> {
    let agents = &room.settings.agents;
    let items = agents.agents().await?.iter().map(|listed| agent(agents, listed)).collect();
    Ok(Json(AgentList { items }))
}

/// One that cannot be read any more is listed with what is wrong with it.
fn agent(agents: &Agents, listed: &Listed) -> AgentView {
    let (id, own, version) = (listed.id(), listed.scope == OWN, listed.version);
    match agents.check(&listed.text) {
        Ok(profile) => AgentView {
            id,
            own,
            title: profile.name,
            description: profile.description,
            icon: profile.icon,
            kind: profile.kind.into(),
            version,
            faults: Vec::new(),
        },
        Err(faults) => AgentView {
            id,
            own,
            title: listed.name.clone(),
            description: String::new(),
            icon: None,
            kind: Kind::Chat.into(),
            version,
            faults: faults.iter().map(ToString::to_string).collect(),
        },
    }
}

/// All commands from files.
pub(super) async fn list_commands(Unlocked(room): Unlocked) -> Result<Json<CommandList>, Problem> {
    let agents = &room.settings.agents;
    let all = agents.commands().await?;
    let own = |name: &str| all.iter().any(|listed| listed.scope == OWN && listed.name == name);
    let items = all.iter().filter_map(|listed| {
        let command = agents.check_command(&listed.name, &listed.text).ok()?;
        Some(CommandView {
            id: listed.id(),
            own: listed.scope == OWN,
            description: command.description,
            argument_hint: command.argument_hint,
            version: listed.version,
            hidden: listed.scope != OWN && own(&listed.name),
            name: command.name,
        })
    });
    Ok(Json(CommandList { items: items.collect() }))
}

/// The text of a profile.
pub(super) async fn show(
    Unlocked(room): Unlocked,
    Path((scope, name)): Path<(String, String)>,
) -> Result<Json<OwnTextView>, Problem> {
    text(room.settings.agents.agents().await?, &scope, &name)
}

/// The text of a command.
pub(super) async fn show_command(
    Unlocked(room): Unlocked,
    Path((scope, name)): Path<(String, String)>,
) -> Result<Json<OwnTextView>, Problem> {
    text(room.settings.agents.commands().await?, &scope, &name)
}

fn text(all: Vec<Listed>, scope: &str, name: &str) -> Result<Json<OwnTextView>, Problem> {
    let found = all.into_iter().find(|listed| listed.scope == scope && listed.name == name);
    let listed = found.ok_or_else(Problem::not_found)?;
    Ok(Json(OwnTextView { id: listed.id(), own: scope == OWN, version: listed.version, text: listed.text }))
}

/// Writes a profile. It holds from the next turn on; one that has a fault changes nothing.
pub(super) async fn write(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path((scope, name)): Path<(String, String)>,
    Body { value: form, .. }: Body<TextForm>,
) -> Result<Json<OwnTextView>, Problem> {
    only_own(&scope)?;
    ProfileId::new(&name).ok_or_else(|| {
        Problem::field("/name", "A profile's name is 1 to 64 of a-z, 0-9 and `-`. Choose another one.")
    })?;
    if let Err(faults) = room.settings.agents.check(&form.text) {
        return Err(misread(faults.iter().map(ToString::to_string)));
    }
    put(&app, room, TextKind::Agent, name, form).await
}

/// Writes a command.
pub(super) async fn write_command(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path((scope, name)): Path<(String, String)>,
    Body { value: form, .. }: Body<TextForm>,
) -> Result<Json<OwnTextView>, Problem> {
    only_own(&scope)?;
    match room.settings.agents.check_command(&name, &form.text) {
        Ok(_) => put(&app, room, TextKind::Command, name, form).await,
        Err(CommandFault::Text(faults)) => Err(misread(faults.iter().map(ToString::to_string))),
        Err(fault @ (CommandFault::Name | CommandFault::BuiltIn(_))) => {
            Err(Problem::field("/name", format!("{fault}.")))
        }
    }
}

/// Removes a profile. A turn that runs keeps the version that it was said to.
pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path((scope, name)): Path<(String, String)>,
    Body { value: form, .. }: Body<RemoveForm>,
) -> Result<StatusCode, Problem> {
    only_own(&scope)?;
    take(&app, room, TextKind::Agent, name, form).await
}

/// Removes a command.
pub(super) async fn remove_command(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path((scope, name)): Path<(String, String)>,
    Body { value: form, .. }: Body<RemoveForm>,
) -> Result<StatusCode, Problem> {
    only_own(&scope)?;
    take(&app, room, TextKind::Command, name, form).await
}

/// What lies inside the binary is read only.
fn only_own(scope: &str) -> Result<(), Problem> {
    match scope {
        OWN => Ok(()),
        crate::wiring::agents::BUNDLED => {
            Err(Problem::new(Code::NotAllowed, "What comes with Riad cannot be changed. Make a copy and change that."))
        }
        _ => Err(Problem::not_found()),
    }
}

/// Each fault with its line and column.
fn misread(faults: impl Iterator<Item = String>) -> Problem {
    let fields: Vec<Field> = faults.map(|detail| Field { pointer: "/text".to_owned(), detail }).collect();
    let first = fields.first().map(|field| field.detail.clone()).unwrap_or_default();
    Problem::new(Code::Invalid, format!("The text was not kept: {first}.")).fields(fields)
}

async fn put(
    app: &Arc<App>,
    room: Arc<Room>,
    kind: TextKind,
    name: String,
    form: TextForm,
) -> Result<Json<OwnTextView>, Problem> {
    let now = app.now();
    finished(async move {
        let TextForm { text, seen } = form;
        let wrote = room.vault.write_own_text(kind, name.clone(), seen, text.clone(), now).await?;
        let version = version(wrote)?;
        room.hub.hint("agents", None);
        Ok(Json(OwnTextView { id: format!("{OWN}/{name}"), own: true, version, text }))
    })
    .await
}

async fn take(
    app: &Arc<App>,
    room: Arc<Room>,
    kind: TextKind,
    name: String,
    form: RemoveForm,
) -> Result<StatusCode, Problem> {
    let now = app.now();
    finished(async move {
        version(room.vault.remove_own_text(kind, name, form.seen, now).await?)?;
        room.hub.hint("agents", None);
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

fn version(wrote: Wrote) -> Result<u64, Problem> {
    match wrote {
        Wrote::Version(version) => Ok(version),
        Wrote::Stale => Err(Problem::new(Code::Stale, "It has changed since you read it. Read it again.")),
        Wrote::Full => Err(Problem::new(Code::Invalid, "There are 200 of them already. Remove some first.")),
    }
}
