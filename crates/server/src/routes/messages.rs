//! What a person does in a conversation: say, take back, stop. Decided in `harness::act`; translated here.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::conversation::Conversation;
use domain::entry::{Body as Fact, Entry};
use domain::id::{ConversationId, EntryNumber, MessageId, TurnId};
use domain::message::{Message, MessageFault};
use domain::slash::{self, BuiltIn, Meaning};
use harness::act::{self, ActError};
use harness::ports::Journal as _;
use serde_json::json;

use super::choice;
use super::commands::{self, Asked};
use super::conversations::{find, journal_problem};
use super::once::{Act, Done, finished, key_reused, once_in};
use crate::aside::aside;
use crate::extract::{Body, Key, Unlocked};
use crate::problem::{Code, Problem};
use crate::room::Room;
use crate::state::App;
use crate::wire::answer::MessageTaken;
use crate::wire::form::{SayForm, StopForm};

/// Why an act changed nothing, for the person.
pub(super) fn act_problem(error: ActError) -> Problem {
    match error {
        ActError::Journal(error) => journal_problem(error),
        ActError::ReadOnly => Problem::new(Code::ReadOnly, error),
        ActError::TurnRuns => Problem::new(Code::TurnRunning, error),
        ActError::UnknownPlace => Problem::new(Code::Expired, error),
        ActError::TooManyWaiting => Problem::new(Code::TooManyWaiting, error),
        ActError::AlreadyRead => Problem::new(Code::AlreadyRead, error),
        ActError::UnknownQuestion => Problem::not_found(),
        ActError::DigestDiffers => Problem::new(Code::DigestDiffers, error),
        ActError::AlreadyAnswered(given) => {
            let (what, _) = crate::wire::entry::decision(&given.answer.decision);
            Problem::new(Code::AlreadyAnswered, "This question was answered before.").answered(what, given.at.rfc3339())
        }
        ActError::Gone => Problem::new(Code::Expired, error),
        ActError::WrongKind => Problem::field("/decision", error),
    }
}

/// Says something, or something else in the place of a message. The key of the request is the id of the message, so
/// saying it twice records it once.
pub(super) async fn say(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Key(key): Key,
    Body { value: form, digest: request }: Body<SayForm>,
) -> Result<Response, Problem> {
    let id = find(&room, &id).await?.id;
    let asked = || Asked { app: app.clone(), room: room.clone(), id: id.clone(), key: key.clone(), request };
    let commands = room.settings.agents.spoken().await?;
    let (text, short) = match slash::meaning(&form.text, &commands) {
        Meaning::Words(text) => (text.into_owned(), None),
        Meaning::Command(command, args) => (command.expand(args), Some(form.text.clone())),
        Meaning::BuiltIn(BuiltIn::Retry, "") => return retry(asked()).await,
        Meaning::BuiltIn(which, args) => return commands::run(asked(), which, args).await,
        Meaning::Unknown { name, nearest } => return Err(commands::unknown(&name, &nearest)),
    };
    if room.vault.is_key(key.clone(), app.now()).await? {
        return Err(key_reused());
    }
    let beside = aside(room.ports().clock.now(), &room.zone);
    let message = Message::new(MessageId::new(key), text, Some(beside)).map_err(message_problem)?;
    let wanted = choice::wanted(&room, &id, form.model).await?;
    let message = Message { short, wanted, ..message };
    let instead_of = form.instead_of.map(MessageId::new);
    finished(async move { say_once(&room, &id, message, instead_of).await }).await
}

/// Has the last message answered anew, on a new line.
async fn retry(asked: Asked) -> Result<Response, Problem> {
    if asked.room.vault.is_key(asked.key.clone(), asked.app.now()).await? {
        return Err(key_reused());
    }
    // What was the last message then may not be it now, so the same request again is known by its key alone.
    if let Some(entry) = asked.room.vault.entry_of_message(asked.id.clone(), MessageId::new(&*asked.key)).await? {
        return said_before(&asked.room, &asked.id, entry, |before, _| begins_line(before).is_some()).await;
    }
    let beside = aside(asked.room.ports().clock.now(), &asked.room.zone);
    let (message, former) = commands::again(&asked, beside).await?;
    let message = Message { wanted: choice::wanted(&asked.room, &asked.id, None).await?, ..message };
    finished(async move { say_once(&asked.room, &asked.id, message, Some(former)).await }).await
}

async fn say_once(
    room: &Room,
    id: &ConversationId,
    message: Message,
    instead_of: Option<MessageId>,
) -> Result<Response, Problem> {
    let text = message.text.clone();
    let said = match &instead_of {
        None => act::say(room.desk(), id, message).await,
        Some(former) => act::say_instead(room.desk(), id, former, message).await,
    };
    let said = said.map_err(act_problem)?;
    if said.fresh {
        room.sessions.wake(id);
        let taken = MessageTaken { entry: said.entry.0, turn: said.turn.to_string() };
        return Ok(Done::new(StatusCode::CREATED, &taken).response(false));
    }
    let same = |before: &[Entry], first: &Message| {
        first.text == text && instead_of.is_none_or(|former| stands_instead(id, before, &former))
    };
    said_before(room, id, said.entry, same).await
}

/// The first answer to a message, if the request is the same; `same` is asked with the entries before it.
async fn said_before(
    room: &Room,
    id: &ConversationId,
    entry: EntryNumber,
    same: impl FnOnce(&[Entry], &Message) -> bool,
) -> Result<Response, Problem> {
    let entries = room.vault.load(id, EntryNumber::default()).await.map_err(journal_problem)?;
    let at = entries.iter().position(|each| each.number == entry);
    let (before, from) = entries.split_at(at.ok_or_else(|| Problem::internal("a message is without its entry"))?);
    match from.first() {
        Some(Entry { body: Fact::Said(first), number, turn, .. }) if same(before, first) => {
            let taken = MessageTaken { entry: number.0, turn: turn.to_string() };
            Ok(Done::new(StatusCode::CREATED, &taken).response(true))
        }
        Some(_) | None => Err(key_reused()),
    }
}

/// Where the line starts that these entries end with.
fn begins_line(before: &[Entry]) -> Option<EntryNumber> {
    let Fact::Forked { after } = before.last()?.body else { return None };
    Some(after)
}

/// Whether what follows these entries was said in the place of that message.
fn stands_instead(id: &ConversationId, before: &[Entry], former: &MessageId) -> bool {
    let place = before.split_last().and_then(|(_, rest)| Conversation::fold(id.clone(), rest).before(former));
    place.is_some() && place == begins_line(before)
}

fn message_problem(fault: MessageFault) -> Problem {
    match fault {
        MessageFault::TooLong(_) => Problem::new(Code::TooLarge, fault),
        MessageFault::Empty | MessageFault::Nul => Problem::field("/text", fault),
    }
}

/// Takes back a message that still waits.
pub(super) async fn withdraw(
    Unlocked(room): Unlocked,
    Path((id, message)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let id = find(&room, &id).await?.id;
    finished(async move {
        let message = MessageId::new(message);
        if room.vault.entry_of_message(id.clone(), message.clone()).await?.is_none() {
            return Err(Problem::not_found());
        }
        act::withdraw(room.desk(), &id, &message).await.map_err(act_problem)?;
        room.sessions.wake(&id);
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// Stops a turn. A stop that comes late, or for another turn, changes nothing and is no error.
pub(super) async fn stop(
    State(app): State<Arc<App>>,
    Unlocked(room): Unlocked,
    Path(id): Path<String>,
    Key(key): Key,
    Body { value: form, digest: request }: Body<StopForm>,
) -> Result<Response, Problem> {
    let act = Act { name: "stop", conversation: id, key, request };
    once_in(&app, &room, act, |room, id| async move {
        let turn = TurnId::new(form.turn);
        if act::stop(room.desk(), &id, &turn).await.map_err(act_problem)? {
            room.sessions.stop(&id, &turn);
            room.sessions.wake(&id);
        }
        Ok(Done::new(StatusCode::ACCEPTED, &json!({})))
    })
    .await
}
