//! The whole agent loop: ask what comes next, do it, write down what happened.

use domain::conversation::Conversation;
use domain::effect::Effect;
use domain::entry::Body;
use domain::id::{ConversationId, TurnId};
use domain::outcome::Outcome;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::live::Live;
use crate::perform;
use crate::ports::{JournalError, Ports};

/// Where a conversation came to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rested {
    /// No turn runs.
    Quiet,
    /// The turn waits for the person.
    Waiting,
}

/// Why a conversation cannot go on now. What was recorded stands.
#[derive(Debug, Error)]
pub enum RunError {
    /// The journal failed: nothing more is started.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Told which turn runs and by which token it can be stopped.
pub trait StopDesk: Send + Sync {
    /// `stop` will be cancelled when the person stops `turn`.
    fn running(&self, turn: &TurnId, stop: &CancellationToken);
}

/// Drives a conversation until nothing can be done without a person.
///
/// Safe to drop at any await: what was not recorded is done again, by the same path as after a crash.
pub async fn drive(ports: &Ports, id: &ConversationId, desk: &dyn StopDesk) -> Result<Rested, RunError> {
    let mut live = Live::load(ports, id).await?;
    resume(&mut live).await?;
    loop {
        hold_stop(&mut live, desk);
        let setting = match ports.settings.current(id).await {
            Ok(setting) => setting,
            Err(reason) => return fail(&mut live, reason).await,
        };
        match live.conversation.next(&setting) {
            Effect::Note(bodies) => drop(live.decide(bodies).await?),
            Effect::Sample(request) => perform::sample(&mut live, request, &setting).await?,
            Effect::Screen(calls) => perform::screen(&mut live, calls).await?,
            Effect::Ask(approvals) => perform::ask(&mut live, approvals).await?,
            Effect::Run(calls) => perform::run(&mut live, calls).await?,
            Effect::End { outcome, footer } => drop(live.decide(vec![Body::Ended { outcome, footer }]).await?),
            Effect::Rest => return Ok(rested(&live.conversation)),
        }
        live.catch_up().await?;
    }
}

/// A run that has started and not returned was cut, since only this process drives the conversation now.
async fn resume(live: &mut Live<'_>) -> Result<(), RunError> {
    let unfinished =
        |turn: &domain::turn::Turn| turn.calls().any(|call| call.started.is_some() && call.result.is_none());
    if live.turn().is_some_and(unfinished) {
        live.record(vec![Body::Resumed]).await?;
    }
    Ok(())
}

/// Gives each turn a stop token of its own, so that a late stop never meets the next turn.
fn hold_stop(live: &mut Live<'_>, desk: &dyn StopDesk) {
    let Some(turn) = live.conversation.live() else { return };
    if live.stop_of.as_ref() != Some(turn.id()) {
        live.stop = CancellationToken::new();
        live.stop_of = Some(turn.id().clone());
    }
    desk.running(turn.id(), &live.stop);
}

/// Without a setting nothing may run: the turn ends, and says so.
async fn fail(live: &mut Live<'_>, reason: String) -> Result<Rested, RunError> {
    let Some(turn) = live.turn() else { return Ok(Rested::Quiet) };
    let footer = turn.footer();
    live.record(vec![Body::Ended { outcome: Outcome::Failed(reason), footer }]).await?;
    Ok(Rested::Quiet)
}

fn rested(conversation: &Conversation) -> Rested {
    if conversation.live().is_some() { Rested::Waiting } else { Rested::Quiet }
}
