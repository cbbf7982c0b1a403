//! Messages that are commands of Riad: answered at once and kept nowhere, but for what they do. No model reads them;
//! `/compact` and `/retry` have one work.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Response;
use domain::digest::Digest;
use domain::entry::{Body as Fact, Entry};
use domain::id::{ConversationId, EntryNumber, MessageId};
use domain::message::Message;
use domain::model::Tier;
use domain::profile::choice::meant;
use domain::rule::{Rule, RuleVerdict};
use domain::setting::Setting;
use domain::slash::{BuiltIn, Command};
use harness::act;
use harness::ports::Journal as _;

use super::choice;
use super::conversations::journal_problem;
use super::messages::act_problem;
use super::once::{Done, once};
use super::usage;
use crate::problem::{Code, Problem};
use crate::room::Room;
use crate::state::App;
use crate::wire::answer::{ClientAct, CommandAnswer, CommandRow};
use crate::wire::choice::ChoiceForm;
use crate::wiring::agents::Listed;

/// What a command is given.
pub(super) struct Asked {
    pub(super) app: Arc<App>,
    pub(super) room: Arc<Room>,
    /// The conversation in which it was typed.
    pub(super) id: ConversationId,
    /// The request's key and what it holds.
    pub(super) key: String,
    pub(super) request: Digest,
}

/// The refusal of a name that is no command.
pub(super) fn unknown(name: &str, nearest: &[String]) -> Problem {
    let near: Vec<String> = nearest.iter().map(|name| format!("/{name}")).collect();
    let near = near.join(", ");
    Problem::field(
        "/text",
        format!("There is no command /{name}. Near are {near}. To say it to the assistant, begin with //."),
    )
}

/// Does what a command says. `/retry` is a message and no part of this.
pub(super) async fn run(asked: Asked, which: BuiltIn, args: &str) -> Result<Response, Problem> {
    let takes_a_name = matches!(which, BuiltIn::Model | BuiltIn::Agent);
    if takes_a_name && !args.is_empty() {
        return acts(asked, which, args.to_owned()).await;
    }
    if !args.is_empty() {
        let name = which.name();
        return Err(Problem::field("/text", format!("/{name} takes nothing behind it. Send /{name} alone.")));
    }
    match which {
        BuiltIn::Stop | BuiltIn::Compact | BuiltIn::Branch => acts(asked, which, String::new()).await,
        BuiltIn::Help
        | BuiltIn::New
        | BuiltIn::Model
        | BuiltIn::Agent
        | BuiltIn::Context
        | BuiltIn::Usage
        | BuiltIn::Retry
        | BuiltIn::Tools
        | BuiltIn::Skills
        | BuiltIn::Rules
        | BuiltIn::Undo => Ok(done(&tells(&asked, which).await?).response(false)),
    }
}

fn done(answer: &CommandAnswer) -> Done {
    Done::new(StatusCode::OK, answer)
}

fn answer(which: BuiltIn, says: impl Into<String>, rows: Vec<CommandRow>) -> CommandAnswer {
    CommandAnswer { command: which.name(), says: says.into(), rows, act: None }
}

fn row(name: impl Into<String>, says: impl Into<String>) -> CommandRow {
    CommandRow { name: name.into(), says: says.into() }
}

/// Commands that change something, once a request.
async fn acts(asked: Asked, which: BuiltIn, args: String) -> Result<Response, Problem> {
    let Asked { app, room, id, key, request } = asked;
    let route = format!("command {id}");
    let work = {
        let (app, room) = (Arc::clone(&app), Arc::clone(&room));
        async move {
            let says = match which {
                BuiltIn::Stop => stop(&room, &id).await?.to_owned(),
                BuiltIn::Compact => compact(&room, &id).await?.to_owned(),
                BuiltIn::Branch => branch(&room, &id).await?.to_owned(),
                BuiltIn::Model => choose_model(&app, &room, &id, &args).await?,
                BuiltIn::Agent => choose_agent(&app, &room, &id, args).await?,
                BuiltIn::Help
                | BuiltIn::New
                | BuiltIn::Context
                | BuiltIn::Usage
                | BuiltIn::Retry
                | BuiltIn::Tools
                | BuiltIn::Skills
                | BuiltIn::Rules
                | BuiltIn::Undo => return Err(Problem::internal("a command that changes nothing was told to")),
            };
            Ok(done(&answer(which, says, Vec::new())))
        }
    };
    once(&app, &room, key, route, request, work).await
}

async fn stop(room: &Arc<Room>, id: &ConversationId) -> Result<&'static str, Problem> {
    let conversation = room.fold(id).await.map_err(journal_problem)?;
    let Some(turn) = conversation.live().map(|turn| turn.id().clone()) else { return Ok("No turn runs here.") };
    if act::stop(room.desk(), id, &turn).await.map_err(act_problem)? {
        room.sessions.stop(id, &turn);
        room.sessions.wake(id);
    }
    Ok("The turn is stopped.")
}

async fn compact(room: &Arc<Room>, id: &ConversationId) -> Result<&'static str, Problem> {
    act::compact(room.desk(), id).await.map_err(act_problem)?;
    room.sessions.wake(id);
    Ok("Old turns become a summary in what the model reads, as soon as nothing else is to be done. Nothing is deleted.")
}

async fn branch(room: &Arc<Room>, id: &ConversationId) -> Result<&'static str, Problem> {
    let conversation = room.fold(id).await.map_err(journal_problem)?;
    act::branch(room.desk(), id, conversation.head()).await.map_err(act_problem)?;
    Ok("This is a new line of the conversation. The one before stays as it is.")
}

/// Takes the model of that name for the conversation; `usual` takes the choice back.
async fn choose_model(app: &App, room: &Room, id: &ConversationId, name: &str) -> Result<String, Problem> {
    let name = match name {
        "usual" => String::new(),
        name => meant(name, room.settings.models.offers()).map_or(name, |offer| offer.name.as_str()).to_owned(),
    };
    let form = ChoiceForm { model: Some(name), ..ChoiceForm::default() };
    choice::choose(app, room, Some(id), form).await.map_err(Problem::in_text)?;
    let holds = choice::view(room, Some(id)).await?.holds;
    Ok(format!("{} answers here from now on.", holds.model))
}

/// Takes the profile of that name, with its scope or without, from the next turn on; `usual` takes the choice back.
async fn choose_agent(app: &App, room: &Room, id: &ConversationId, name: String) -> Result<String, Problem> {
    let all = room.settings.agents.agents().await?;
    let mut fitting = all.iter().rev().filter(|each| each.id() == name || each.name == name);
    let profile = match name.as_str() {
        "usual" => String::new(),
        _ => fitting.next().map_or(name, Listed::id),
    };
    let form = ChoiceForm { profile: Some(profile), ..ChoiceForm::default() };
    choice::choose(app, room, Some(id), form).await.map_err(Problem::in_text)?;
    let holds = choice::view(room, Some(id)).await?.holds;
    Ok(format!("{} answers here from the next turn on.", holds.profile_title))
}

/// Commands that only tell.
async fn tells(asked: &Asked, which: BuiltIn) -> Result<CommandAnswer, Problem> {
    let (app, room) = (&asked.app, &asked.room);
    let setting = room.ports().settings.current(&asked.id, None).await.map_err(Problem::internal)?;
    Ok(match which {
        BuiltIn::Help => help(&room.settings.agents.spoken().await?),
        BuiltIn::New => CommandAnswer {
            act: Some(ClientAct::New),
            ..answer(which, "A new conversation begins with your next message.", Vec::new())
        },
        BuiltIn::Model => models(app, &setting),
        BuiltIn::Agent => agents(room, &asked.id).await?,
        BuiltIn::Context => context(asked).await?,
        BuiltIn::Usage => totals(asked).await?,
        BuiltIn::Tools => tools(&setting),
        BuiltIn::Rules => {
            let rows = setting.rules.iter().map(rule).collect();
            answer(which, "These rules hold; of those that match, the strictest.", rows)
        }
        BuiltIn::Skills => answer(which, "There are no skills yet.", Vec::new()),
        BuiltIn::Undo => answer(which, "Undo is not built yet. What a turn did stands at its end.", Vec::new()),
        BuiltIn::Stop | BuiltIn::Compact | BuiltIn::Branch | BuiltIn::Retry => {
            return Err(Problem::internal("a command that changes something was told to tell"));
        }
    })
}

/// All models; who answers comes first.
fn models(app: &App, setting: &Setting) -> CommandAnswer {
    let (answers, resting) = (&setting.model.name, app.wiring.rests.at(app.now()));
    let mut offers: Vec<_> = app.wiring.models.offers().iter().collect();
    offers.sort_by_key(|offer| offer.name != *answers);
    let rows = offers.into_iter().map(|offer| {
        let place = match offer.tier {
            Tier::Device => "on this machine",
            Tier::Trusted => "on another machine that is trusted",
            Tier::Any => "at a service elsewhere",
        };
        let far = if offer.tier > setting.tier { "; this conversation may not travel there" } else { "" };
        let rests = if resting.contains(&offer.name) { "; it failed of late and rests" } else { "" };
        row(&offer.name, format!("{place}{far}{rests}"))
    });
    let says = format!("{answers} answers here. Send /model NAME to choose, /model usual to take that back.");
    answer(BuiltIn::Model, says, rows.collect())
}

/// All profiles.
async fn agents(room: &Room, id: &ConversationId) -> Result<CommandAnswer, Problem> {
    let agents = &room.settings.agents;
    let all = agents.agents().await?;
    let rows = all.iter().map(|each| {
        let says = agents.check(&each.text).map_or("cannot be used".to_owned(), |profile| profile.description);
        row(each.id(), says)
    });
    let title = choice::view(room, Some(id)).await?.holds.profile_title;
    let says = format!("{title} answers here. Send /agent NAME to choose, /agent usual to take that back.");
    Ok(answer(BuiltIn::Agent, says, rows.collect()))
}

fn help(commands: &[Command]) -> CommandAnswer {
    let mut rows: Vec<_> = BuiltIn::ALL.map(|each| row(format!("/{}", each.name()), each.says())).into();
    rows.extend(commands.iter().map(|command| {
        let hint = command.argument_hint.as_ref().map(|hint| format!(" [{hint}]")).unwrap_or_default();
        row(format!("/{}{hint}", command.name), &command.description)
    }));
    answer(BuiltIn::Help, "A message that begins with / is a command; // sends a slash.", rows)
}

async fn context(asked: &Asked) -> Result<CommandAnswer, Problem> {
    let usage = usage::of(&asked.room, asked.id.clone()).await?;
    let last = usage.rounds.last().and_then(|round| round.usage.prompt);
    let mut rows = vec![row("window", format!("{} tokens", usage.window))];
    rows.extend(last.map(|tokens| row("last prompt", format!("{tokens} tokens"))));
    let about = if usage.next.estimated { ", estimated" } else { "" };
    rows.push(row("next prompt", format!("{} tokens{about}, and what you write", usage.next.total)));
    let says = match last {
        Some(tokens) => format!("The last prompt filled {} % of the window.", share(tokens, usage.window)),
        None => "How full the window is will be known after the first reply.".to_owned(),
    };
    Ok(answer(BuiltIn::Context, says, rows))
}

fn share(tokens: u32, window: u32) -> u64 {
    u64::from(tokens) * 100 / u64::from(window.max(1))
}

async fn totals(asked: &Asked) -> Result<CommandAnswer, Problem> {
    let usage = usage::of(&asked.room, asked.id.clone()).await?;
    let mut rows = Vec::new();
    rows.extend(usage.totals.prompt.map(|tokens| row("read", format!("{tokens} tokens"))));
    rows.extend(usage.totals.decoded.map(|tokens| row("written", format!("{tokens} tokens"))));
    let says = match usage.rounds.len() {
        0 => "No model has answered here yet.".to_owned(),
        1 => "One reply of a model so far.".to_owned(),
        replies => format!("{replies} replies of models so far."),
    };
    Ok(answer(BuiltIn::Usage, says, rows))
}

fn tools(setting: &Setting) -> CommandAnswer {
    let first = |text: &str| text.split_inclusive(". ").next().unwrap_or_default().trim().to_owned();
    let rows = setting.tools.iter().map(|tool| row(tool.name.as_str(), first(&tool.description))).collect();
    answer(BuiltIn::Tools, "The assistant has these tools. What a call may do is judged each time.", rows)
}

fn rule(rule: &Rule) -> CommandRow {
    let verdict = match rule.verdict {
        RuleVerdict::Allow => "allow",
        RuleVerdict::Ask => "ask",
        RuleVerdict::Deny => "deny",
    };
    row(rule.id.to_string(), format!("{verdict}. {}", rule.note))
}

/// The last message on the line that is written on, to be answered anew, and its id. The key of the request is the id of
/// the new one.
pub(super) async fn again(asked: &Asked, aside: String) -> Result<(Message, MessageId), Problem> {
    let conversation = asked.room.fold(&asked.id).await.map_err(journal_problem)?;
    let entries = asked.room.vault.load(&asked.id, EntryNumber::default()).await.map_err(journal_problem)?;
    let lines = conversation.lines();
    let here = entries.iter().rev().filter(|entry| lines.holds(lines.active(), entry.number));
    let said = here.filter_map(said).find(|message| !is_taken_back(message, &entries));
    let said =
        said.ok_or_else(|| Problem::new(Code::Expired, "Nothing was said here yet that could be answered anew."))?;
    let message = Message { id: MessageId::new(asked.key.clone()), aside: Some(aside), ..said.clone() };
    Ok((message, said.id.clone()))
}

fn said(entry: &Entry) -> Option<&Message> {
    let Fact::Said(message) = &entry.body else { return None };
    Some(message)
}

fn is_taken_back(message: &Message, entries: &[Entry]) -> bool {
    entries.iter().any(|entry| matches!(&entry.body, Fact::Withdrawn(id) if *id == message.id))
}
