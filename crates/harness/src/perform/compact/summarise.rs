//! Asks a model for a summary: no tools, pieces in order, a time of its own. What fails leaves the history as it is.

use std::collections::VecDeque;
use std::time::Duration;

use domain::compact::{Cut, Fold, HALVINGS, Piece, Task, Unchanged, Why, Words, time_ms};
use domain::context::Prompt;
use domain::entry::Body;
use domain::id::EntryNumber;
use domain::model::StopReason;
use tokio_util::sync::CancellationToken;

use super::Answerer;
use crate::live::Live;
use crate::perform::guarded;
use crate::ports::{Channel, DeltaSink};
use crate::run::RunError;

/// How often it is looked what the person does, while a conversation is folded between turns.
const LOOK: Duration = Duration::from_millis(250);

/// What came of it.
pub(super) enum Summarised {
    /// A fold that can be recorded.
    Made(Fold),
    /// None, for this reason.
    Not(Unchanged),
    /// The person stopped the turn, went to another line, or wrote something that goes first.
    Left,
}

/// A piece that gave no words.
enum Trouble {
    /// It may go better with less.
    Failed(String),
    /// Nobody wants it any more.
    Cancelled,
}

pub(super) async fn summarise(
    live: &mut Live<'_>,
    answerer: &Answerer,
    why: Why,
    cut: &Cut,
    room: u32,
) -> Result<Summarised, RunError> {
    let Some(task) = live.at().task(cut, room) else { return Ok(Summarised::Not(Unchanged::Nothing)) };
    let standing = live.at().standing();
    let time = Duration::from_millis(time_ms(task.tokens(), standing.ms_per_thousand()));
    let (cancel, seen, words) = (live.stop.child_token(), live.conversation.head(), standing.words());
    let work = tokio::time::timeout(time, work(answerer, &task, words, seen, room, &cancel));
    let made = tokio::select! {
        biased;
        () = live.stop.cancelled() => None,
        made = work => Some(made),
        given_way = gives_way(live, why) => { given_way?; None }
    };
    cancel.cancel();
    Ok(match made {
        None | Some(Ok(Err(Trouble::Cancelled))) => Summarised::Left,
        Some(Err(_)) => Summarised::Not(Unchanged::Failed(format!("it took longer than {} s", time.as_secs()))),
        Some(Ok(Err(Trouble::Failed(reason)))) => Summarised::Not(Unchanged::Failed(reason)),
        Some(Ok(Ok((words, pieces)))) => {
            let summary = Box::new(live.at().summary(cut, words));
            Summarised::Made(Fold::Summarised { cut: cut.clone(), summary, prefix: task.prefix.hash, pieces })
        }
    })
}

/// Comes back once a fold between turns gives way to what the person does. A turn that runs has a token for that.
async fn gives_way(live: &Live<'_>, why: Why) -> Result<(), RunError> {
    if why == Why::Needed {
        return std::future::pending().await;
    }
    loop {
        tokio::time::sleep(LOOK).await;
        let entries = live.ports.journal.load(live.conversation.id(), live.conversation.head()).await?;
        if entries.iter().any(|entry| goes_first(&entry.body, why)) {
            return Ok(());
        }
    }
}

/// Whether a fold gives way to this. One that was asked for does not to a message, but to the stop of the turn that the
/// message began, which could not end before it.
fn goes_first(body: &Body, why: Why) -> bool {
    why == Why::Large || matches!(body, Body::Stopped | Body::Forked { .. } | Body::Switched { .. })
}

/// All pieces in order; one that fails is halved, up to four times. Also says how many were asked for.
async fn work(
    answerer: &Answerer,
    task: &Task,
    earlier: Words,
    seen: EntryNumber,
    room: u32,
    cancel: &CancellationToken,
) -> Result<(Words, u32), Trouble> {
    let mut queue: VecDeque<(Piece, u32)> = task.pieces.iter().map(|piece| (piece.clone(), 0)).collect();
    let (mut words, mut asked) = (earlier, 0);
    while let Some((piece, halved)) = queue.pop_front() {
        match ask(answerer, &task.prompt(&words, &piece, seen), room, cancel).await {
            Ok(new) => (words, asked) = (new, asked + 1),
            Err(Trouble::Cancelled) => return Err(Trouble::Cancelled),
            Err(Trouble::Failed(reason)) => {
                let halves = if halved < HALVINGS { piece.halves() } else { None };
                let Some((first, second)) = halves else { return Err(Trouble::Failed(reason)) };
                queue.push_front((second, halved + 1));
                queue.push_front((first, halved + 1));
            }
        }
    }
    Ok((words, asked))
}

/// The words of one piece. A prompt that does not fit is not sent.
async fn ask(answerer: &Answerer, prompt: &Prompt, room: u32, cancel: &CancellationToken) -> Result<Words, Trouble> {
    let failed = |fault: &dyn std::fmt::Debug| Trouble::Failed(format!("the model did not answer ({fault:?})"));
    let counts = answerer.count(prompt).await.map_err(|fault| failed(&fault))?;
    if counts.total().saturating_add(prompt.max_tokens) > answerer.budget.window || counts.total() > room {
        return Err(Trouble::Failed("a part of the conversation is too long for it".to_owned()));
    }
    let sampled = guarded(answerer.model.sample(prompt, &Silence, cancel)).await;
    let sampled = sampled.ok_or_else(|| failed(&"it broke off"))?.map_err(|fault| failed(&fault))?;
    match sampled.stop {
        StopReason::Cancelled if cancel.is_cancelled() => Err(Trouble::Cancelled),
        StopReason::Cancelled | StopReason::Cut | StopReason::Filtered | StopReason::ContextFull => {
            Err(failed(&sampled.stop))
        }
        StopReason::Natural | StopReason::Length | StopReason::StopMarker | StopReason::Calls => {
            let words = Words::read(&sampled.text);
            if words.is_empty() { Err(failed(&"no words")) } else { Ok(words) }
        }
    }
}

/// A summary is not shown while it is written.
struct Silence;

impl DeltaSink for Silence {
    fn delta(&self, _: Channel, _: &str) {}
}
