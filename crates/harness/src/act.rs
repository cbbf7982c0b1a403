//! What people do to a conversation: say, take back, answer, stop. Each is one decision on the entries there are,
//! made anew when others have recorded meanwhile.

use domain::approval::{Answer, Decision};
use domain::conversation::{Conversation, Given, NotAwaited};
use domain::digest::Digest;
use domain::entry::{Body, Draft, Entry};
use domain::footer::elsewhere;
use domain::id::{ApprovalId, CallId, ConversationId, EntryNumber, FrameId, MessageId, TurnId};
use domain::limits::WAITING_MESSAGES;
use domain::line::LineId;
use domain::message::Message;
use domain::turn::Turn;
use thiserror::Error;

use crate::ports::{Clock, Event, Journal, JournalError, Observer};

/// What an act needs.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// Where entries go.
    pub journal: &'a dyn Journal,
    /// Who listens.
    pub observer: &'a dyn Observer,
    /// What time it is.
    pub clock: &'a dyn Clock,
}

/// Why an act changed nothing.
#[derive(Debug, Error)]
pub enum ActError {
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A newer version of Riad has written here.
    #[error("A newer version of Riad has written in this conversation. Update this one to go on with it.")]
    ReadOnly,
    /// Too many messages wait.
    #[error("{WAITING_MESSAGES} messages already wait for this turn. Wait until it has read them, or take one back.")]
    TooManyWaiting,
    /// The message was read, or never waited.
    #[error("This message cannot be taken back any more.")]
    AlreadyRead,
    /// A turn runs or waits.
    #[error("A turn is still running here. Stop it first, then try again.")]
    TurnRuns,
    /// There is no such message, entry or line.
    #[error("There is no such place in this conversation any more. Load it again.")]
    UnknownPlace,
    /// There is no such question.
    #[error("There is no such question.")]
    UnknownQuestion,
    /// What was shown is not what would run now.
    #[error("What this question is about has changed since it was shown. Look at it again.")]
    DigestDiffers,
    /// It was answered before.
    #[error("This question was answered before.")]
    AlreadyAnswered(Box<Given>),
    /// Its turn is over, or it was withdrawn.
    #[error("This question is not open any more.")]
    Gone,
    /// The decision does not answer this kind of question.
    #[error("This is not an answer to this kind of question.")]
    WrongKind,
}

/// What saying something did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The entry that holds the message.
    pub entry: EntryNumber,
    /// The turn that it opened or joined.
    pub turn: TurnId,
    /// False when the same message had been said before.
    pub fresh: bool,
}

/// Says something. The same message id again returns the first entry and starts nothing.
pub async fn say(desk: Desk<'_>, id: &ConversationId, message: Message) -> Result<Said, ActError> {
    loop {
        let conversation = load(desk, id).await?;
        if let Some(said) = said_before(desk, &conversation, &message.id).await? {
            return Ok(said);
        }
        if conversation.live().is_some_and(|turn| turn.waiting().count() >= WAITING_MESSAGES) {
            return Err(ActError::TooManyWaiting);
        }
        let turn = conversation.live().map_or_else(|| TurnId::opened_by(&message.id), |turn| turn.id().clone());
        if let Some(entries) = append(desk, &conversation, said(&conversation, message.clone())).await? {
            let said = entries.first().map_or(conversation.head().next(), |entry| entry.number);
            return Ok(Said { entry: said, turn, fresh: true });
        }
    }
}

/// Says something else in the place of a message, or the same again to have it answered anew: a new line starts before
/// the turn in which that message was read. Line and message become true together.
pub async fn say_instead(
    desk: Desk<'_>,
    id: &ConversationId,
    instead_of: &MessageId,
    message: Message,
) -> Result<Said, ActError> {
    loop {
        let conversation = load(desk, id).await?;
        if let Some(said) = said_before(desk, &conversation, &message.id).await? {
            return Ok(said);
        }
        let after = quiet(&conversation)?.before(instead_of).ok_or(ActError::UnknownPlace)?;
        let fork = Body::Forked { after };
        let mut forked = conversation.clone();
        forked.apply(&forked.draft(desk.clock.now(), fork.clone()).at_number(forked.head().next()));
        let turn = TurnId::opened_by(&message.id);
        let bodies = vec![fork, said(&forked, message.clone())];
        if let Some(entries) = append_all(desk, &conversation, bodies).await? {
            let entry = entries.last().map_or(conversation.head().next(), |entry| entry.number);
            return Ok(Said { entry, turn, fresh: true });
        }
    }
}

/// Starts a new line that shares all turns that are over at an entry.
pub async fn branch(desk: Desk<'_>, id: &ConversationId, at: EntryNumber) -> Result<LineId, ActError> {
    loop {
        let conversation = load(desk, id).await?;
        if at > conversation.head() || !conversation.lines().holds(conversation.lines().active(), at) {
            return Err(ActError::UnknownPlace);
        }
        let after = quiet(&conversation)?.border(at);
        if let Some(entries) = append(desk, &conversation, Body::Forked { after }).await? {
            return Ok(LineId(entries.first().map_or(conversation.head().next(), |entry| entry.number)));
        }
    }
}

/// Goes on with another line.
pub async fn switch(desk: Desk<'_>, id: &ConversationId, line: LineId) -> Result<(), ActError> {
    loop {
        let conversation = load(desk, id).await?;
        let lines = quiet(&conversation)?.lines();
        lines.line(line).ok_or(ActError::UnknownPlace)?;
        if lines.active() == line || append(desk, &conversation, Body::Switched { line }).await?.is_some() {
            return Ok(());
        }
    }
}

/// The conversation, if no turn runs or waits in it.
fn quiet(conversation: &Conversation) -> Result<&Conversation, ActError> {
    if conversation.live().is_some() { Err(ActError::TurnRuns) } else { Ok(conversation) }
}

/// A message as it is recorded: one that opens a turn carries what was done on other lines, and what the scratchpad
/// holds.
fn said(conversation: &Conversation, mut message: Message) -> Body {
    if conversation.live().is_none() {
        let effects = conversation.done_elsewhere();
        let effects = (!effects.is_empty()).then(|| elsewhere(&effects));
        let pad = conversation.scratchpad();
        let pad = (!pad.is_empty()).then(|| pad.aside());
        let told: Vec<String> = message.aside.into_iter().chain(effects).chain(pad).collect();
        message.aside = (!told.is_empty()).then(|| told.join("\n"));
    }
    Body::Said(message)
}

/// What saying this message did, if it was said before.
async fn said_before(
    desk: Desk<'_>,
    conversation: &Conversation,
    message: &MessageId,
) -> Result<Option<Said>, ActError> {
    let Some(entry) = conversation.entry_of(message) else { return Ok(None) };
    let turn = turn_at(desk, conversation.id(), entry).await?;
    Ok(Some(Said { entry, turn, fresh: false }))
}

/// The turn that an entry was recorded in.
async fn turn_at(desk: Desk<'_>, id: &ConversationId, entry: EntryNumber) -> Result<TurnId, ActError> {
    let before = EntryNumber(entry.0.saturating_sub(1));
    let entries = desk.journal.load(id, before).await?;
    Ok(entries.into_iter().next().map_or_else(|| TurnId::new(""), |entry| entry.turn))
}

/// Takes back a message that still waits.
pub async fn withdraw(desk: Desk<'_>, id: &ConversationId, message: &MessageId) -> Result<(), ActError> {
    loop {
        let conversation = load(desk, id).await?;
        let waits = conversation.live().is_some_and(|turn| turn.waiting().any(|waiting| waiting.id == *message));
        if !waits {
            return Err(ActError::AlreadyRead);
        }
        if append(desk, &conversation, Body::Withdrawn(message.clone())).await?.is_some() {
            return Ok(());
        }
    }
}

/// Stops a turn. A stop that comes late, or for another turn, changes nothing and says `false`.
pub async fn stop(desk: Desk<'_>, id: &ConversationId, turn: &TurnId) -> Result<bool, ActError> {
    loop {
        let conversation = load(desk, id).await?;
        let runs = conversation.live().is_some_and(|live| live.id() == turn && !live.is_stopped());
        if !runs {
            return Ok(false);
        }
        if append(desk, &conversation, Body::Stopped).await?.is_some() {
            return Ok(true);
        }
    }
}

/// Stops one delegate and what works for it. One that is over, or was never there, is left alone and it says `false`.
pub async fn stop_delegate(desk: Desk<'_>, id: &ConversationId, call: &CallId) -> Result<bool, ActError> {
    let frame = FrameId::opened_by(call);
    loop {
        let conversation = load(desk, id).await?;
        if conversation.turn_in(&frame).is_none_or(Turn::is_stopped) {
            return Ok(false);
        }
        let draft = conversation.draft_in(&frame, desk.clock.now(), Body::Stopped);
        if append_drafts(desk, &conversation, vec![draft]).await?.is_some() {
            return Ok(true);
        }
    }
}

/// Asks for a fold of the conversation; it is made as soon as nothing else is to be done. Asking again before that gives
/// the same entry.
pub async fn compact(desk: Desk<'_>, id: &ConversationId) -> Result<EntryNumber, ActError> {
    loop {
        let conversation = load(desk, id).await?;
        if let Some(asked) = conversation.standing().asked_at() {
            return Ok(asked);
        }
        if let Some(entries) = append(desk, &conversation, Body::CompactionAsked).await? {
            return Ok(entries.first().map_or(conversation.head().next(), |entry| entry.number));
        }
    }
}

/// Answers a question, bound to the digest that was shown. Returns its conversation and the entry of the answer. The
/// same key again, after a crash before its request was answered, returns the first entry.
pub async fn answer(
    desk: Desk<'_>,
    approval: &ApprovalId,
    digest: Digest,
    decision: Decision,
    surface: &str,
    key: Option<&str>,
) -> Result<(ConversationId, EntryNumber), ActError> {
    let id = desk.journal.asked_in(approval).await?.ok_or(ActError::UnknownQuestion)?;
    let (surface, key) = (surface.to_owned(), key.map(str::to_owned));
    let answer = Answer { approval: approval.clone(), digest, decision, surface, key };
    loop {
        let conversation = load(desk, &id).await?;
        match conversation.may_answer(&answer) {
            Ok(()) => {}
            Err(NotAwaited::Answered(given)) if is_repeated(&given.answer, &answer) => {
                let entry = entry_of(desk, &id, &given.answer).await?;
                return entry.map(|entry| (id, entry)).ok_or(ActError::UnknownQuestion);
            }
            Err(why) => return Err(why.into()),
        }
        let frame = conversation.asked_by(approval).cloned().unwrap_or_else(FrameId::outer);
        let draft = conversation.draft_in(&frame, desk.clock.now(), Body::Answered(answer.clone()));
        if let Some(entries) = append_drafts(desk, &conversation, vec![draft]).await? {
            let number = entries.first().map_or(conversation.head().next(), |entry| entry.number);
            return Ok((id, number));
        }
    }
}

/// Whether an answer is one that was given before, from the same request.
fn is_repeated(given: &Answer, answer: &Answer) -> bool {
    given.key.is_some() && given.key == answer.key && given.digest == answer.digest
}

async fn entry_of(desk: Desk<'_>, id: &ConversationId, given: &Answer) -> Result<Option<EntryNumber>, ActError> {
    let entries = desk.journal.load(id, EntryNumber::default()).await?;
    let found = entries.iter().find(|entry| matches!(&entry.body, Body::Answered(answer) if answer == given));
    Ok(found.map(|entry| entry.number))
}

impl From<NotAwaited<'_>> for ActError {
    fn from(why: NotAwaited<'_>) -> Self {
        match why {
            NotAwaited::Unknown => Self::UnknownQuestion,
            NotAwaited::Answered(given) => Self::AlreadyAnswered(Box::new(given.clone())),
            NotAwaited::Gone => Self::Gone,
            NotAwaited::DigestDiffers => Self::DigestDiffers,
            NotAwaited::WrongKind => Self::WrongKind,
        }
    }
}

async fn load(desk: Desk<'_>, id: &ConversationId) -> Result<Conversation, ActError> {
    let entries = desk.journal.load(id, EntryNumber::default()).await?;
    let conversation = Conversation::fold(id.clone(), &entries);
    if conversation.is_read_only() { Err(ActError::ReadOnly) } else { Ok(conversation) }
}

/// Appends behind the entries that were looked at; `None` when others were faster.
async fn append(desk: Desk<'_>, conversation: &Conversation, body: Body) -> Result<Option<Vec<Entry>>, ActError> {
    append_all(desk, conversation, vec![body]).await
}

async fn append_all(
    desk: Desk<'_>,
    conversation: &Conversation,
    bodies: Vec<Body>,
) -> Result<Option<Vec<Entry>>, ActError> {
    let now = desk.clock.now();
    let drafts = bodies.into_iter().map(|body| conversation.draft(now, body)).collect();
    append_drafts(desk, conversation, drafts).await
}

async fn append_drafts(
    desk: Desk<'_>,
    conversation: &Conversation,
    drafts: Vec<Draft>,
) -> Result<Option<Vec<Entry>>, ActError> {
    match desk.journal.append(conversation.id(), conversation.head(), drafts).await {
        Ok(entries) => {
            desk.observer.notify(conversation.id(), Event::Recorded(&entries));
            Ok(Some(entries))
        }
        Err(JournalError::Moved { .. }) => Ok(None),
        Err(fault) => Err(fault.into()),
    }
}
