//! What `ask` and `chat` have in common: choosing a conversation, saying something, stopping, answering a card.

use domain::title::Title;
use serde_json::{Value, json};

use super::api::{Api, new_key};
use super::card::{Asking, Step};
use super::follow::{Follow, Following};
use crate::exit::{Ended, Exit};

/// So long may a title be that is taken from a message.
const TITLE_LETTERS: usize = 60;

/// Which conversation.
#[derive(Debug, Clone)]
pub(super) enum Which {
    /// A new one with this title, which may be empty.
    New(String),
    /// The one that changed last, or a new one if there is none.
    Last,
    /// The one with this id.
    Named(String),
}

/// The id of the conversation, which is made if need be.
pub(super) async fn choose(api: &mut Api, which: Which) -> Result<String, Ended> {
    match which {
        Which::Named(id) if is_plain(&id) => {
            api.get(&path(&id, "")).await?;
            Ok(id)
        }
        Which::Named(id) => Err(Ended::new(Exit::NotFound, format!("{id} is the id of no conversation."))),
        Which::Last => {
            let list = api.get("/api/v1/conversations?limit=1").await?;
            match list["items"][0]["id"].as_str() {
                Some(id) => Ok(id.to_owned()),
                None => create(api, "").await,
            }
        }
        Which::New(title) => create(api, &title).await,
    }
}

async fn create(api: &mut Api, title: &str) -> Result<String, Ended> {
    let made = api.post("/api/v1/conversations", &new_key(), &json!({ "title": title })).await?;
    made["id"].as_str().map(str::to_owned).ok_or_else(not_understood)
}

/// The first words of a message, as the name of a conversation until somebody gives a better one. Empty where they
/// would be no title.
pub(super) fn title_from(message: &str) -> String {
    let mut title = String::new();
    for word in message.split_whitespace() {
        if title.chars().count() + word.chars().count() >= TITLE_LETTERS {
            title.push('…');
            break;
        }
        title.extend((!title.is_empty()).then_some(' '));
        title.push_str(word);
    }
    Title::parse(&title).map_or_else(|_| String::new(), Title::into_string)
}

/// Ids are letters, digits and signs that need no escape in a path.
fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn path(conversation: &str, part: &str) -> String {
    format!("/api/v1/conversations/{conversation}{part}")
}

/// Follows a conversation from the entry after `known` on.
pub(super) fn follow(api: &Api, conversation: &str, known: u64) -> Follow {
    Follow::start(Following {
        client: api.client().clone(),
        config: api.config().clone(),
        conversation: conversation.to_owned(),
        known,
    })
}

/// What was said: the entry it became, and the turn it opened or joined.
pub(super) struct Said {
    /// The entry.
    pub(super) entry: u64,
    /// The turn.
    pub(super) turn: String,
}

/// What came of a message.
pub(super) enum Heard {
    /// It was recorded.
    Said(Said),
    /// It was a command of Riad, which answers itself.
    Answered {
        /// The answer.
        says: String,
        /// Whether another conversation is to begin.
        anew: bool,
    },
}

/// Says something.
pub(super) async fn say(api: &mut Api, conversation: &str, text: &str) -> Result<Heard, Ended> {
    let said = api.post(&path(conversation, "/messages"), &new_key(), &json!({ "text": text })).await?;
    match (said["entry"].as_u64(), said["turn"].as_str(), said["says"].as_str()) {
        (Some(entry), Some(turn), _) => Ok(Heard::Said(Said { entry, turn: turn.to_owned() })),
        (_, _, Some(_)) => Ok(Heard::Answered { says: told(&said), anew: said["act"] == "new" }),
        _ => Err(not_understood()),
    }
}

/// The answer of a command as lines: its sentence, then its rows in two columns.
fn told(answer: &Value) -> String {
    let rows = answer["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
    let width = rows.iter().map(|row| text(row, "name").chars().count()).max().unwrap_or_default();
    let rows = rows.iter().map(|row| format!("\n  {:width$}  {}", text(row, "name"), text(row, "says")));
    std::iter::once(text(answer, "says").to_owned()).chain(rows).collect()
}

/// Stops a turn.
pub(super) async fn stop(api: &mut Api, conversation: &str, turn: &str) -> Result<(), Ended> {
    api.post(&path(conversation, "/stop"), &new_key(), &json!({ "turn": turn })).await.map(drop)
}

/// What became of a line that was typed under a card.
pub(super) enum Typed {
    /// It has to be typed again, or goes on; says so where there is something to say.
    Again(Option<String>),
    /// The card is settled.
    Settled(Option<String>),
}

/// Takes a line for a card, and sends the answer once it is whole.
pub(super) async fn type_in(api: &mut Api, asking: &mut Asking, line: &str) -> Result<Typed, Ended> {
    let body = match asking.take(line) {
        Step::Again(says) => return Ok(Typed::Again(Some(says.to_owned()))),
        Step::More => return Ok(Typed::Again(None)),
        Step::Send(body) => body,
    };
    let path = format!("/api/v1/inbox/{}/answer", asking.card.id);
    match api.post(&path, &new_key(), &body).await {
        Ok(_) => Ok(Typed::Settled(None)),
        // Answered elsewhere, or over by now: the entries say what became of it.
        Err(refused) if matches!(refused.exit, Exit::Conflict | Exit::NotFound) => {
            Ok(Typed::Settled(Some(refused.says)))
        }
        Err(refused) if refused.exit == Exit::Usage => Ok(Typed::Again(Some(refused.says))),
        Err(refused) => Err(refused),
    }
}

/// Why a command ends where nobody can be asked.
pub(super) fn waits(kind: &str, id: &str, label: &str) -> Ended {
    let says = format!("It waits for you: {kind} {id} ({label}). Answer it in the Inbox or with `riad chat --last`.");
    Ended::new(Exit::Waits, says)
}

/// The answer of the server lacks what it must have.
pub(super) fn not_understood() -> Ended {
    Ended::new(Exit::Failed, "The server answered in a form that is not known here. Update both to one version.")
}

/// A member of a document as text.
pub(super) fn text<'a>(document: &'a Value, name: &str) -> &'a str {
    document[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests;
